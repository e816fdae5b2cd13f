"""Ends a run whose conversation has read what is no longer its user's, or whose sign-in is over: also in mid-answer."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from langchain.agents.middleware import AgentMiddleware, ModelRequest, ModelResponse
from langgraph.config import get_config

from orderly.agent.caller import current_caller
from orderly.errors import Denied
from orderly.models import Caller
from orderly.sign_in.identity import USER_KEY
from orderly.store.functions.conversations import check_thread
from orderly.wiring.services import Services, current_services


class AccessChecks(AgentMiddleware[Any, Any]):
    """Before every call of the offline planner, which would be given all that was read so far. (Before a language model's
    `LocalAnswers` asks that and more; an answer's end is `RecordAnswer`'s.)
    """

    async def awrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]]
    ) -> ModelResponse[Any]:
        await check_walls()
        return await handler(request)


async def check_walls() -> None:
    """Raises NotFound; Denied where the sign-in has expired since the run began."""
    services = await current_services()
    caller = caller_now(services)
    if caller is not None and caller.thread_id is not None:
        await check_thread(services.store, caller, caller.thread_id)


def caller_now(services: Services) -> Caller | None:
    """None where nobody was signed in, so that nothing was read. Raises Denied where the sign-in has expired since."""
    try:
        return current_caller(services)
    except Denied:
        if USER_KEY in (get_config().get("configurable") or {}):
            raise
        return None
