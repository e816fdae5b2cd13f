"""The end of an answer: no wall came up meanwhile, and what was asked, answered and quoted, by which model, goes on record."""

from __future__ import annotations

from typing import Any

from langchain.agents.middleware import AgentMiddleware
from langchain_core.messages import AIMessage, HumanMessage
from langgraph.runtime import Runtime

from orderly.agent.caller import current_caller
from orderly.agent.chat_models.planner import NAME
from orderly.agent.middleware.access_checks import check_walls
from orderly.agent.middleware.quoted_passages import QuotingState
from orderly.agent.middleware.run_ledger import forget, ledger_of
from orderly.errors import Denied
from orderly.wiring.services import current_services


class RecordAnswer(AgentMiddleware[QuotingState, Any]):
    """Records the answer when the orchestrator has given it. A run whose answer cannot be recorded fails.

    Args:
        model: The chat model's name, for the record.
    """

    state_schema = QuotingState

    def __init__(self, model: str) -> None:
        super().__init__()
        self._model = model

    async def aafter_model(self, state: QuotingState, runtime: Runtime[Any]) -> None:
        last = state["messages"][-1]
        if isinstance(last, AIMessage) and last.tool_calls:
            return
        # The answer is streamed already, so it is recorded even when a wall has come up meanwhile.
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
            caller = current_caller(services)
        except Denied:
            return False  # nobody was signed in, so nothing was read, or not any more
        answer = messages[-1].text
        question = next((m.text for m in reversed(messages) if isinstance(m, HumanMessage)), "")
        cited = [c for c in state.get("citations") or () if f"[{c.get('number')}]" in answer]
        model = NAME if ledger_of(state).kept_from_model else self._model
        return await services.library.record_answer(caller, question, model, answer, cited)
