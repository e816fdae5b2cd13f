"""Summarises a long conversation. The summary is shown like any message, so it passes the citation gate like any message."""

from __future__ import annotations

from collections.abc import Sequence
from contextvars import ContextVar
from typing import Any

from langchain.agents.middleware import AgentState, SummarizationMiddleware
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import BaseMessage, HumanMessage, get_buffer_string
from langgraph.runtime import Runtime

from orderly.middleware.fencing import fenced
from orderly.middleware.gated_model import GatedModel
from orderly.middleware.gating import answer_gate
from orderly.middleware.local_answers import model_permitted
from orderly.middleware.run_ledger import ledger_of
from orderly.prompts import fill, prompt
from orderly.services.answer_gate import AnswerGate

_gate: ContextVar[tuple[AnswerGate, str]] = ContextVar("gate of a summary")


class GatedSummaries(SummarizationMiddleware):
    """Args: trigger_tokens: length of the conversation, in tokens, at which all but its last messages are summarised."""

    def __init__(self, model: BaseChatModel, trigger_tokens: int, keep_messages: int = 20) -> None:
        async def summarise(messages: Sequence[BaseMessage]) -> str:
            gate, fence = _gate.get()
            asked = fill(prompt("summary"), conversation=fenced(get_buffer_string(messages), fence), fence=fence)
            return (await GatedModel(inner=model, gate=gate).ainvoke([HumanMessage(asked)])).text

        self._few = keep_messages
        super().__init__(model, trigger=("tokens", trigger_tokens), keep=("messages", keep_messages), summarizer=summarise)

    @property
    def name(self) -> str:
        return "SummarizationMiddleware"

    async def abefore_model(self, state: AgentState[Any], runtime: Runtime[Any]) -> dict[str, Any] | None:
        if len(state["messages"]) > self._few and not await model_permitted(state):
            return None  # the planner that answers instead never looks back past the last question
        token = _gate.set((await answer_gate(state, numbered=False), ledger_of(state).fence))
        try:
            return await super().abefore_model(state, runtime)
        finally:
            _gate.reset(token)
