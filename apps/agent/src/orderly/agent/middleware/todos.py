"""The to-do list that a model writes for a long question, at most once per message."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from langchain.agents.middleware import AgentMiddleware, TodoListMiddleware
from langchain_core.messages import ToolMessage
from langgraph.prebuilt.tool_node import ToolCallRequest
from langgraph.types import Command

from orderly.prompts import prompt

WRITE_TODOS = "write_todos"
ONCE = "Error: Call `write_todos` once at a time: it writes the whole list anew."


class Todos(TodoListMiddleware):
    """Fails parallel calls of `write_todos` as tool calls. LangChain checks them in a step after every model call."""

    def __init__(self) -> None:
        super().__init__(system_prompt="", tool_description=prompt("write_todos"))

    awrap_model_call = AgentMiddleware.awrap_model_call  # type: ignore[assignment]
    after_model = AgentMiddleware.after_model
    aafter_model = AgentMiddleware.aafter_model

    async def awrap_tool_call(
        self,
        request: ToolCallRequest,
        handler: Callable[[ToolCallRequest], Awaitable[ToolMessage | Command[Any]]],
    ) -> ToolMessage | Command[Any]:
        call = request.tool_call
        if call["name"] == WRITE_TODOS and sum(c["name"] == WRITE_TODOS for c in request.state["messages"][-1].tool_calls) > 1:
            return ToolMessage(ONCE, tool_call_id=call["id"], name=WRITE_TODOS, status="error")
        return await handler(request)
