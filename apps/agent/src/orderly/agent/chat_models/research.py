"""The document agent's part of the offline planner: search, then read where the search points, then report."""

from __future__ import annotations

import re
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage

from orderly.agent.chat_models import reports
from orderly.agent.chat_models.intents import Intent, intent_of
from orderly.agent.chat_models.named_documents import named_documents, without_names
from orderly.agent.chat_models.tool_texts import UUID, Excerpt, Listed, documents_in, excerpts_in, extraction_in

MOST_DOCUMENTS = 4
"""Documents that one question is put to; the search ranks them."""

MOST_FURTHER = 12
"""Documents that are asked besides where the first ones do not answer: absence is only as sure as what was read."""

MOST_REVIEWED = 3

READABLE = ("ready", "partial")

_TASK = re.compile(rf"Matter: .*?\(ID: (?P<matter>{UUID})\)\s*Question: (?P<question>.*)", re.S)
_READ_RANGE = re.compile(r"\bpages? (\d+)(?:\s*(?:-|–|to|and)\s*(\d+))?", re.I)


@dataclass(slots=True)
class Notebook:
    """What the conversation holds so far, by tool."""

    question: str
    matter: str
    intent: Intent
    named: bool = False
    """The question names its documents; the others are not its business."""
    listing: str | None = None
    search: str | None = None
    readings: list[tuple[dict[str, Any], str, str]] = field(default_factory=list)
    """(arguments, tool name, output) of the calls that read single documents."""
    first: int = 0
    """How many of them were asked first, because the search or the question points to them."""

    @property
    def documents(self) -> list[Listed]:
        return documents_in(self.listing or "")

    @property
    def hits(self) -> list[Excerpt]:
        return excerpts_in(self.search or "")

    def document_name(self, document_id: str) -> str:
        return next((d.name for d in self.documents if d.id == document_id), document_id)


def research(messages: Sequence[BaseMessage], *, may_call: bool = True) -> AIMessage:
    """The next message of the document agent; a report of what there is where it may call no more tools."""
    notes = _notebook(messages)
    if notes is None:
        return AIMessage("Name the matter by its id and give the question.")
    if notes.listing is None:
        return _calls(*_first_calls(notes)) if may_call else AIMessage("No tool calls were left to look into the documents.")
    if not notes.documents:
        return AIMessage(notes.listing)
    notes.named = bool(named_documents(notes.question, notes.documents))
    if may_call and (calls := _further_calls(notes) if notes.readings else _reading_calls(notes)):
        return _calls(*calls)
    return AIMessage(reports.report(notes))


def _notebook(messages: Sequence[BaseMessage]) -> Notebook | None:
    human = [m.text for m in messages if isinstance(m, HumanMessage)]
    match = _TASK.search(human[-1]) if human else None
    if match is None:
        return None
    question = match["question"].strip()
    notes = Notebook(question, match["matter"], intent_of(question))
    calls = {c["id"]: c for m in messages if isinstance(m, AIMessage) for c in m.tool_calls}
    for message in messages:
        if isinstance(message, ToolMessage):
            _note(notes, calls[message.tool_call_id], message.text)
        elif notes.readings and not notes.first:
            notes.first = len(notes.readings)  # a second round of calls begins
    notes.first = notes.first or len(notes.readings)
    return notes


def _note(notes: Notebook, call: Any, text: str) -> None:
    if call["name"] == "list_matter_documents":
        notes.listing = text
    elif call["name"] == "isaacus_search":
        notes.search = text
    else:
        notes.readings.append((call["args"], call["name"], text))


def _first_calls(notes: Notebook) -> list[tuple[str, dict[str, Any]]]:
    """Names and ids are always needed; the search runs beside the listing where it may be."""
    calls: list[tuple[str, dict[str, Any]]] = [("list_matter_documents", {"matter_id": notes.matter})]
    if notes.intent.kind in ("fact", "find", "compare"):
        calls.append(("isaacus_search", {"matter_id": notes.matter, "query": notes.intent.subject}))
    return calls


def _reading_calls(notes: Notebook) -> list[tuple[str, dict[str, Any]]]:
    named = named_documents(notes.question, notes.documents)
    kind = notes.intent.kind
    if kind == "count":
        # The words to count may be a document's name; only what else the question says names documents.
        named = named_documents(notes.question.replace(notes.intent.subject, ""), notes.documents)
        within = {"within": [d.id for d in named]} if named else {}
        exact = {"matter_id": notes.matter, "query": notes.intent.subject, "context_lines": 0}
        return [("search_keyword", {**exact, **within})]
    if kind == "read":
        chosen = named or (notes.documents if len(notes.documents) == 1 else [])
        return [("get_document_text", {"document_id": d.id, **_pages(notes.question)}) for d in chosen[:1]]
    if kind == "review":
        types = {"clause_types": list(notes.intent.clause_types)} if notes.intent.clause_types else {}
        chosen = named or notes.documents
        return [("isaacus_classify", {"document_id": d.id, **types}) for d in chosen[:MOST_REVIEWED]]
    chosen = named[:MOST_DOCUMENTS] or _ranked(notes)
    question = without_names(notes.intent.subject, named)
    return [("isaacus_extract", {"document_id": d.id, "question": question}) for d in chosen]


def _further_calls(notes: Notebook) -> list[tuple[str, dict[str, Any]]]:
    """The same question to the documents that the search did not point to, once, where those that it did don't answer."""
    asked = {args.get("document_id") for args, _, _ in notes.readings}
    if notes.named or notes.intent.kind not in ("fact", "find") or len(asked) > MOST_DOCUMENTS:
        return []
    if any(extraction_in(text, "").answers for _, _, text in notes.readings):
        return []
    question = notes.readings[0][0]["question"]
    others = [d for d in notes.documents if d.id not in asked and d.status.startswith(READABLE)]
    return [("isaacus_extract", {"document_id": d.id, "question": question}) for d in others[:MOST_FURTHER]]


def _ranked(notes: Notebook) -> list[Listed]:
    """Documents in the order in which the search first names them."""
    order: list[Listed] = []
    for hit in notes.hits:
        best = max(
            (d for d in notes.documents if hit.source == d.name or hit.source.startswith(f"{d.name},")),
            key=lambda d: len(d.name),
            default=None,
        )
        if best and best not in order:
            order.append(best)
    return order[:MOST_DOCUMENTS]


def _pages(question: str) -> dict[str, int]:
    match = _READ_RANGE.search(question)
    if not match:
        return {}
    return {"first_page": int(match[1]), "last_page": int(match[2] or match[1])}


def _calls(*calls: tuple[str, dict[str, Any]]) -> AIMessage:
    return AIMessage("", tool_calls=[{"name": n, "args": a, "id": f"call_{uuid.uuid4().hex[:12]}"} for n, a in calls])
