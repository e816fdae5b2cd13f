"""The end of an answer: no wall came up meanwhile, and what was asked, answered and quoted, by which model, goes on record."""

from __future__ import annotations

from typing import Any

from langchain.agents.middleware import AgentMiddleware
from langchain_core.messages import AIMessage, HumanMessage
from langgraph.config import get_config
from langgraph.runtime import Runtime

from orderly.agent.chat_models.planner import NAME
from orderly.agent.middleware.access_checks import check_walls
from orderly.agent.middleware.quoted_passages import QuotingState
from orderly.agent.middleware.run_ledger import forget, ledger_of
from orderly.errors import Denied
from orderly.sign_in.identity import caller_of
from orderly.wiring.services import current_services


class RecordAnswer(AgentMiddleware[QuotingState, Any]):
    """The orchestrator's. A run whose answer cannot be recorded fails, as a read that cannot be recorded reads nothing.

    Args:
        model: its name, for the record.
        before_calls: what stands between the model and the tools that it calls. Here, because a step of its own costs as much
            as a short call of a model's, and after a call of the model there are either tools to call or there is the answer.
    """

    state_schema = QuotingState

    def __init__(self, model: str, before_calls: AgentMiddleware[Any, Any]) -> None:
        super().__init__()
        self._model, self._before_calls = model, before_calls

    async def aafter_model(self, state: QuotingState, runtime: Runtime[Any]) -> dict[str, Any] | None:
        last = state["messages"][-1]
        if isinstance(last, AIMessage) and last.tool_calls:
            return await self._before_calls.aafter_model(state, runtime)
        # On record in any case: its words are out already.
        if not await self._recorded_as_open(state):
            await check_walls()
        forget(state)
        return None

    async def _recorded_as_open(self, state: QuotingState) -> bool:
        """False where nothing was recorded, or the conversation is closed."""
        messages = state["messages"]
        if not messages or not isinstance(messages[-1], AIMessage):
            return False
        services = await current_services()
        try:
            caller = caller_of(get_config().get("configurable") or {}, services.secret, local_user=services.local_user)
        except Denied:
            return False  # nobody was signed in, so nothing was read, or not any more
        answer = messages[-1].text
        question = next((m.text for m in reversed(messages) if isinstance(m, HumanMessage)), "")
        cited = [c for c in state.get("citations") or () if f"[{c.get('number')}]" in answer]
        model = NAME if ledger_of(state).kept_from_model else self._model
        return await services.library.record_answer(caller, question, model, answer, cited)
