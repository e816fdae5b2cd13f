"""The end of an answer: no wall came up meanwhile, and what was asked, answered and quoted, by which model, goes on record."""

from __future__ import annotations

from typing import Any

from langchain.agents.middleware import AgentMiddleware
from langchain_core.messages import AIMessage, HumanMessage
from langgraph.config import get_config
from langgraph.runtime import Runtime

from orderly.errors import Denied
from orderly.identity import caller_of
from orderly.middleware.quoting import QuotingState
from orderly.middleware.run_ledger import forget, ledger_of
from orderly.middleware.walls import check_walls
from orderly.models_chat.planner import NAME
from orderly.wiring import current_services


class RecordAnswer(AgentMiddleware[QuotingState, Any]):
    """The orchestrator's. A run whose answer cannot be recorded fails, as a read that cannot be recorded reads nothing."""

    state_schema = QuotingState

    def __init__(self, model: str) -> None:
        """`model`: its name, for the record."""
        super().__init__()
        self._model = model

    async def aafter_agent(self, state: QuotingState, runtime: Runtime[Any]) -> None:
        # On record in any case: its words are out already.
        if not await self._recorded_as_open(state):
            await check_walls()
        forget(state)

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
