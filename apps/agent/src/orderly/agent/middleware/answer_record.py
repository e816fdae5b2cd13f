"""Writes question, answer, citations and model to the audit record when an answer ends, and checks access once more."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from langchain.agents.middleware import AgentMiddleware
from langchain_core.messages import AIMessage, HumanMessage
from langgraph.runtime import Runtime

from orderly.agent.caller import current_caller
from orderly.agent.chat_models.planner import NAME
from orderly.agent.middleware.access_checks import check_thread_access
from orderly.agent.middleware.gated_chat_model import SOURCE_IDS
from orderly.agent.middleware.injection_notices import Record
from orderly.agent.middleware.quoted_passages import QuoteState
from orderly.agent.middleware.run_ledger import drop_ledger, ledger_of
from orderly.errors import Denied
from orderly.wiring.services import current_services


def cited_in(record: Mapping[str, Any], citations: Sequence[Record]) -> list[Record]:
    """The citations that an answer rests on, by the record on its message (`additional_kwargs`)."""
    ids = record.get(SOURCE_IDS) or ()
    return [citation for citation in citations if citation.get("citation_id") in ids]


class AnswerRecord(AgentMiddleware[QuoteState, Any]):
    """Records the final answer of the orchestrator. A run whose answer cannot be recorded fails.

    Args:
        model: Name of the chat model.
    """

    state_schema = QuoteState

    def __init__(self, model: str) -> None:
        super().__init__()
        self._model = model

    async def aafter_model(self, state: QuoteState, runtime: Runtime[Any]) -> None:
        last = state["messages"][-1]
        if isinstance(last, AIMessage) and last.tool_calls:
            return
        # The answer has already been streamed, so it is recorded even if a screen was added during the run.
        if not await self._record(state):
            await check_thread_access()
        drop_ledger(state)

    async def _record(self, state: QuoteState) -> bool:
        """Returns False if no answer was recorded or if the thread is closed to the caller."""
        messages = state["messages"]
        if not messages or not isinstance(messages[-1], AIMessage):
            return False
        services = await current_services()
        try:
            caller = current_caller(services)
        except Denied:
            return False  # no sign-in, so nothing was read; or the sign-in has expired
        answer = messages[-1].text
        question = next((m.text for m in reversed(messages) if isinstance(m, HumanMessage)), "")
        cited = cited_in(messages[-1].additional_kwargs, state.get("citations") or ())
        model = NAME if ledger_of(state).model_forbidden else self._model
        return await services.library.record_answer(caller, question, model, answer, cited)
