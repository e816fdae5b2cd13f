"""Limits the tool calls and the tokens of a question, subagents included: a warning, then one answer without tools."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any

from langchain.agents.middleware import AgentMiddleware, ModelRequest, ModelResponse
from langchain_core.messages import AIMessage, ToolMessage
from langgraph.prebuilt.tool_node import ToolCallRequest
from langgraph.types import Command

from orderly.agent.middleware.found_so_far import found_so_far, stopped_text
from orderly.agent.middleware.run_ledger import Ledger, RunState, ledger_of, share_ledger
from orderly.agent.middleware.system_notes import with_passing_note
from orderly.errors import NotReady
from orderly.services.documents import estimate_tokens
from orderly.telemetry.metrics import BUDGET_STOPS

PLANNING_TOOLS = frozenset({"think_tool", "write_todos"})
"""Tools whose results are the model's own words."""

USED_UP = "Error: No tool calls are left in this run. Answer now with what you have, and say what you could not look up."
ANSWER_NOW = "No tool calls are left in this run. Answer now with what you have, and say what you could not look up."
WRAP_UP = "You have {left} tool {calls} left in this run. Wrap up soon."
NO_ANSWER = "The tool calls of this run are used up, and no answer was reached. Ask again, about less at once."
TOKENS_USED = "This question has used its share of the language model. Answer now with what you have, and say what is missing."

ToolResult = ToolMessage | Command[Any]


class ToolBudget(AgentMiddleware[RunState, Any]):
    """Counts tool calls and tokens, and caches results. Must be the outermost wrapper of tool calls.

    Every call counts, also planning and repeats, though a repeated call is answered from the first.

    Args:
        limit: Tool calls in one run.
        warn_at: Calls left from which the model is warned.
        max_tokens: Tokens of the chat model in one run, from which it is told to answer.
    """

    state_schema = RunState

    def __init__(self, limit: int, warn_at: int, max_tokens: int) -> None:
        super().__init__()
        self._limit, self._warn_at, self._max_tokens = limit, warn_at, max_tokens

    async def awrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]]
    ) -> ModelResponse[Any]:
        ledger = ledger_of(request.state)
        response = await self._call_model(ledger, request, handler)
        ledger.tokens += _tokens(request, response)
        return response

    async def _call_model(
        self, ledger: Ledger, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]]
    ) -> ModelResponse[Any]:
        left = self._limit - len(ledger.counted_calls)
        if left > 0 and ledger.tokens < self._max_tokens:
            if left > self._warn_at:
                return await handler(request)
            note = WRAP_UP.format(left=left, calls="call" if left == 1 else "calls")
            return await handler(with_passing_note(request, note))
        BUDGET_STOPS.inc()
        note = ANSWER_NOW if left <= 0 else TOKENS_USED
        response = await handler(with_passing_note(request, note).override(tools=[], tool_choice=None))
        return _remove_tool_calls(response, _what_was_found(request))

    async def awrap_tool_call(
        self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Awaitable[ToolResult]]
    ) -> ToolResult:
        ledger = ledger_of(request.state)
        with share_ledger(ledger):
            return await self._call_once(ledger, request, handler)

    async def _call_once(
        self, ledger: Ledger, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Awaitable[ToolResult]]
    ) -> ToolResult:
        call, key = _call_id(ledger, request), _cache_key(request)
        if call not in ledger.counted_calls and len(ledger.counted_calls) >= self._limit:
            return ToolMessage(USED_UP, tool_call_id=request.tool_call["id"], name=request.tool_call["name"], status="error")
        ledger.counted_calls.add(call)
        while (first := ledger.results.get(key)) is not None:
            if (cached := await asyncio.shield(first)) is not None:
                return _add_call(_repeat_result(cached, request), call)
        pending = ledger.results[key] = asyncio.get_running_loop().create_future()
        result: ToolResult | None = None
        try:
            result = await handler(request)
        finally:
            is_cacheable = result is not None and _is_cacheable(result)
            pending.set_result(result if is_cacheable else None)
            if not is_cacheable:
                del ledger.results[key]
        return _add_call(result, call)


def _call_id(ledger: Ledger, request: ToolCallRequest) -> str:
    """Unique per run. Includes the message id, because some endpoints restart call ids in every message."""
    message = request.state["messages"][-1]
    return f"{ledger.run}:{message.id}:{request.tool_call['id']}"


def _cache_key(request: ToolCallRequest) -> str:
    return json.dumps([request.tool_call["name"], request.tool_call["args"]], sort_keys=True, default=str)


def _messages(result: ToolResult) -> list[Any]:
    if isinstance(result, ToolMessage):
        return [result]
    return list((result.update or {}).get("messages") or ()) if isinstance(result.update, dict) else []


def _is_cacheable(result: ToolResult) -> bool:
    """False for failures and for documents that are still being processed, because a retry may succeed."""
    not_ready = NotReady().message
    return not any(m.status == "error" or m.text.startswith(not_ready) for m in _messages(result) if isinstance(m, ToolMessage))


def _repeat_result(cached: ToolResult, request: ToolCallRequest) -> ToolResult:
    """The cached result with the id of this call."""
    messages = [
        m.model_copy(update={"tool_call_id": request.tool_call["id"], "id": None}) if isinstance(m, ToolMessage) else m
        for m in _messages(cached)
    ]
    if isinstance(cached, ToolMessage):
        return messages[0]
    update = cached.update if isinstance(cached.update, dict) else {}
    return Command(update={**update, "messages": messages})


def _add_call(result: ToolResult, call: str) -> ToolResult:
    """Adds the counted call to the state update of the result."""
    if isinstance(result, ToolMessage):
        return Command(update={"calls": [call], "messages": [result]})
    update = result.update if isinstance(result.update, dict) else {}
    return Command(update={**update, "calls": [*(update.get("calls") or ()), call]})


def _remove_tool_calls(response: ModelResponse[Any], found: str) -> ModelResponse[Any]:
    """Removes tool calls, which a model may write even without tools. Without a text, what was found is the answer."""
    messages = [
        m.model_copy(update={"tool_calls": [], "invalid_tool_calls": [], "content": m.content or found})
        if isinstance(m, AIMessage) and (m.tool_calls or m.invalid_tool_calls)
        else m
        for m in response.result
    ]
    return ModelResponse(result=messages, structured_response=response.structured_response)


def _what_was_found(request: ModelRequest[Any]) -> str:
    state: Any = request.state
    found = found_so_far(state["messages"], state.get("quoted") or (), state.get("quoted_before") or 0)
    return stopped_text(NO_ANSWER, found)


def _tokens(request: ModelRequest[Any], response: ModelResponse[Any]) -> int:
    """Tokens of a call as the endpoint counts them, at least an estimate of its messages: some endpoints report none."""
    usages = [m.usage_metadata for m in response.result if isinstance(m, AIMessage)]
    reported = sum(usage["total_tokens"] for usage in usages if usage)
    characters = sum(len(str(m.content)) for m in (*request.messages, *response.result))
    return max(reported, estimate_tokens(characters))
