"""The search settings that a run chooses and a model does not: the number of results, the matters and the documents."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from langchain.agents.middleware import AgentMiddleware
from langchain_core.messages import ToolMessage
from langgraph.prebuilt.tool_node import ToolCallRequest
from langgraph.types import Command

from orderly.agent.middleware.briefing import RunContext, context_of
from orderly.agent.tools.context import chosen_documents, chosen_matters, chosen_results

ToolResult = ToolMessage | Command[Any]


class SearchChoices(AgentMiddleware[Any, RunContext]):
    """Sets the context variables of the choices for the tool call."""

    async def awrap_tool_call(
        self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Awaitable[ToolResult]]
    ) -> ToolResult:
        context = context_of(request.runtime)
        results, matters = chosen_results.set(context.max_results), chosen_matters.set(context.kept_to)
        documents = chosen_documents.set(context.documents)
        try:
            return await handler(request)
        finally:
            chosen_results.reset(results)
            chosen_matters.reset(matters)
            chosen_documents.reset(documents)
