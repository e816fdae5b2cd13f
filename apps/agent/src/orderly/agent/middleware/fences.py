"""Fences around tool results, so that a model can tell documents from instructions. The state has no fences."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from langchain.agents.middleware import AgentMiddleware, ModelRequest, ModelResponse
from langchain_core.messages import BaseMessage, ToolMessage

from orderly.agent.middleware.run_ledger import RunState, ledger_of
from orderly.agent.middleware.system_notes import with_note
from orderly.agent.middleware.tool_budget import PLANNING_TOOLS
from orderly.prompts import fill, prompt


def fence_text(text: str, fence: str) -> str:
    """Encloses `text` in marks with the code `fence`, which is random per conversation."""
    return f"[data {fence}]\n{text}\n[end of data {fence}]"


class Fences(AgentMiddleware[RunState, Any]):
    """Fences the results of all tools except planning tools, whose results are the model's own words."""

    state_schema = RunState

    async def awrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]]
    ) -> ModelResponse[Any]:
        fence = ledger_of(request.state).fence
        messages: list[Any] = [_fence_message(message, fence) for message in request.messages]
        return await handler(with_note(request, fill(prompt("fence"), fence=fence)).override(messages=messages))


def _fence_message(message: BaseMessage, fence: str) -> BaseMessage:
    if not isinstance(message, ToolMessage) or message.name in PLANNING_TOOLS:
        return message
    if isinstance(message.content, str):
        return message.model_copy(update={"content": fence_text(message.content, fence)})
    begin, end = ({"type": "text", "text": mark} for mark in (f"[data {fence}]", f"[end of data {fence}]"))
    return message.model_copy(update={"content": [begin, *message.content, end]})
