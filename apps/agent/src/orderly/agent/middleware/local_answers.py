"""Where a matter's text may not be sent to the chat model, the offline planner answers, and says why."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from langchain.agents.middleware import AgentMiddleware, ModelRequest, ModelResponse

from orderly.agent.chat_models.planner import OfflinePlanner
from orderly.agent.middleware.access_checks import caller_now, check_walls
from orderly.agent.middleware.run_ledger import RunState, ledger_of
from orderly.store.functions.processors import allowed_processors
from orderly.wiring.services import current_services

NOTICE = "Answered without the chat model: the documents of this conversation may not be sent to it."


class LocalAnswers(AgentMiddleware[RunState, Any]):
    """Asks before every call of the model, inside whatever reads a matter before it, and whether a wall came up, too."""

    state_schema = RunState

    async def awrap_model_call(
        self,
        request: ModelRequest[Any],
        handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]],
    ) -> ModelResponse[Any]:
        if await model_permitted(request.state):
            return await handler(request)
        return await handler(request.override(model=OfflinePlanner(notice=NOTICE)))


async def model_permitted(state: Any) -> bool:
    """Whether all that the conversation has read may go to the chat model. Once not, not again in this run.

    Raises NotFound where it has read what is no longer its user's; Denied where the sign-in has expired.
    """
    ledger = ledger_of(state)
    if ledger.kept_from_model:
        await check_walls()
    else:
        ledger.kept_from_model = not await _permitted()
    return not ledger.kept_from_model


async def _permitted() -> bool:
    services = await current_services()
    caller = caller_now(services)
    if caller is None:
        return True
    return "model" in await allowed_processors(services.store, caller, thread_id=caller.thread_id or None)
