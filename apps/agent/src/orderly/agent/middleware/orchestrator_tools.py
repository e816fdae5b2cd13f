"""Which tools the orchestrator has: the document tools only if the run asks for them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from langchain.agents.middleware import AgentMiddleware, ModelRequest, ModelResponse
from langchain_core.tools import BaseTool

from orderly.agent.middleware.briefing import RunContext, context_of


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
