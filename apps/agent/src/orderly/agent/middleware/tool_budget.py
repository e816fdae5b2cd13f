"""How many tool calls a run has, its subagents together: a warning near the end, then one answer without tools."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any

from langchain.agents.middleware import AgentMiddleware, ModelRequest, ModelResponse
from langchain_core.messages import AIMessage, ToolMessage
from langgraph.prebuilt.tool_node import ToolCallRequest
from langgraph.types import Command

from orderly.agent.middleware.run_ledger import Ledger, RunState, handed_down, ledger_of
from orderly.agent.middleware.system_notes import with_note
from orderly.errors import NotReady
from orderly.telemetry.metrics import BUDGET_STOPS

FREE = frozenset({"think_tool", "write_todos"})
"""Planning costs nothing."""

USED_UP = "Error: No tool calls are left in this run. Answer now with what you have, and say what you could not look up."
ANSWER_NOW = "No tool calls are left in this run. Answer now with what you have, and say what you could not look up."
WRAP_UP = "You have {left} tool {calls} left in this run. Wrap up soon."
NO_ANSWER = "The tool calls of this run are used up, and no answer was reached. Ask again, about less at once."

ToolResult = ToolMessage | Command[Any]


class ToolBudget(AgentMiddleware[RunState, Any]):
    """Outermost of what wraps tool calls. The same call again is answered from the first and counts once.

    Args:
        limit: tool calls in one run.
        warn_at: calls left from which the model is told to wrap up.
    """

    state_schema = RunState

    def __init__(self, limit: int, warn_at: int) -> None:
        super().__init__()
        self._limit, self._warn_at = limit, warn_at

    async def awrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]]
    ) -> ModelResponse[Any]:
        left = self._limit - len(ledger_of(request.state).spent)
        if left > self._warn_at:
            return await handler(request)
        if left > 0:
            return await handler(with_note(request, WRAP_UP.format(left=left, calls="call" if left == 1 else "calls")))
        BUDGET_STOPS.inc()
        response = await handler(with_note(request, ANSWER_NOW).override(tools=[], tool_choice=None))
        return _without_calls(response)

    async def awrap_tool_call(
        self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Awaitable[ToolResult]]
    ) -> ToolResult:
        ledger = ledger_of(request.state)
        with handed_down(ledger):
            if request.tool_call["name"] in FREE:
                return await handler(request)
            return await self._counted(ledger, request, handler)

    async def _counted(
        self, ledger: Ledger, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Awaitable[ToolResult]]
    ) -> ToolResult:
        call, key = _identity(ledger, request), _key(request)
        while (first := ledger.answers.get(key)) is not None:
            if (given := await asyncio.shield(first)) is not None:
                return _answer(given, request)
        if call not in ledger.spent and len(ledger.spent) >= self._limit:
            return ToolMessage(USED_UP, tool_call_id=request.tool_call["id"], name=request.tool_call["name"], status="error")
        ledger.spent.add(call)
        pending = ledger.answers[key] = asyncio.get_running_loop().create_future()
        result: ToolResult | None = None
        try:
            result = await handler(request)
        finally:
            keep = result is not None and _is_final(result)
            pending.set_result(result if keep else None)
            if not keep:
                del ledger.answers[key]
        return _recorded(result, call)


def _identity(ledger: Ledger, request: ToolCallRequest) -> str:
    """Some endpoints number the calls of every message anew, so the message counts too."""
    message = request.state["messages"][-1]
    return f"{ledger.run}:{message.id}:{request.tool_call['id']}"


def _key(request: ToolCallRequest) -> str:
    return json.dumps([request.tool_call["name"], request.tool_call["args"]], sort_keys=True, default=str)


def _messages(result: ToolResult) -> list[Any]:
    if isinstance(result, ToolMessage):
        return [result]
    return list((result.update or {}).get("messages") or ()) if isinstance(result.update, dict) else []


def _is_final(result: ToolResult) -> bool:
    """A failure may pass, and a document may be ready a moment later: asking again then makes sense."""
    waits = NotReady().message
    return not any(m.status == "error" or m.text.startswith(waits) for m in _messages(result) if isinstance(m, ToolMessage))


def _answer(given: ToolResult, request: ToolCallRequest) -> ToolResult:
    """What the first call gave, as the answer to this one."""
    messages = [
        m.model_copy(update={"tool_call_id": request.tool_call["id"], "id": None}) if isinstance(m, ToolMessage) else m
        for m in _messages(given)
    ]
    if isinstance(given, ToolMessage):
        return messages[0]
    update = given.update if isinstance(given.update, dict) else {}
    return Command(update={**update, "messages": messages})


def _recorded(result: ToolResult, call: str) -> ToolResult:
    if isinstance(result, ToolMessage):
        return Command(update={"calls": [call], "messages": [result]})
    update = result.update if isinstance(result.update, dict) else {}
    return Command(update={**update, "calls": [*(update.get("calls") or ()), call]})


def _without_calls(response: ModelResponse[Any]) -> ModelResponse[Any]:
    """A model may call tools that it was not given."""
    messages = [
        m.model_copy(update={"tool_calls": [], "invalid_tool_calls": [], "content": m.content or NO_ANSWER})
        if isinstance(m, AIMessage) and (m.tool_calls or m.invalid_tool_calls)
        else m
        for m in response.result
    ]
    return ModelResponse(result=messages, structured_response=response.structured_response)
