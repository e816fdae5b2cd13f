"""Ends a run when its user loses access to a document that the thread has read, or when the sign-in expires."""

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
    """Checks access before every call of the offline planner, since each call receives everything read so far.

    For a language model, `LocalAnswers` makes this check. `AnswerRecord` makes it at the end of an answer.
    """

    async def awrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]]
    ) -> ModelResponse[Any]:
        await check_thread_access()
        return await handler(request)


async def check_thread_access() -> None:
    """Checks that the caller may still see everything that the thread has read.

    Raises:
        NotFound: Access was withdrawn, for example by a screen.
        Denied: The sign-in has expired since the run began.
    """
    services = await current_services()
    caller = signed_in_caller(services)
    if caller is not None and caller.thread_id is not None:
        await check_thread(services.store, caller, caller.thread_id)


def signed_in_caller(services: Services) -> Caller | None:
    """The caller; None for a run without a sign-in. Raises Denied if the sign-in has expired since the run began."""
    try:
        return current_caller(services)
    except Denied:
        if USER_KEY in (get_config().get("configurable") or {}):
            raise
        return None
