"""Leaves long tool results of earlier questions out of the model's request. The state keeps them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from langchain.agents.middleware import AgentMiddleware, ModelRequest, ModelResponse
from langchain_core.messages import BaseMessage, ToolMessage

from orderly.agent.middleware.citation_gate import is_of_user

LEFT_OUT = "[Result of an earlier question, left out. Call the tool again if you need it.]"

MAX_KEPT = 400
"""Characters of a result that is kept."""


class EarlierResults(AgentMiddleware[Any, Any]):
    """Replaces long results from before the user's last message. Only for the orchestrator, which has several questions."""

    async def awrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]]
    ) -> ModelResponse[Any]:
        last = max((n for n, m in enumerate(request.messages) if is_of_user(m)), default=0)
        messages: list[Any] = [_shortened(m) if n < last else m for n, m in enumerate(request.messages)]
        return await handler(request.override(messages=messages))


def _shortened(message: BaseMessage) -> BaseMessage:
    if not isinstance(message, ToolMessage) or len(message.text) <= MAX_KEPT:
        return message
    return message.model_copy(update={"content": LEFT_OUT})
