"""Summarises a long conversation. The summary passes the citation gate like any message, and replaces what it sums up."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from contextvars import ContextVar
from typing import Any

from langchain.agents.middleware import AgentMiddleware, ModelRequest, ModelResponse, SummarizationMiddleware
from langchain.agents.middleware.types import ExtendedModelResponse
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import BaseMessage, HumanMessage, get_buffer_string
from langgraph.constants import TAG_NOSTREAM
from langgraph.types import Command

from orderly.agent.middleware.citation_gate import answer_gate
from orderly.agent.middleware.fences import fenced
from orderly.agent.middleware.gated_chat_model import GatedModel
from orderly.agent.middleware.local_answers import model_permitted
from orderly.agent.middleware.run_ledger import ledger_of
from orderly.agent.prompts import fill, prompt
from orderly.services.citations import AnswerGate

_gate: ContextVar[tuple[AnswerGate, str]] = ContextVar("gate of a summary")


class GatedSummaries(SummarizationMiddleware):
    """LangChain's, which looks at the length in a step of its own before every model call; here it stands around the call.

    Args:
        trigger_tokens: length of the conversation, in tokens, at which all but its last messages are summarised.
    """

    before_model = AgentMiddleware.before_model
    abefore_model = AgentMiddleware.abefore_model

    def __init__(self, model: BaseChatModel, trigger_tokens: int, keep_messages: int = 20) -> None:
        async def summarise(messages: Sequence[BaseMessage]) -> str:
            gate, fence = _gate.get()
            asked = fill(prompt("summary"), conversation=fenced(get_buffer_string(messages), fence), fence=fence)
            # Nobody who watches the answer come takes the summary for a part of it.
            return (await GatedModel(inner=model, gate=gate).ainvoke([HumanMessage(asked)], {"tags": [TAG_NOSTREAM]})).text

        self._few = keep_messages
        super().__init__(model, trigger=("tokens", trigger_tokens), keep=("messages", keep_messages), summarizer=summarise)

    async def awrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]]
    ) -> ModelResponse[Any] | ExtendedModelResponse[Any]:
        update = await self._shortened(request)
        if update is None:
            return await handler(request)
        response = await handler(request.override(messages=update[1:]))
        return ExtendedModelResponse(response, Command(update={"messages": [*update, *response.result]}))

    async def _shortened(self, request: ModelRequest[Any]) -> list[Any] | None:
        """The removal of all messages and those that take their place."""
        if len(request.messages) <= self._few:
            return None
        if not await model_permitted(request.state):
            return None  # the planner that answers instead never looks back past the last question
        token = _gate.set((await answer_gate(request.state, numbered=False), ledger_of(request.state).fence))
        try:
            update = await SummarizationMiddleware.abefore_model(self, request.state, request.runtime)
        finally:
            _gate.reset(token)
        return None if update is None else list(update["messages"])
