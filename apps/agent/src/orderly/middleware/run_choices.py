"""Choices of the run that a model does not make: how many search results, and which tools the orchestrator has."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from langchain.agents.middleware import AgentMiddleware, ModelRequest, ModelResponse
from langchain_core.messages import ToolMessage
from langchain_core.tools import BaseTool
from langgraph.prebuilt.tool_node import ToolCallRequest
from langgraph.types import Command

from orderly.middleware.briefing import RunContext, context_of

ToolResult = ToolMessage | Command[Any]


class SearchSize(AgentMiddleware[Any, RunContext]):
    """Sets `max_results`, which models do not see and which a tool node leaves at its default."""

    async def awrap_tool_call(
        self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Awaitable[ToolResult]]
    ) -> ToolResult:
        wanted = context_of(request.runtime).max_results
        call = request.tool_call
        if wanted is None or call["name"] != "isaacus_search":
            return await handler(request)
        arguments = {**call["args"], "max_results": min(max(int(wanted), 1), 50)}
        return await handler(request.override(tool_call={**call, "args": arguments}))


class OrchestratorTools(AgentMiddleware[Any, RunContext]):
    """Hides the document tools from the orchestrator unless the run asked for them."""

    def __init__(self, usual: tuple[BaseTool, ...], extra: tuple[BaseTool, ...]) -> None:
        super().__init__()
        usual_names = {tool.name for tool in usual}
        self._hidden = {tool.name for tool in extra} - usual_names
        self.tools = [*usual, *(tool for tool in extra if tool.name in self._hidden)]

    async def awrap_model_call(
        self,
        request: ModelRequest[RunContext],
        handler: Callable[[ModelRequest[RunContext]], Awaitable[ModelResponse[Any]]],
    ) -> ModelResponse[Any]:
        if context_of(request.runtime).document_tools:
            return await handler(request)
        shown = [tool for tool in request.tools if not (isinstance(tool, BaseTool) and tool.name in self._hidden)]
        return await handler(request.override(tools=shown))
