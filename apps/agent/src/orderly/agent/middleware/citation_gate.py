"""Puts the citation gate between a model and everybody who watches it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from langchain.agents.middleware import AgentMiddleware, ModelRequest, ModelResponse
from langchain.agents.middleware.types import ExtendedModelResponse
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import HumanMessage
from langgraph.types import Command

from orderly.agent.caller import current_caller
from orderly.agent.middleware.gated_chat_model import GatedModel, ToolSchemas
from orderly.agent.middleware.quoted_passages import QuotingState
from orderly.agent.middleware.run_ledger import ledger_of
from orderly.errors import Denied
from orderly.services.citations import AnswerGate, Sources
from orderly.wiring.services import current_services


class CitationGate(AgentMiddleware[QuotingState, Any]):
    """Stands innermost: what wraps it sees the model that it wraps.

    Args:
        numbered: for answers to the user, with numbered sources; without, for reports to another agent.
        mends: ask the model once to mend an answer whose quotations fail.
    """

    state_schema = QuotingState

    def __init__(self, *, numbered: bool, mends: bool) -> None:
        super().__init__()
        self._numbered, self._mends = numbered, mends
        self._schemas = ToolSchemas()
        self._gated: GatedModel | None = None

    async def awrap_model_call(
        self,
        request: ModelRequest[Any],
        handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]],
    ) -> ModelResponse[Any] | ExtendedModelResponse[Any]:
        gate = await answer_gate(request.state, numbered=self._numbered)
        response = await handler(request.override(model=self._around(request.model, gate)))
        if not self._numbered or not gate.cited:
            return response
        return ExtendedModelResponse(response, Command(update={"citations": gate.cited}))

    def _around(self, model: BaseChatModel, gate: AnswerGate) -> GatedModel:
        """A copy: to make one anew has LangChain check what it knows of models."""
        if self._gated is None:
            nothing = AnswerGate(Sources(None, []), [], self._numbered)
            self._gated = GatedModel(inner=model, gate=nothing, mends=self._mends, schemas=self._schemas)
        return self._gated.model_copy(update={"inner": model, "gate": gate})


async def answer_gate(state: Any, *, numbered: bool) -> AnswerGate:
    """The gate for one message of this run's agent, as the run's caller."""
    services = await current_services()
    try:
        caller = current_caller(services)
    except Denied:
        sources = Sources(None, [])  # nobody is signed in: nothing can be read, and nothing quoted
    else:
        read = [*(state.get("quoted") or ()), *(ledger_of(state).shown or ())]
        sources = Sources(services.library.verifier(caller), read)
    run = ledger_of(state).run
    notices = [notice for notice in state.get("notices") or () if notice["run"] == run]
    asked = [m.text for m in state["messages"] if isinstance(m, HumanMessage)]
    return AnswerGate(sources, asked, numbered, known=state.get("citations") or [], notices=notices)
