"""Summarises a long conversation. The summary passes the citation gate and replaces the earlier messages."""

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

from orderly.agent.middleware.citation_gate import create_gate
from orderly.agent.middleware.fences import fence_text
from orderly.agent.middleware.gated_chat_model import GatedChatModel
from orderly.agent.middleware.local_answers import is_model_permitted
from orderly.agent.middleware.run_ledger import ledger_of
from orderly.agent.prompts import fill, prompt
from orderly.services.citations import AnswerGate

_gate: ContextVar[tuple[AnswerGate, str]] = ContextVar("gate of a summary")


class Summaries(SummarizationMiddleware):
    """LangChain's summaries as a wrapper of the model call instead of a step of the graph.

    Args:
        model: Writes the summaries.
        trigger_tokens: Tokens of the conversation from which it is summarised.
        keep_messages: Latest messages that stay as they are.
        user_speaks: Whether the messages to the agent come from the user.
    """

    before_model = AgentMiddleware.before_model
    abefore_model = AgentMiddleware.abefore_model

    def __init__(self, model: BaseChatModel, trigger_tokens: int, keep_messages: int = 20, *, user_speaks: bool) -> None:
        async def summarise(messages: Sequence[BaseMessage]) -> str:
            gate, fence = _gate.get()
            request = fill(prompt("summary"), conversation=fence_text(get_buffer_string(messages), fence), fence=fence)
            # TAG_NOSTREAM keeps the summary out of the streamed answer.
            return (
                await GatedChatModel(inner=model, gate=gate).ainvoke([HumanMessage(request)], {"tags": [TAG_NOSTREAM]})
            ).text

        self._keep_messages, self._user_speaks = keep_messages, user_speaks
        super().__init__(model, trigger=("tokens", trigger_tokens), keep=("messages", keep_messages), summarizer=summarise)

    async def awrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]]
    ) -> ModelResponse[Any] | ExtendedModelResponse[Any]:
        update = await self._summarise(request)
        if update is None:
            return await handler(request)
        response = await handler(request.override(messages=update[1:]))
        return ExtendedModelResponse(response, Command(update={"messages": [*update, *response.result]}))

    async def _summarise(self, request: ModelRequest[Any]) -> list[Any] | None:
        """The messages that replace the conversation, after a removal of all messages; None: the conversation stays."""
        if len(request.messages) <= self._keep_messages:
            return None
        if not await is_model_permitted(request.state):
            return None  # the offline planner answers and reads only the last question
        gate = await create_gate(request.state, numbered=False, user_speaks=self._user_speaks)
        token = _gate.set((gate, ledger_of(request.state).fence))
        try:
            update = await SummarizationMiddleware.abefore_model(self, request.state, request.runtime)
        finally:
            _gate.reset(token)
        return None if update is None else list(update["messages"])
