"""Which tools a run has. One that it has not does not exist for it: it is not offered, and calling it is calling nothing."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from langchain.agents.middleware import AgentMiddleware, ModelRequest, ModelResponse
from langchain_core.messages import ToolMessage
from langchain_core.tools import BaseTool
from langgraph.prebuilt.tool_node import ToolCallRequest
from langgraph.types import Command

from orderly.agent.caller import current_caller
from orderly.agent.middleware.bound_matter import opening
from orderly.agent.middleware.briefing import RunContext, context_of
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


class GrantedTools(AgentMiddleware[RunState, RunContext]):
    """Takes away what the firm withholds, what the assistant's configuration leaves out, and the search of a chat's files
    where the chat has none.
    """

    state_schema = RunState

    async def awrap_model_call(
        self,
        request: ModelRequest[RunContext],
        handler: Callable[[ModelRequest[RunContext]], Awaitable[ModelResponse[Any]]],
    ) -> ModelResponse[Any]:
        hidden = await _hidden(request)
        names = {tool.name for tool in request.tools if isinstance(tool, BaseTool)} & hidden
        if not names:
            return await handler(request)
        shown = [tool for tool in request.tools if not (isinstance(tool, BaseTool) and tool.name in names)]
        if told := sorted(names - _CHAT):
            request = with_note(request, WITHHELD.format(names=", ".join(told)))
        return await handler(request.override(tools=shown))

    async def awrap_tool_call(
        self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Awaitable[ToolResult]]
    ) -> ToolResult:
        name = request.tool_call["name"]
        if name not in await _hidden(request):
            return await handler(request)
        return ToolMessage(NO_TOOL.format(name=name), tool_call_id=request.tool_call["id"], name=name, status="error")


async def _hidden(request: Any) -> frozenset[str]:
    """Looked up once a run: the firm's decision holds from the next question on."""
    ledger = ledger_of(request.state)
    if ledger.hidden_tools is None:
        chosen = context_of(request.runtime).tools
        left_out = frozenset() if chosen is None else _GRANTABLE - frozenset(chosen)
        ledger.hidden_tools = left_out | await _not_granted(ledger)
    return ledger.hidden_tools


async def _not_granted(ledger: Ledger) -> frozenset[str]:
    services = await current_services()
    try:
        caller = current_caller(services)
    except Denied:
        return _CHAT  # nobody is signed in: the tools refuse by themselves
    found = await opening(services.library, caller, ledger)
    missing: frozenset[str] = frozenset() if found.workspace and found.workspace["document_count"] else _CHAT
    return found.withheld | missing
