"""Fences what tools return, so that a model can tell a document's words from its instructions. The state stays as it was."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from langchain.agents.middleware import AgentMiddleware, ModelRequest, ModelResponse
from langchain_core.messages import BaseMessage, ToolMessage

from orderly.agent.middleware.run_ledger import RunState, ledger_of
from orderly.agent.middleware.system_notes import with_note
from orderly.agent.middleware.tool_budget import FREE
from orderly.agent.prompts import fill, prompt


def fenced(text: str, fence: str) -> str:
    """`fence`: the run's own code, which no document knows."""
    return f"[data {fence}]\n{text}\n[end of data {fence}]"


class Fencing(AgentMiddleware[RunState, Any]):
    """Every tool's result but the plans, which are the model's own words."""

    state_schema = RunState

    async def awrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]]
    ) -> ModelResponse[Any]:
        fence = ledger_of(request.state).fence
        messages: list[Any] = [_fenced(message, fence) for message in request.messages]
        return await handler(with_note(request, fill(prompt("fence"), fence=fence)).override(messages=messages))


def _fenced(message: BaseMessage, fence: str) -> BaseMessage:
    if not isinstance(message, ToolMessage) or message.name in FREE:
        return message
    if isinstance(message.content, str):
        return message.model_copy(update={"content": fenced(message.content, fence)})
    begin, end = ({"type": "text", "text": mark} for mark in (f"[data {fence}]", f"[end of data {fence}]"))
    return message.model_copy(update={"content": [begin, *message.content, end]})
