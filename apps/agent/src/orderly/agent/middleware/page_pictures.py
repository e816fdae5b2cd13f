"""Page pictures for models with vision. The state does not contain pictures."""

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

MAX_PICTURES = 4
"""Pictures in one model request, the latest ones. A picture costs about a thousand tokens."""


class PagePictures(AgentMiddleware[Any, Any]):
    """Removes pictures from tool messages, because each checkpoint would store them again, and adds them to model requests.

    The pictures of a request are loaded as the caller. They are in a user message after the tool messages, because
    OpenAI-compatible endpoints accept no pictures in tool messages.

    Args:
        model_sees: Whether the chat model accepts pictures.
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
        if self._model_sees and (calls := _latest_views(request.messages)):
            request = request.override(messages=await _add_pictures(request.messages, calls))
        return await handler(request)


def _latest_views(messages: Sequence[AnyMessage]) -> dict[str, dict[str, Any]]:
    """Arguments of the latest successful calls of view_page, by call id."""
    arguments = {call["id"]: call["args"] for m in messages if isinstance(m, AIMessage) for call in m.tool_calls}
    results = [m for m in messages if isinstance(m, ToolMessage) and m.name == "view_page" and m.status == "success"]
    return {m.tool_call_id: arguments[m.tool_call_id] for m in results[-MAX_PICTURES:] if m.tool_call_id in arguments}


async def _add_pictures(messages: Sequence[AnyMessage], calls: dict[str, dict[str, Any]]) -> list[AnyMessage]:
    extended: list[AnyMessage] = []
    pictures: list[str | dict[Any, Any]] = []
    for message in messages:
        if pictures and not isinstance(message, ToolMessage):
            extended.append(HumanMessage(pictures))
            pictures = []
        extended.append(message)
        if isinstance(message, ToolMessage) and message.tool_call_id in calls:
            pictures += await _load_picture(message, calls[message.tool_call_id])
    return [*extended, HumanMessage(pictures)] if pictures else extended


async def _load_picture(message: ToolMessage, arguments: dict[str, Any]) -> list[dict[str, Any]]:
    """Content blocks of the picture; a sentence in its place if the page cannot be shown again."""
    named = message.text.splitlines()[0]
    services, caller = await services_and_caller(get_config())
    try:
        image = await services.pages.view(
            caller, arguments["document_id"], arguments.get("page_number"), arguments.get("highlight")
        )
    except OrderlyError as error:
        return [{"type": "text", "text": f"This picture of view_page cannot be shown again: {named}\n{error.message}"}]
    title = f"The picture that view_page gave: {named}"
    encoded = base64.b64encode(image.png).decode("ascii")
    return [{"type": "text", "text": title}, {"type": "image", "base64": encoded, "mime_type": "image/png"}]
