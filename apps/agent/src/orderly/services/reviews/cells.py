"""Answers the columns of one document from one reading of it. Offline, rules and models come first; then the engine's clauses,
the question to the document, and the configured model for the columns that are still open.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace

from orderly.errors import EngineFailed, EngineUnavailable
from orderly.models import Span
from orderly.services.columns import DocumentFiller, Filled, can_fill, knows_some_wordings
from orderly.services.engines import Classified, LegalEngine, engine_seconds
from orderly.services.policy import permitted
from orderly.services.reviews.cell_answers import MOST_SPANS, CellAnswer
from orderly.services.reviews.model_proposals import Proposer
from orderly.services.reviews.question_answers import UNREAD, answer_of_item, answer_question, answered, likely_words
from orderly.services.reviews.stated_values import FINDERS
from orderly.services.reviews.typed_values import value_of_finding
from orderly.services.text import RevisionView
from orderly.store.functions.review_cells import CellValue
from orderly.store.functions.reviews import WaitingColumn

RULES = "Rules and the offline models"
"""The engine of answers that no legal engine gave."""
CLAUSE_TYPES = ("yes_no", "text")
"""Types of columns on a subject that its clause answers; other types are asked for their value."""


async def answer_cells(
    engine: LegalEngine,
    view: RevisionView,
    columns: Sequence[WaitingColumn],
    *,
    seconds: float,
    proposer: Proposer | None = None,
) -> AsyncIterator[CellAnswer]:
    """Yields one answer per column: what rules find, then clauses, each in one reading of the text, then the questions.

    What is open after that is put to the language model, where the policy permits it.

    Args:
        engine: Answers clauses and questions.
        view: The revision.
        columns: The columns that wait.
        seconds: Limit of the engine calls for one column.
        proposer: Asks the language model; None: there is none.

    Raises:
        EngineUnavailable: the columns that were not answered still wait.
    """
    still_open: list[CellAnswer] = []
    is_asked = proposer is not None and permitted("model") and bool(view.text.strip())
    async for answer in _answers_of_engine(engine, view, columns, seconds):
        if is_asked and answer.state in ("candidate", "not_found"):
            still_open.append(answer)
        else:
            yield answer
    if proposer is not None and still_open:
        for answer in await proposer.improve(view, still_open):
            yield answer


async def _answers_of_engine(
    engine: LegalEngine, view: RevisionView, columns: Sequence[WaitingColumn], seconds: float
) -> AsyncIterator[CellAnswer]:
    if not view.text.strip():
        for column in columns:
            yield CellAnswer(column, "not_found", note="The document has no text.")
        return
    # Isaacus decides where it is configured: its classifier about clauses, its extractor about values.
    ruled = [column for column in columns if engine.offline and can_fill(column["subject"] or "", column["answer_type"])]
    unread: list[WaitingColumn] = []
    unsaid: list[WaitingColumn] = []
    for answer in await asyncio.to_thread(_fill, view.text, ruled):
        if answer.state == "not_found" and knows_some_wordings(answer.column["subject"] or "", answer.column["answer_type"]):
            unread.append(answer.column)  # the engine may find others
        elif answer.state == "not_found" and answer.column["answer_type"] in ("yes_no", *FINDERS):
            unsaid.append(answer.column)
        else:
            yield answer
    rest = [column for column in columns if column not in ruled]
    clauses = [column for column in rest if column["subject"] and column["answer_type"] in CLAUSE_TYPES]
    for answer in await _find_clauses(engine, view, clauses, seconds):
        yield answer
    for column in (*unread, *(column for column in rest if column not in clauses)):
        with engine_seconds(seconds):
            yield await answer_question(engine, view, column)
    for column in unsaid:
        with engine_seconds(seconds):
            yield replace(await likely_words(engine, view, column), engine=RULES)


def _fill(text: str, columns: Sequence[WaitingColumn]) -> list[CellAnswer]:
    filler = DocumentFiller(text)
    answers = [_filled(column, filler.fill(column["subject"] or "", column["answer_type"]), text) for column in columns]
    return [(answer_of_item(text, answer.column) or answer) if _may_be_item(answer) else answer for answer in answers]


def _may_be_item(answer: CellAnswer) -> bool:
    """Whether an item with the column's label answers better: it is shorter and surer than a sentence about its subject."""
    if not knows_some_wordings(answer.column["subject"] or "", answer.column["answer_type"]):
        return answer.state == "not_found"
    return answer.column["answer_type"] != "text" or answer.state in ("not_found", "found")


def _filled(column: WaitingColumn, filled: Filled, text: str) -> CellAnswer:
    finding = filled.finding
    if filled.unread is not None:
        value: CellValue = {"type": column["answer_type"], "text": " ".join(text[slice(*filled.unread)].split())}
        return CellAnswer(column, "candidate", value, [filled.unread], note=UNREAD, engine=RULES)
    if finding is None:
        return CellAnswer(column, "not_found", engine=RULES)
    value = value_of_finding(column["answer_type"], finding, text)
    return CellAnswer(column, filled.state, value, finding.quotations, finding.confidence, note=finding.note, engine=RULES)


async def _find_clauses(
    engine: LegalEngine, view: RevisionView, columns: Sequence[WaitingColumn], seconds: float
) -> list[CellAnswer]:
    if not columns:
        return []
    headings = [(s["start"], s["end"], " ".join(filter(None, (s["label"], s["title"])))) for s in view.sections]
    types = list(dict.fromkeys(c["subject"] or "" for c in columns))
    try:
        with engine_seconds(seconds):
            findings = await engine.classify(view.text, types, sections=headings)
    except EngineUnavailable:
        raise
    except EngineFailed as error:
        return [CellAnswer(column, "failed", note=error.message) for column in columns]
    return [_clauses(view, column, [f for f in findings if f["label"] == column["subject"]]) for column in columns]


def _clauses(view: RevisionView, column: WaitingColumn, findings: Sequence[Classified]) -> CellAnswer:
    best = sorted(findings, key=lambda f: -f["score"])[:MOST_SPANS]
    if not best:
        return CellAnswer(column, "not_found")
    spans = [_trimmed(view.text, f["start"], f["end"]) for f in best]
    if column["answer_type"] == "yes_no":
        return CellAnswer(column, "found", {"type": "yes_no", "text": "yes", "yes": True}, spans, best[0]["score"])
    return answered(view, column, spans, best[0]["score"], sure=True)


def _trimmed(text: str, start: int, end: int) -> Span:
    words = text[start:end]
    start += len(words) - len(words.lstrip())
    return start, start + len(words.strip())
