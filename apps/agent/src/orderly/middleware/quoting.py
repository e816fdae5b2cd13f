"""Collects what the tools quoted, and lets a final answer quote nothing else."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import Annotated, Any, NotRequired

from langchain.agents.middleware import AgentMiddleware, AgentState
from langchain.agents.middleware.types import OmitFromInput
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langgraph.config import get_config
from langgraph.prebuilt.tool_node import ToolCallRequest
from langgraph.runtime import Runtime
from langgraph.types import Command

from orderly.errors import NotFound, NotReady
from orderly.identity import caller_of
from orderly.services.citations import Quotation, Verdict, judge, quotations
from orderly.services.passages import Passage
from orderly.services.verification import Verifier
from orderly.wiring import current_services

Record = dict[str, Any]
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
    """The passages that the answers quote, verified."""


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
        return Command(update={"quoted": result.artifact, "messages": [bare]})


class CitationGate(AgentMiddleware[QuotingState, Any]):
    """The last word on every answer: a quotation that is not in the documents read is taken out of it."""

    state_schema = QuotingState

    async def aafter_agent(self, state: QuotingState, runtime: Runtime[Any]) -> dict[str, Any] | None:
        last = state["messages"][-1]
        if not isinstance(last, AIMessage) or not (found := quotations(last.text)):
            return None
        services = await current_services()
        caller = caller_of(get_config().get("configurable") or {}, services.secret, local_user=services.local_user)
        verifier = services.library.verifier(caller)
        places = [await _stands(verifier, quotation, last.text, state.get("quoted") or []) for quotation in found]
        asked = [m.text for m in state["messages"] if isinstance(m, HumanMessage)]
        answer = judge(last.text, [Verdict(q, p is not None) for q, p in zip(found, places, strict=True)], asked)
        update: dict[str, Any] = {"citations": [place.record() for place in places if place]}
        if answer != last.text:
            update["messages"] = [last.model_copy(update={"content": answer})]
        return update


_CITED = re.compile(
    r"\s*[(\[]\s*(?P<name>[^\[\]]+?)(?:,\s*Pages?\s+(?P<page>\d+)(?:[-–](?P<last>\d+))?)?(?:,\s*[^\[\]]*)?[)\]]"
)


async def _stands(verifier: Verifier, quotation: Quotation, answer: str, quoted: Iterable[Record]) -> Passage | None:
    """Where the quotation stands, among the documents read; in the cited document and on the cited page if one is cited."""
    documents = {record["document_id"]: record["document_name"] for record in quoted}
    cited = _CITED.match(answer, quotation.end)
    page = None
    if cited and (named := _named(documents, cited["name"])):
        documents = named
        page = int(cited["page"]) if cited["page"] else None
    for document_id in documents:
        try:
            place = await verifier.find(document_id, quotation.text, page)
        except (NotFound, NotReady):
            continue  # a document that can no longer be read can no longer be quoted
        if place:
            return place
    return None


def _named(documents: Mapping[str, str], cited: str) -> dict[str, str]:
    """Longest name first: the cited text may run on into a place that is not a page."""
    for name in sorted(set(documents.values()), key=len, reverse=True):
        if cited.strip().startswith(name):
            return {id: n for id, n in documents.items() if n == name}
    return {}
