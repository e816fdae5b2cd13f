"""The plan that a model writes for a long question. It is written at most once in a turn."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from langchain.agents.middleware import AgentMiddleware, TodoListMiddleware
from langchain_core.messages import ToolMessage
from langgraph.prebuilt.tool_node import ToolCallRequest
from langgraph.types import Command

WRITE = "write_todos"
ONCE = "Error: Call `write_todos` once at a time: it writes the whole list anew."


class Todos(TodoListMiddleware):
    """LangChain's refuses lists written side by side in a step of its own after every model call; here such calls fail."""

    after_model = AgentMiddleware.after_model
    aafter_model = AgentMiddleware.aafter_model

    async def awrap_tool_call(
        self,
        request: ToolCallRequest,
        handler: Callable[[ToolCallRequest], Awaitable[ToolMessage | Command[Any]]],
    ) -> ToolMessage | Command[Any]:
        call = request.tool_call
        if call["name"] == WRITE and sum(c["name"] == WRITE for c in request.state["messages"][-1].tool_calls) > 1:
            return ToolMessage(ONCE, tool_call_id=call["id"], name=WRITE, status="error")
        return await handler(request)
