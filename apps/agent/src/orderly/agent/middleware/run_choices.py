"""What a run chooses and a model does not: how many search results, which matters, which tools the orchestrator has."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from langchain.agents.middleware import AgentMiddleware, ModelRequest, ModelResponse
from langchain_core.messages import ToolMessage
from langchain_core.tools import BaseTool
from langgraph.prebuilt.tool_node import ToolCallRequest
from langgraph.types import Command

from orderly.agent.middleware.briefing import RunContext, context_of
from orderly.agent.tools.context import chosen_matters, chosen_results

ToolResult = ToolMessage | Command[Any]


class SearchChoices(AgentMiddleware[Any, RunContext]):
    """Hands the tools what models do not choose: how many results a search gives, and which matters the run is kept to."""

    async def awrap_tool_call(
        self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Awaitable[ToolResult]]
    ) -> ToolResult:
        context = context_of(request.runtime)
        results, matters = chosen_results.set(context.max_results), chosen_matters.set(context.kept_to)
        try:
            return await handler(request)
        finally:
            chosen_results.reset(results)
            chosen_matters.reset(matters)


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
