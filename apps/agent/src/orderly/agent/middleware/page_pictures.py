"""Pictures that tools show: for models that see, beside the conversation and never in it."""

from __future__ import annotations

import base64
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from langchain.agents.middleware import AgentMiddleware, ModelRequest, ModelResponse
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolMessage
from langgraph.config import get_config
from langgraph.prebuilt.tool_node import ToolCallRequest
from langgraph.types import Command

from orderly.agent.tools.context import services_and_caller
from orderly.errors import OrderlyError

ToolResult = ToolMessage | Command[Any]

MOST = 4
"""Pictures that go with one request, the latest ones: each is worth a thousand tokens."""


class ShowPictures(AgentMiddleware[Any, Any]):
    """Keeps pictures out of the state, where every step would store them again, and shows them to a model that sees.

    A request gets them anew from where pages are kept, as the caller. They stand in a message of the user's behind the tool's,
    because endpoints of OpenAI's kind take no pictures in a tool's message.
    """

    def __init__(self, *, model_sees: bool) -> None:
        super().__init__()
        self._model_sees = model_sees

    async def awrap_tool_call(
        self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Awaitable[ToolResult]]
    ) -> ToolResult:
        result = await handler(request)
        if isinstance(result, ToolMessage) and isinstance(result.content, list):
            return result.model_copy(update={"content": result.text})
        return result

    async def awrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]]
    ) -> ModelResponse[Any]:
        if self._model_sees and (calls := _views(request.messages)):
            request = request.override(messages=await _with_pictures(request.messages, calls))
        return await handler(request)


def _views(messages: Sequence[AnyMessage]) -> dict[str, dict[str, Any]]:
    """Arguments of the latest calls of view_page that gave a page, by call id."""
    asked = {call["id"]: call["args"] for m in messages if isinstance(m, AIMessage) for call in m.tool_calls}
    given = [m for m in messages if isinstance(m, ToolMessage) and m.name == "view_page" and m.status == "success"]
    return {m.tool_call_id: asked[m.tool_call_id] for m in given[-MOST:] if m.tool_call_id in asked}


async def _with_pictures(messages: Sequence[AnyMessage], calls: dict[str, dict[str, Any]]) -> list[AnyMessage]:
    shown: list[AnyMessage] = []
    waiting: list[str | dict[Any, Any]] = []
    for message in messages:
        if waiting and not isinstance(message, ToolMessage):
            shown.append(HumanMessage(waiting))
            waiting = []
        shown.append(message)
        if isinstance(message, ToolMessage) and message.tool_call_id in calls:
            waiting += await _picture(message, calls[message.tool_call_id])
    return [*shown, HumanMessage(waiting)] if waiting else shown


async def _picture(message: ToolMessage, arguments: dict[str, Any]) -> list[dict[str, Any]]:
    """None where the page cannot be had any more: the tool's text stands, and access may have been taken away."""
    services, caller = await services_and_caller(get_config())
    try:
        image = await services.pages.view(
            caller, arguments["document_id"], arguments.get("page_number"), arguments.get("highlight")
        )
    except OrderlyError:
        return []
    title = f"The picture that view_page gave: {message.text.splitlines()[0]}"
    encoded = base64.b64encode(image.png).decode("ascii")
    return [{"type": "text", "text": title}, {"type": "image", "base64": encoded, "mime_type": "image/png"}]
