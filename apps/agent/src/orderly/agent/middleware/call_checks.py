"""Answers tool calls that cannot run, so that the model can correct them, and marks failed tasks as errors."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from typing import Any

from langchain.agents.middleware import AgentMiddleware
from langchain_core.messages import AIMessage, ToolMessage
from langgraph.prebuilt.tool_node import ToolCallRequest
from langgraph.types import Command

from orderly.agent.caller import current_caller
from orderly.agent.middleware.bound_matter import find_bound_matter
from orderly.agent.middleware.found_so_far import REPORT_FAILED
from orderly.agent.middleware.matter_choice import MATTER_TOOLS
from orderly.agent.middleware.run_context import context_of
from orderly.agent.middleware.run_ledger import ledger_of
from orderly.agent.replies.tool_calls import REFUSED_CALLS
from orderly.errors import OrderlyError
from orderly.services.documents import ALL_MATTERS
from orderly.wiring.services import current_services

NO_SUCH_TOOL = "Error: There is no tool {name!r}. Use one of those that you were given."
WRONG_ARGUMENTS = "Error: The arguments of this call do not fit {name}, so it was not run. {reasons}"

ToolResult = ToolMessage | Command[Any]

_INVALID = re.compile(r"\AError invoking tool '(?P<name>[^']*)' with kwargs .*? with error:\s*(?P<reasons>.*)\Z", re.DOTALL)
_ADVICE = re.compile(r"For further information visit \S+|Please fix the error and try again\.|, input_value=[^\]\n]*")


class CallChecks(AgentMiddleware[Any, Any]):
    """Must be inside `ToolBudget`, so that refused calls count too."""

    async def awrap_tool_call(
        self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Awaitable[ToolResult]]
    ) -> ToolResult:
        call = request.tool_call
        if reason := _refusal(request):
            return ToolMessage(reason, tool_call_id=call["id"], name=call["name"], status="error")
        if request.tool is None:
            text = NO_SUCH_TOOL.format(name=call["name"][:64])
            return ToolMessage(text, tool_call_id=call["id"], name=call["name"], status="error")
        return _marked(await handler(await _with_matter(request)))


async def _with_matter(request: ToolCallRequest) -> ToolCallRequest:
    """The request with the bound matter, if its tool takes a matter and the model named none."""
    call = request.tool_call
    arguments = call["args"]
    if call["name"] not in MATTER_TOOLS or str(arguments.get("matter_id") or "").strip():
        return request
    context = context_of(request.runtime)
    if context.kept_to:
        return request.override(tool_call={**call, "args": {**arguments, "matter_id": ALL_MATTERS}})
    services = await current_services()
    try:
        caller = current_caller(services)
        bound = await find_bound_matter(services.library, caller, context.matter_id, ledger_of(request.state))
    except OrderlyError:
        return request  # the tool fails with the same error
    if bound is None:
        return request
    return request.override(tool_call={**call, "args": {**arguments, "matter_id": bound["id"]}})


def _refusal(request: ToolCallRequest) -> str:
    """The reason for which the reader of replies refused the call."""
    state: Any = request.state
    last = state["messages"][-1]
    refused = last.additional_kwargs.get(REFUSED_CALLS) if isinstance(last, AIMessage) else None
    return str((refused or {}).get(request.tool_call["id"]) or "")


def _marked(result: ToolResult) -> ToolResult:
    """The result, with the error of a task marked, and the report of wrong arguments without a repetition of them."""
    if isinstance(result, ToolMessage):
        return result.model_copy(update=_corrected(result))
    update = result.update if isinstance(result.update, dict) else {}
    messages = [m.model_copy(update=_corrected(m)) if isinstance(m, ToolMessage) else m for m in update.get("messages") or ()]
    return Command(update={**update, "messages": messages})


def _corrected(message: ToolMessage) -> dict[str, Any]:
    if message.text.startswith(REPORT_FAILED):
        return {"status": "error"}
    if match := _INVALID.match(message.text):
        reasons = " ".join(_ADVICE.sub("", match["reasons"]).split())
        return {"content": WRONG_ARGUMENTS.format(name=match["name"], reasons=reasons)}
    return {}
