"""Answers by the offline planner where the policy of a matter forbids the chat model."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from langchain.agents.middleware import AgentMiddleware, ModelRequest, ModelResponse

from orderly.agent.chat_models.planner import OfflinePlanner
from orderly.agent.middleware.access_checks import check_thread_access, signed_in_caller
from orderly.agent.middleware.run_ledger import RunState, ledger_of
from orderly.store.functions.processors import allowed_processors
from orderly.wiring.services import current_services

NOTICE = "Answered without the chat model: the documents of this conversation may not be sent to it."


class LocalAnswers(AgentMiddleware[RunState, Any]):
    """Checks access and policy before every model call. Must be inside all middleware that reads matters."""

    state_schema = RunState

    async def awrap_model_call(
        self,
        request: ModelRequest[Any],
        handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]],
    ) -> ModelResponse[Any]:
        if await is_model_permitted(request.state):
            return await handler(request)
        return await handler(request.override(model=OfflinePlanner(notice=NOTICE)))


async def is_model_permitted(state: Any) -> bool:
    """Returns whether all text that the thread has read may be sent to the chat model. False stays False for the run.

    Raises:
        NotFound: The caller has lost access to a document that the thread has read.
        Denied: The sign-in has expired.
    """
    ledger = ledger_of(state)
    if ledger.model_forbidden:
        await check_thread_access()
    else:
        ledger.model_forbidden = not await _policy_permits_model()
    return not ledger.model_forbidden


async def _policy_permits_model() -> bool:
    services = await current_services()
    caller = signed_in_caller(services)
    if caller is None:
        return True
    return "model" in await allowed_processors(services.store, caller, thread_id=caller.thread_id or None)
