"""The offline planner as document agent: asks or reads the documents, then reports."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage

from orderly.agent.chat_models.listed_names import may_name, named_in_listing
from orderly.agent.chat_models.notebook import Notebook, open_notebook
from orderly.agent.chat_models.planned_calls import call
from orderly.agent.chat_models.reports import report
from orderly.agent.chat_models.review_filters import compares_values, filters_for
from orderly.agent.chat_models.table_reports import has_rows
from orderly.agent.chat_models.tool_texts import Listed, document_answers_in

MAX_REVIEWED = 3
"""Documents of one clause review."""

ASKED = ("fact", "find", "compare")
"""Kinds of questions that are put to the documents as they are."""

_READ_RANGE = re.compile(r"\bpages? (\d+)(?:\s*(?:-|–|to|and)\s*(\d+))?", re.I)


def research(messages: Sequence[BaseMessage], *, may_call: bool = True) -> AIMessage:
    """Returns the next message of the document agent. Without `may_call`, the report on the results so far."""
    notes = open_notebook(messages)
    if notes is None:
        return AIMessage("Name the matter by its id and give the question.")
    if notes.listing is None:
        return call(*_first_calls(notes)) if may_call else AIMessage("No tool calls were left to look into the documents.")
    if not notes.documents:
        return AIMessage(notes.listing)
    if notes.reviews is not None and notes.answers is None:
        if may_call and (wanted := _table_call(notes)) is not None:
            return call(wanted)
        if notes.table is not None:
            return AIMessage(report(notes))
    notes.named = bool(_chosen(notes))
    if may_call and notes.answers is None and not _chosen(notes) and _may_mean_one(notes):
        return call(_question_to(notes, notes.question))  # by title, party or earlier turns, which the listing does not have
    if may_call and not notes.readings and notes.intent.kind not in ASKED and (calls := _reading_calls(notes)):
        return call(*calls)
    return AIMessage(report(notes))


def _first_calls(notes: Notebook) -> list[tuple[str, dict[str, Any]]]:
    """The listing, which gives names and ids, and in parallel the question if it is put as it is."""
    calls: list[tuple[str, dict[str, Any]]] = [("list_matter_documents", {"matter_id": notes.matter})]
    if compares_values(notes.question):
        calls.append(("read_review", {"matter_id": notes.matter}))
    elif notes.intent.kind in ASKED:
        calls.append(_question_to(notes, notes.intent.subject))
    return calls


def _table_call(notes: Notebook) -> tuple[str, dict[str, Any]] | None:
    """The table for the question; the question to the documents if no review has it; None if the table is read."""
    if notes.table is None and (filters := filters_for(notes.question, notes.reviews or "", len(notes.documents))):
        arguments = {"review": filters.review, "where": list(filters.where), "columns": list(filters.columns)}
        return "read_review", {"matter_id": notes.matter, **arguments, "limit": 100}
    return None if notes.table is not None and has_rows(notes.table) else _question_to(notes, notes.intent.subject)


def _question_to(notes: Notebook, question: str) -> tuple[str, dict[str, Any]]:
    return "ask_documents", {"matter_id": notes.matter, "question": "\n".join([*notes.turns[:-1], question])}


def _naming(notes: Notebook) -> str:
    """The words that may name documents. Words to count are none, though they may be the name of a document."""
    return notes.question.replace(notes.intent.subject, "") if notes.intent.kind == "count" else notes.question


def _may_mean_one(notes: Notebook) -> bool:
    """Whether the question may name a document in other words than its file name; words to count seldom do."""
    return len(notes.documents) > 1 and (notes.intent.kind in ("read", "review") or may_name(_naming(notes)))


def _chosen(notes: Notebook) -> list[Listed]:
    """The documents that the question names: by file name, else the only one that was asked.

    To be read or summarised is also the one that was asked first: a request for a summary asks it nothing that it could answer.
    """
    answers = document_answers_in(notes.answers) if notes.answers is not None else None
    one = answers.one if answers else ""
    if answers and not one and notes.intent.kind in ("read", "review"):
        one = answers.seeming
    return named_in_listing(_naming(notes), notes.documents) or [d for d in notes.documents if d.name == one]


def _reading_calls(notes: Notebook) -> list[tuple[str, dict[str, Any]]]:
    named = _chosen(notes)
    kind = notes.intent.kind
    if kind == "count":
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
    return []


def _pages(question: str) -> dict[str, int]:
    match = _READ_RANGE.search(question)
    if not match:
        return {}
    return {"first_page": int(match[1]), "last_page": int(match[2] or match[1])}
