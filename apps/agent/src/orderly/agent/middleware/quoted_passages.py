"""Collects the passages that tools returned, which answers may quote."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Annotated, Any, NotRequired

from langchain.agents.middleware import AgentMiddleware, AgentState
from langchain.agents.middleware.types import OmitFromInput
from langchain_core.messages import ToolMessage
from langgraph.prebuilt.tool_node import ToolCallRequest
from langgraph.types import Command

from orderly.agent.middleware.injection_notices import Record, find_notices, merge_notices
from orderly.agent.middleware.run_ledger import ledger_of
from orderly.agent.tools.document_tool import AskedFindings

ToolResult = ToolMessage | Command[Any]


def merge_records(stored: list[Record] | None, new: list[Record] | None) -> list[Record]:
    """Merges two lists of passages without duplicates, in order. Idempotent, because every subagent returns the whole list."""
    merged = {_location(record): record for record in (*(stored or ()), *(new or ()))}
    return list(merged.values())


def _location(record: Mapping[str, Any]) -> tuple[Any, ...]:
    return record["document_id"], record.get("revision_id"), record.get("start"), record.get("end")


# The reducer must be the last item of `Annotated`: elsewhere LangGraph silently ignores it and keeps the last value.
class QuoteState(AgentState[Any]):
    quoted: NotRequired[Annotated[list[Record], OmitFromInput, merge_records]]
    """Passages that tools returned in this thread."""
    citations: NotRequired[Annotated[list[Record], OmitFromInput, merge_records]]
    """Verified passages quoted by answers; `number` is the mark in the text."""
    notices: NotRequired[Annotated[list[Record], OmitFromInput, merge_notices]]
    """Notices of prompt injection and hidden text, from `find_notices`."""


class QuotedPassages(AgentMiddleware[QuoteState, Any]):
    """Moves the passages of a tool message into the state, which a subagent returns to the orchestrator."""

    state_schema = QuoteState

    async def awrap_tool_call(
        self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Awaitable[ToolResult]]
    ) -> ToolResult:
        result = await handler(request)
        if not isinstance(result, ToolMessage) or not isinstance(result.artifact, list):
            return result
        if isinstance(result.artifact, AskedFindings):
            ledger_of(request.state).askings.append(result.artifact.asking)
        message = result.model_copy(update={"artifact": None})
        notices = await find_notices(result, result.artifact, ledger_of(request.state))
        return Command(update={"quoted": result.artifact, "notices": notices, "messages": [message]})
