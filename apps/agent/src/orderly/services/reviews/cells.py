"""Answers the columns of one document from one reading of it. What decides about presence and values plugs in here."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from typing import Literal

from orderly.errors import EngineFailed, EngineUnavailable
from orderly.services.engines import Answer, LegalEngine, engine_seconds
from orderly.services.text import RevisionView
from orderly.store.functions.reviews import CellValue, WaitingColumn
from orderly.store.functions.revisions import Span

MOST_SPANS = 8
"""Quotations of one cell."""


@dataclass(frozen=True, slots=True)
class CellAnswer:
    """The answer to one column. Every span lies in the revision's text, so its quotation is verified by construction."""

    column: WaitingColumn
    state: Literal["found", "candidate", "not_found", "failed"]
    value: CellValue | None = None
    """Not None if the state is found."""
    spans: Sequence[Span] = ()
    """Quotations, the decisive one first; at least one if the state is found."""
    confidence: float | None = None
    model: str | None = None
    """The language model that took part; None: the engine alone."""
    note: str = ""
    """A sentence for the reader: why it failed, what does not agree."""


async def answer_cells(
    engine: LegalEngine, view: RevisionView, columns: Sequence[WaitingColumn], *, seconds: float
) -> AsyncIterator[CellAnswer]:
    """Yields one answer per column: first the columns of clauses, all in one reading, then the questions.

    `seconds`: limit of the engine calls for one column. Raises EngineUnavailable, after which the other columns still wait.
    """
    if not view.text.strip():
        for column in columns:
            yield CellAnswer(column, "not_found", note="The document has no text.")
        return
    clauses = [column for column in columns if column["clause_type"]]
    async for answer in _find_clauses(engine, view, clauses, seconds):
        yield answer
    for column in columns:
        if not column["clause_type"]:
            with engine_seconds(seconds):
                yield await _answer_question(engine, view, column)


async def _find_clauses(
    engine: LegalEngine, view: RevisionView, columns: Sequence[WaitingColumn], seconds: float
) -> AsyncIterator[CellAnswer]:
    if not columns:
        return
    headings = [(s["start"], s["end"], " ".join(filter(None, (s["label"], s["title"])))) for s in view.sections]
    types = list(dict.fromkeys(c["clause_type"] or "" for c in columns))
    try:
        with engine_seconds(seconds):
            findings = await engine.classify(view.text, types, sections=headings)
    except EngineUnavailable:
        raise
    except EngineFailed as error:
        for column in columns:
            yield CellAnswer(column, "failed", note=error.message)
        return
    for column in columns:
        found = sorted((f for f in findings if f["label"] == column["clause_type"]), key=lambda f: -f["score"])
        spans = [_trimmed(view.text, f["start"], f["end"]) for f in found[:MOST_SPANS]]
        if not spans:
            yield CellAnswer(column, "not_found")
            continue
        yield _answered(view, column, spans, found[0]["score"], sure=True)


async def _answer_question(engine: LegalEngine, view: RevisionView, column: WaitingColumn) -> CellAnswer:
    try:
        extraction = await engine.extract(column["question"], view.text, top_k=MOST_SPANS)
    except EngineUnavailable:
        raise
    except EngineFailed as error:
        return CellAnswer(column, "failed", note=error.message)
    if extraction["answered"]:
        return _answered(view, column, _spans(extraction["answering"]), extraction["confidence"], sure=True)
    if extraction["further"]:
        return _answered(view, column, _spans(extraction["further"][:1]), extraction["confidence"], sure=False)
    return CellAnswer(column, "not_found", confidence=extraction["confidence"])


def _answered(view: RevisionView, column: WaitingColumn, spans: Sequence[Span], confidence: float, *, sure: bool) -> CellAnswer:
    """The quotation as the value. A type other than text is a candidate, because nothing has read the value from the words."""
    start, end = spans[0]
    value: CellValue = {"type": column["answer_type"], "text": " ".join(view.text[start:end].split())}
    is_found = sure and column["answer_type"] == "text"
    return CellAnswer(column, "found" if is_found else "candidate", value, spans, confidence)


def _spans(answers: Sequence[Answer]) -> list[Span]:
    return [(a["start"], a["end"]) for a in answers]


def _trimmed(text: str, start: int, end: int) -> Span:
    words = text[start:end]
    start += len(words) - len(words.lstrip())
    return start, start + len(words.strip())
