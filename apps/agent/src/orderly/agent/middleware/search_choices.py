"""The search settings that a run chooses and a model does not: the number and length of results, matters and documents."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from langchain.agents.middleware import AgentMiddleware
from langchain_core.messages import ToolMessage
from langgraph.prebuilt.tool_node import ToolCallRequest
from langgraph.types import Command

from orderly.agent.caller import current_caller
from orderly.agent.middleware.run_context import RunContext, context_of
from orderly.agent.middleware.run_ledger import Ledger, ledger_of
from orderly.agent.middleware.run_scope import scope_of
from orderly.agent.tools.context import brief_results, chosen_documents, chosen_matters, chosen_results
from orderly.errors import OrderlyError
from orderly.wiring.services import current_services

ToolResult = ToolMessage | Command[Any]


async def _scope(context: RunContext, ledger: Ledger) -> RunContext:
    if not (context.matters or context.documents):
        return context
    services = await current_services()
    return await scope_of(context, services, current_caller(services), ledger)


class SearchChoices(AgentMiddleware[Any, RunContext]):
    """Sets the context variables of the choices for the tool call.

    Args:
        brief: Whether a language model reads the results: the last passages of a search are then cut.
    """

    def __init__(self, *, brief: bool) -> None:
        super().__init__()
        self._brief = brief

    async def awrap_tool_call(
        self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Awaitable[ToolResult]]
    ) -> ToolResult:
        context = context_of(request.runtime)
        try:
            context = await _scope(context, ledger_of(request.state))
        except OrderlyError as error:
            call = request.tool_call
            return ToolMessage(f"Error: {error.message}", tool_call_id=call["id"], name=call["name"], status="error")
        results, matters = chosen_results.set(context.max_results), chosen_matters.set(context.matters)
        documents = chosen_documents.set(context.documents)
        brief = brief_results.set(self._brief and not ledger_of(request.state).model_forbidden)
        try:
            return await handler(request)
        finally:
            chosen_results.reset(results)
            chosen_matters.reset(matters)
            chosen_documents.reset(documents)
            brief_results.reset(brief)
