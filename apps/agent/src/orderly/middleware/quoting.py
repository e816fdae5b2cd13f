"""Collects what the tools quoted, and lets a final answer quote nothing else."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping
from typing import Annotated, Any, NotRequired

from langchain.agents.middleware import AgentMiddleware, AgentState
from langchain.agents.middleware.types import OmitFromInput
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langgraph.config import get_config
from langgraph.prebuilt.tool_node import ToolCallRequest
from langgraph.runtime import Runtime
from langgraph.types import Command

from orderly.errors import NotFound, NotReady, Unreadable
from orderly.identity import caller_of
from orderly.services.citations import Quotation, Verdict, judge, quotations
from orderly.services.passages import Passage
from orderly.services.verification import Verifier
from orderly.tools import rendering
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
        documents = {record["document_id"]: record["document_name"] for record in state.get("quoted") or []}
        places = [await _stands(verifier, quotation, documents) for quotation in found]
        asked = [m.text for m in state["messages"] if isinstance(m, HumanMessage)]
        verdicts = [Verdict(q, p is not None, _correction(q, p)) for q, p in zip(found, places, strict=True)]
        answer = judge(last.text, verdicts, asked)
        update: dict[str, Any] = {"citations": [place.record() for place in places if place]}
        if answer != last.text:
            update["messages"] = [last.model_copy(update={"content": answer})]
        return update


async def _stands(verifier: Verifier, quotation: Quotation, documents: Mapping[str, str]) -> Passage | None:
    """Where the quotation stands among the documents read: where it is cited, if it stands there, else anywhere."""
    named = _named(documents, quotation.cited)
    order = [*((document_id, quotation.page) for document_id in named), *((d, None) for d in (*named, *documents))]
    for document_id, page in order:
        try:
            place = await verifier.find(document_id, quotation.text, page)
        except (NotFound, NotReady, Unreadable):
            continue  # a document that can no longer be read can no longer be quoted
        if place:
            return place
    return None


def _correction(quotation: Quotation, passage: Passage | None) -> str | None:
    """The true citation, where the one given names another document, page or section."""
    if passage is None or not quotation.cited:
        return None
    same_page = not passage.paged or quotation.page is None or passage.page_first <= quotation.page <= passage.page_last
    section = _SECTION.search(quotation.cited)
    same_section = section is None or passage.section_label is None or _within(passage.section_label, section[1])
    if quotation.cited.strip().startswith(passage.document_name) and same_page and same_section:
        return None
    return f"{passage.document_name}, {where}" if (where := rendering.place(passage)) else passage.document_name


_SECTION = re.compile(r"\bSection\s+([\w.()]*\w\)?)")


def _within(true: str, cited: str) -> bool:
    """Clause 12 is the place of a quotation from 12.1(a) too; 12.1 is not that of one from 12.2."""
    return true == cited or bool(re.match(rf"{re.escape(cited)}(?![\w])", true))


def _named(documents: Mapping[str, str], cited: str) -> dict[str, str]:
    """Longest name first, because one name may begin another."""
    for name in sorted(set(documents.values()), key=len, reverse=True):
        if cited.strip().startswith(name):
            return {id: n for id, n in documents.items() if n == name}
    return {}
