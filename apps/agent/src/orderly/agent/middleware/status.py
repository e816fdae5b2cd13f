"""Says what a run is doing, at least every two seconds, in the stream of custom events."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

from langchain.agents.middleware import AgentMiddleware, ModelRequest, ModelResponse
from langchain_core.messages import ToolMessage
from langgraph.config import get_stream_writer
from langgraph.prebuilt.tool_node import ToolCallRequest
from langgraph.types import Command

STATUS = "orderly.status"
"""Type of the events {type, text, seconds}."""

INTERVAL = 1.5
"""Seconds between events."""

MODEL = "The language model is working on the answer."
TOOLS = {
    "isaacus_search": "Searching the documents.",
    "search_keyword": "Searching the documents for exact words.",
    "file_search": "Searching the files of this conversation.",
    "visual_search": "Looking through the pages.",
    "ask_documents": "Putting the question to each document.",
    "isaacus_extract": "Looking for the exact answer.",
    "isaacus_classify": "Looking for clauses.",
    "read": "Reading.",
    "get_document_text": "Reading.",
    "task": "The document agent is working.",
}
OTHER_TOOL = "Looking at the documents."


class Status(AgentMiddleware[Any, Any]):
    """Emits an event while a call of the model or of a tool lasts. Must be outside all middleware that may take long."""

    async def awrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]]
    ) -> ModelResponse[Any]:
        async with _reported(MODEL):
            return await handler(request)

    async def awrap_tool_call(
        self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Awaitable[ToolMessage | Command[Any]]]
    ) -> ToolMessage | Command[Any]:
        async with _reported(TOOLS.get(request.tool_call["name"], OTHER_TOOL)):
            return await handler(request)


@asynccontextmanager
async def _reported(activity: str) -> AsyncIterator[None]:
    reporting = asyncio.create_task(_report(get_stream_writer(), activity))
    try:
        yield
    finally:
        reporting.cancel()


async def _report(write: Callable[[Any], None], activity: str) -> None:
    began = time.monotonic()
    while True:
        await asyncio.sleep(INTERVAL)
        write({"type": STATUS, "text": activity, "seconds": round(time.monotonic() - began)})
