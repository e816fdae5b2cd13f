"""Collects what the tools quoted: the passages that an answer may quote in turn."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Annotated, Any, NotRequired

from langchain.agents.middleware import AgentMiddleware, AgentState
from langchain.agents.middleware.types import OmitFromInput
from langchain_core.messages import ToolMessage
from langgraph.prebuilt.tool_node import ToolCallRequest
from langgraph.types import Command

from orderly.agent.middleware.injection_notices import Record, merge_notices, noticed
from orderly.agent.middleware.run_ledger import ledger_of

ToolResult = ToolMessage | Command[Any]


def merge_records(held: list[Record] | None, new: list[Record] | None) -> list[Record]:
    """Each place once, in the order first quoted. The whole list comes back from every subagent, so it must be idempotent."""
    merged = {_place(record): record for record in (*(held or ()), *(new or ()))}
    return list(merged.values())


def _place(record: Mapping[str, Any]) -> tuple[Any, ...]:
    return record["document_id"], record.get("revision_id"), record.get("start"), record.get("end")


# The reducer stands last: anywhere else LangGraph silently keeps the last value instead.
class QuotingState(AgentState[Any]):
    quoted: NotRequired[Annotated[list[Record], OmitFromInput, merge_records]]
    """Every passage that a tool showed in this conversation."""
    citations: NotRequired[Annotated[list[Record], OmitFromInput, merge_records]]
    """The passages that the answers quote, verified; `number` is the mark that they have in the text."""
    notices: NotRequired[Annotated[list[Record], OmitFromInput, merge_notices]]
    """What documents tried, as `noticing.noticed` gives it."""


class CollectQuotes(AgentMiddleware[QuotingState, Any]):
    """Moves the passages of a tool message into the state, where they cross from subagent to orchestrator."""

    state_schema = QuotingState

    async def awrap_tool_call(
        self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Awaitable[ToolResult]]
    ) -> ToolResult:
        result = await handler(request)
        if not isinstance(result, ToolMessage) or not isinstance(result.artifact, list):
            return result
        bare = result.model_copy(update={"artifact": None})
        found = await noticed(result, result.artifact, ledger_of(request.state))
        return Command(update={"quoted": result.artifact, "notices": found, "messages": [bare]})
