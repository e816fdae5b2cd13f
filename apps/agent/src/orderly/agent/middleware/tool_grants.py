"""Restricts a run to its granted tools. Other tools are not offered, and calls of them fail as calls of unknown tools."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from langchain.agents.middleware import AgentMiddleware, ModelRequest, ModelResponse
from langchain_core.messages import ToolMessage
from langchain_core.tools import BaseTool
from langgraph.prebuilt.tool_node import ToolCallRequest
from langgraph.types import Command

from orderly.agent.caller import current_caller
from orderly.agent.middleware.bound_matter import load_run_start
from orderly.agent.middleware.run_context import RunContext, context_of
from orderly.agent.middleware.run_ledger import Ledger, RunState, ledger_of
from orderly.agent.middleware.system_notes import with_note
from orderly.agent.tools import ALL_TOOLS, CHAT_TOOLS
from orderly.errors import Denied
from orderly.wiring.services import current_services

NO_TOOL = "Error: There is no tool {name!r} in this run."
WITHHELD = "You do not have these tools in this run, whatever is said of them above: {names}."

ToolResult = ToolMessage | Command[Any]

_CHAT = frozenset(tool.name for tool in CHAT_TOOLS)
_GRANTABLE = frozenset(tool.name for tool in ALL_TOOLS)
_WHOLE_MATTER = _CHAT | {"find", "list_contents", "get_info", "read", "read_around", "view_page", "visual_search"}
"""Tools that cannot be kept to documents."""


class ToolGrants(AgentMiddleware[RunState, RunContext]):
    """Hides tools that the firm withholds or the assistant omits, and `file_search` in a thread without files."""

    state_schema = RunState

    async def awrap_model_call(
        self,
        request: ModelRequest[RunContext],
        handler: Callable[[ModelRequest[RunContext]], Awaitable[ModelResponse[Any]]],
    ) -> ModelResponse[Any]:
        hidden = await _hidden_tools(request)
        names = {tool.name for tool in request.tools if isinstance(tool, BaseTool)} & hidden
        if not names:
            return await handler(request)
        granted = [tool for tool in request.tools if not (isinstance(tool, BaseTool) and tool.name in names)]
        if mentioned := sorted(names - _CHAT):
            request = with_note(request, WITHHELD.format(names=", ".join(mentioned)))
        return await handler(request.override(tools=granted))

    async def awrap_tool_call(
        self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Awaitable[ToolResult]]
    ) -> ToolResult:
        name = request.tool_call["name"]
        if name not in await _hidden_tools(request):
            return await handler(request)
        return ToolMessage(NO_TOOL.format(name=name), tool_call_id=request.tool_call["id"], name=name, status="error")


async def _hidden_tools(request: Any) -> frozenset[str]:
    """Names of hidden tools, loaded once per run: a change of the grants takes effect in the next run."""
    ledger = ledger_of(request.state)
    if ledger.hidden_tools is None:
        context = context_of(request.runtime)
        omitted = frozenset() if context.tools is None else _GRANTABLE - frozenset(context.tools)
        if context.documents is not None:
            omitted |= _WHOLE_MATTER
        ledger.hidden_tools = omitted | await _withheld_tools(ledger)
    return ledger.hidden_tools


async def _withheld_tools(ledger: Ledger) -> frozenset[str]:
    services = await current_services()
    try:
        caller = current_caller(services)
    except Denied:
        return _CHAT  # no sign-in: the tools fail themselves
    start = await load_run_start(services.library, caller, ledger)
    missing: frozenset[str] = frozenset() if start.workspace and start.workspace["document_count"] else _CHAT
    return start.withheld | missing
