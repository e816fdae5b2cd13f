"""The offline planner as document agent: searches, reads the best documents, then reports."""

from __future__ import annotations

import re
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage

from orderly.agent.chat_models import reports
from orderly.agent.chat_models.intents import Intent, intent_of
from orderly.agent.chat_models.named_documents import documents_meant, named_documents, without_names
from orderly.agent.chat_models.tool_texts import UUID, Excerpt, Listed, documents_in, excerpts_in, extraction_in

MAX_DOCUMENTS = 4
"""Documents that one question is asked of first, in the order of the search."""

MAX_FURTHER = 12
"""Further documents that are asked if the first give no answer, because "not found" needs a wide reading."""

MAX_REVIEWED = 3
"""Documents of one clause review."""

READABLE = ("ready", "partial")

_TASK = re.compile(rf"Matter: .*?\(ID: (?P<matter>{UUID})\)\s*Question: (?P<question>.*)", re.S)
_READ_RANGE = re.compile(r"\bpages? (\d+)(?:\s*(?:-|–|to|and)\s*(\d+))?", re.I)


@dataclass(slots=True)
class Notebook:
    """Results of the tool calls so far."""

    question: str
    matter: str
    intent: Intent
    named: bool = False
    """Whether the question names documents, so that others are ignored."""
    meant: Sequence[Listed] = ()
    """Documents that the question seems to mean: they are asked first, and their answers come first."""
    listing: str | None = None
    search: str | None = None
    readings: list[tuple[dict[str, Any], str, str]] = field(default_factory=list)
    """(arguments, tool name, output) of calls that read single documents or count words."""
    first: int = 0
    """Number of readings in the first round of calls, which the search or the question selected."""

    @property
    def documents(self) -> list[Listed]:
        return documents_in(self.listing or "")

    @property
    def hits(self) -> list[Excerpt]:
        return excerpts_in(self.search or "")

    def document_name(self, document_id: str) -> str:
        return next((d.name for d in self.documents if d.id == document_id), document_id)


def research(messages: Sequence[BaseMessage], *, may_call: bool = True) -> AIMessage:
    """Returns the next message of the document agent. Without `may_call`, the report on the results so far."""
    notes = _notebook(messages)
    if notes is None:
        return AIMessage("Name the matter by its id and give the question.")
    if notes.listing is None:
        return _call(*_first_calls(notes)) if may_call else AIMessage("No tool calls were left to look into the documents.")
    if not notes.documents:
        return AIMessage(notes.listing)
    notes.named = bool(named_documents(notes.question, notes.documents))
    notes.meant = () if notes.named else documents_meant(notes.question, notes.documents)[:MAX_DOCUMENTS]
    if may_call and (calls := _further_calls(notes) if notes.readings else _reading_calls(notes)):
        return _call(*calls)
    return AIMessage(reports.report(notes))


def _notebook(messages: Sequence[BaseMessage]) -> Notebook | None:
    """Collects the results from the messages; None if the task has no matter or no question."""
    human = [m.text for m in messages if isinstance(m, HumanMessage)]
    match = _TASK.search(human[-1]) if human else None
    if match is None:
        return None
    question = match["question"].strip()
    notes = Notebook(question, match["matter"], intent_of(question))
    calls = {c["id"]: c for m in messages if isinstance(m, AIMessage) for c in m.tool_calls}
    for message in messages:
        if isinstance(message, ToolMessage):
            _add_result(notes, calls[message.tool_call_id], message.text)
        elif notes.readings and not notes.first:
            notes.first = len(notes.readings)  # a second round of calls begins
    notes.first = notes.first or len(notes.readings)
    return notes


def _add_result(notes: Notebook, call: Any, text: str) -> None:
    if call["name"] == "list_matter_documents":
        notes.listing = text
    elif call["name"] == "isaacus_search":
        notes.search = text
    else:
        notes.readings.append((call["args"], call["name"], text))


def _first_calls(notes: Notebook) -> list[tuple[str, dict[str, Any]]]:
    """The listing, which gives names and ids, and in parallel the search for intents that need it."""
    calls: list[tuple[str, dict[str, Any]]] = [("list_matter_documents", {"matter_id": notes.matter})]
    if notes.intent.kind in ("fact", "find", "compare"):
        calls.append(("isaacus_search", {"matter_id": notes.matter, "query": notes.intent.subject}))
    return calls


def _reading_calls(notes: Notebook) -> list[tuple[str, dict[str, Any]]]:
    named = named_documents(notes.question, notes.documents)
    kind = notes.intent.kind
    if kind == "count":
        # The words to count may be the name of a document, so only the rest of the question can name documents.
        named = named_documents(notes.question.replace(notes.intent.subject, ""), notes.documents)
        within = {"within": [d.id for d in named]} if named else {}
        arguments = {"matter_id": notes.matter, "query": notes.intent.subject, "context_lines": 0}
        return [("search_keyword", {**arguments, **within})]
    if kind == "read":
        chosen = named or (notes.documents if len(notes.documents) == 1 else [])
        return [("get_document_text", {"document_id": d.id, **_pages(notes.question)}) for d in chosen[:1]]
    if kind == "review":
        types = {"clause_types": list(notes.intent.clause_types)} if notes.intent.clause_types else {}
        chosen = named or notes.documents
        return [("isaacus_classify", {"document_id": d.id, **types}) for d in chosen[:MAX_REVIEWED]]
    if named:
        question = without_names(notes.intent.subject, named)
        return [("isaacus_extract", {"document_id": d.id, "question": question}) for d in named[:MAX_DOCUMENTS]]
    chosen = list(dict.fromkeys([*notes.meant, *_ranked(notes)]))[:MAX_DOCUMENTS]
    return [("isaacus_extract", {"document_id": d.id, "question": _question_for(d, notes)}) for d in chosen]


def _question_for(document: Listed, notes: Notebook) -> str:
    """The question as one document is asked: a word for that document ("the employment") becomes "the agreement"."""
    return without_names(notes.intent.subject, [document] if document in notes.meant else [])


def _further_calls(notes: Notebook) -> list[tuple[str, dict[str, Any]]]:
    """Asks the other documents once, if no document of the first round gave an answer."""
    asked = {args.get("document_id") for args, _, _ in notes.readings}
    if notes.named or notes.intent.kind not in ("fact", "find") or len(asked) > MAX_DOCUMENTS:
        return []
    if any(extraction_in(text, "").answers for _, _, text in notes.readings):
        return []
    question = notes.intent.subject
    others = [d for d in notes.documents if d.id not in asked and d.status.startswith(READABLE)]
    return [("isaacus_extract", {"document_id": d.id, "question": question}) for d in others[:MAX_FURTHER]]


def _ranked(notes: Notebook) -> list[Listed]:
    """Documents in the order of their first search result."""
    order: list[Listed] = []
    for hit in notes.hits:
        best = max(
            (d for d in notes.documents if hit.source == d.name or hit.source.startswith(f"{d.name},")),
            key=lambda d: len(d.name),
            default=None,
        )
        if best and best not in order:
            order.append(best)
    return order[:MAX_DOCUMENTS]


def _pages(question: str) -> dict[str, int]:
    match = _READ_RANGE.search(question)
    if not match:
        return {}
    return {"first_page": int(match[1]), "last_page": int(match[2] or match[1])}


def _call(*calls: tuple[str, dict[str, Any]]) -> AIMessage:
    return AIMessage("", tool_calls=[{"name": n, "args": a, "id": f"call_{uuid.uuid4().hex[:12]}"} for n, a in calls])
