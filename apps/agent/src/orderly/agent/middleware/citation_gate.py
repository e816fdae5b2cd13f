"""Puts the citation gate between the model and the stream."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

from langchain.agents.middleware import AgentMiddleware, ModelRequest, ModelResponse
from langchain.agents.middleware.types import ExtendedModelResponse
from langchain_core.messages import BaseMessage, HumanMessage, ToolMessage
from langgraph.prebuilt.tool_node import ToolCallRequest
from langgraph.types import Command

from orderly.agent.caller import current_caller
from orderly.agent.chat_models.planner import OfflinePlanner
from orderly.agent.middleware.access_checks import StreamAccess, check_thread_access
from orderly.agent.middleware.briefing import today_in
from orderly.agent.middleware.found_so_far import found_so_far
from orderly.agent.middleware.gated_chat_model import NOTES, GatedChatModel, ToolSchemas
from orderly.agent.middleware.handles import with_handles
from orderly.agent.middleware.quoted_passages import QuoteState
from orderly.agent.middleware.run_ledger import ledger_of
from orderly.errors import Denied
from orderly.services.citations import AnswerGate, EngineReader, ModelReader, SecondReading, Sources, Verifier
from orderly.services.documents import estimate_tokens
from orderly.wiring.services import current_services


class CitationGate(AgentMiddleware[QuoteState, Any]):
    """Replaces the model of a call by a `GatedChatModel`. Must be the innermost middleware, so that others see the bare model.

    Args:
        numbered: Whether sources are numbered: True for answers to the user, False for reports to another agent.
        corrects: Whether a language model writes. It is asked once to correct refused quotations; its statements are checked.
    """

    state_schema = QuoteState

    def __init__(self, *, numbered: bool, corrects: bool) -> None:
        super().__init__()
        self._numbered, self._corrects = numbered, corrects
        self._schemas = ToolSchemas()
        self._gated: GatedChatModel | None = None

    async def awrap_model_call(
        self,
        request: ModelRequest[Any],
        handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]],
    ) -> ModelResponse[Any] | ExtendedModelResponse[Any]:
        gate = await create_gate(request.state, numbered=self._numbered, user_speaks=self._numbered)
        if not self._corrects or isinstance(request.model, OfflinePlanner):
            gate.take_as_checked()
        elif self._numbered:
            now = estimate_tokens(sum(len(str(message.content)) for message in request.messages))
            gate.second = await _second_reading(ledger_of(request.state).tokens + now)
        response = await handler(request.override(model=self._wrap(request, gate)))
        if not self._numbered or not gate.cited:
            return response
        return ExtendedModelResponse(response, Command(update={"citations": gate.cited}))

    async def awrap_tool_call(
        self,
        request: ToolCallRequest,
        handler: Callable[[ToolCallRequest], Awaitable[ToolMessage | Command[Any]]],
    ) -> ToolMessage | Command[Any]:
        """Gives a tool its arguments as the model wrote them. `GatedChatModel` restores a delegated task."""
        shown = ledger_of(request.state).shown_arguments
        call = request.tool_call
        if not shown or call["name"] == "task" or call["name"] in NOTES:
            return await handler(request)
        written = {text: original for original, text in shown.items()}
        return await handler(request.override(tool_call={**call, "args": _restored(call["args"], written)}))

    def _wrap(self, request: ModelRequest[Any], gate: AnswerGate) -> GatedChatModel:
        """Copies one instance per call, because a copy skips the validation of LangChain's constructor."""
        if self._gated is None:
            empty = AnswerGate(Sources(None, []), [], self._numbered)
            self._gated = GatedChatModel(inner=request.model, gate=empty, corrects=self._corrects, schemas=self._schemas)
        state: Any = request.state
        ledger = ledger_of(state)
        # A task that was shown with replaced quotations reaches its agent as it was written. The gated model puts it back,
        # because events of a run show the messages that a model is called with.
        shown = {} if self._numbered else ledger.shown_arguments
        delegated = {with_handles(text, ledger.handles): with_handles(task, ledger.handles) for task, text in shown.items()}
        changed = {
            "inner": request.model,
            "gate": gate,
            "access": StreamAccess(check_thread_access),
            "shown_arguments": ledger.shown_arguments,
            "delegated": delegated,
            "found": found_so_far(state["messages"], state.get("quoted") or (), state.get("quoted_before") or 0),
        }
        return self._gated.model_copy(update=changed)


async def _second_reading(run_tokens: int) -> SecondReading | None:
    """By the model for it, else by the legal engine with the rights of the run's caller."""
    services = await current_services()
    if services.second_model is not None:
        return SecondReading(ModelReader(services.second_model), run_tokens)
    if services.settings.reads_again and not services.engine.offline:
        try:
            return SecondReading(EngineReader(partial(services.library.support, current_caller(services))), run_tokens)
        except Denied:
            return None
    return None


def _restored(value: Any, written: dict[str, str]) -> Any:
    if isinstance(value, str):
        return written.get(value, value)
    if isinstance(value, list):
        return [_restored(item, written) for item in value]
    if isinstance(value, dict):
        return {key: _restored(item, written) for key, item in value.items()}
    return value


async def create_gate(state: Any, *, numbered: bool, user_speaks: bool) -> AnswerGate:
    """Creates the gate for one message of an agent. Documents are read as the run's caller.

    Args:
        state: State of the agent.
        numbered: Whether sources are numbered.
        user_speaks: Whether the messages to the agent come from the user. A subagent's come from another agent.
    """
    services = await current_services()
    try:
        caller = current_caller(services)
    except Denied:
        sources = Sources(None, [])  # no sign-in: no document can be read or quoted
    else:
        read = [*(state.get("quoted") or ()), *(ledger_of(state).context_passages or ())]
        sources = Sources(Verifier(services.store, caller), read, ledger_of(state).handles)
    injections = [notice for notice in state.get("notices") or () if notice["run"] == ledger_of(state).run]
    questions = [m.text for m in state["messages"] if user_speaks and is_of_user(m)]
    known, askings = state.get("citations") or [], ledger_of(state).askings
    results = [today_in(services.settings.timezone), *(m.text for m in state["messages"] if isinstance(m, ToolMessage))]
    return AnswerGate(sources, questions, numbered, known=known, injections=injections, askings=askings, shown_results=results)


def is_of_user(message: BaseMessage) -> bool:
    """Whether the user wrote the message. LangChain writes a summary as a human message, marked by its source."""
    return isinstance(message, HumanMessage) and message.additional_kwargs.get("lc_source") is None
