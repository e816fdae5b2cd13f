"""Answers a column by its question: an item with its label, else what the engine finds, and the value that the words state."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from orderly.errors import EngineFailed, EngineUnavailable
from orderly.models import Span
from orderly.services.engines import LegalEngine
from orderly.services.engines.local import stems
from orderly.services.questions import Subject, ask_revision, find_subject, objects_of, speaks, words_of
from orderly.services.reviews.cell_answers import MOST_SPANS, CellAnswer
from orderly.services.reviews.labelled_items import labelled_items
from orderly.services.reviews.linked_values import LINKED_TYPES, linked_values
from orderly.services.reviews.stated_values import FINDERS
from orderly.services.reviews.typed_values import read_value
from orderly.services.text import RevisionView
from orderly.store.functions.review_cells import CellValue
from orderly.store.functions.reviews import WaitingColumn

UNREAD = "The words do not state one value of this type for certain."
YES_OR_NO, MAY_STATE = "These words may say yes or no to it.", "These words may state it."
SEVERAL = "The document states more than one value."
LABELLED = 0.9
"""Confidence of an item that has the column's label."""
LINKED = 0.75
"""Confidence of the one value that sentences link to what the column asks about."""
SOON = 40
"""Characters of an item within which its value begins."""
LONGEST = 600
"""Characters of a sentence that states a value."""
MOST_SAYING = 4
"""Sentences up to which the mere mention of the one thing asked about tells which value is meant."""
_ROLES = frozenset(stems("tenant landlord lessee lessor employee employer borrower lender supplier customer buyer seller"))
"""Words that most sentences of a contract of their kind have."""
_DENIES = re.compile(
    r"\b(?:no|not|nor|neither|never|none|without|nothing|cannot|except|unless|prohibit\w*|restrain\w*|restrict\w*)\b", re.I
)
_YES_NO = re.compile(r"(?:(?P<yes>yes)|no)\b(?=\s*(?:$|[^\w\s]))", re.I)
"""The word as an answer: "No party may assign" answers nothing."""


def _asked(column: WaitingColumn) -> list[tuple[str, ...]]:
    """What the title and the question ask about, apart from who is concerned."""
    wordings = (part for wording in (column["title"], column["question"]) for part in re.split(r"\bor\b", wording))
    asked = (tuple(o for o in objects_of(part) if o not in _ROLES) for part in wordings)
    return [objects for objects in asked if objects]


def _on_subject(text: str, column: WaitingColumn, spans: Sequence[Span]) -> list[Span]:
    """The places that speak of half or more of what is asked about, in their sentences or the headings of these."""
    asked = _asked(column)
    known = words_of(text)

    def speaks_of_it(span: Span) -> bool:
        near = (w for (start, end), w in zip(known.spans, known.stems, strict=True) if start < span[1] and span[0] < end)
        words = frozenset[str]().union(*near)
        return any(2 * sum(speaks(o, words) for o in objects) >= len(objects) for objects in asked)

    return [span for span in spans if not asked or speaks_of_it(span)]


async def answer_question(engine: LegalEngine, view: RevisionView, column: WaitingColumn) -> CellAnswer:
    """Raises EngineUnavailable."""
    stated, linked = await asyncio.to_thread(_stated, view.text, column) if engine.offline else (None, False)
    if stated is not None:
        return stated
    try:
        answer = await ask_revision(engine, view, column["question"], await _subject(engine, column))
    except EngineUnavailable:
        raise
    except EngineFailed as error:
        return CellAnswer(column, "failed", note=error.message)
    spans = [(passage.start, passage.end) for passage in answer.passages]
    sure = answer.presence == "answer" and not linked
    if engine.offline:
        spans, decided = await asyncio.to_thread(_decided, view.text, column, spans)
        if not decided:  # the engine does not speak for this sentence
            return answered(view, column, spans, None, sure=False)
        if sure and spans and column["answer_type"] == "text":
            sure = await asyncio.to_thread(_names_title, view.text, column, spans[0])
    if not spans:
        return CellAnswer(column, "not_found", confidence=answer.confidence)
    cell = answered(view, column, spans, answer.confidence, sure=sure)
    return replace(cell, note=cell.note or SEVERAL) if linked else cell


def _stated(text: str, column: WaitingColumn) -> tuple[CellAnswer | None, bool]:
    """What an item with the column's label or one linked value states, and whether several values are linked."""
    if (item := answer_of_item(text, column)) is not None:
        return item, False
    if column["answer_type"] not in LINKED_TYPES:
        return None, False
    linked, places = linked_values(text, column["answer_type"], _asked(column))
    if len(linked) == 1:
        return CellAnswer(column, "found", next(iter(linked.values())), places[:MOST_SPANS], LINKED), False
    return None, bool(linked)


async def likely_words(engine: LegalEngine, view: RevisionView, column: WaitingColumn) -> CellAnswer:
    """Words that may say yes or no, or state a value, where none was found: a candidate. Raises EngineUnavailable."""
    try:
        answer = await ask_revision(engine, view, column["question"], care="quick")
    except EngineUnavailable:
        raise
    except EngineFailed as error:
        return CellAnswer(column, "failed", note=error.message)
    for place in answer.passages:
        words = " ".join(place.text.split())
        is_clause = column["answer_type"] == "yes_no"
        value: CellValue | None = {"type": "yes_no", "text": words} if is_clause else read_value(column["answer_type"], words)
        if value is not None:
            note = YES_OR_NO if is_clause else MAY_STATE
            return CellAnswer(column, "candidate", value, [(place.start, place.end)], answer.confidence, note=note)
    return CellAnswer(column, "not_found")


async def _subject(engine: LegalEngine, column: WaitingColumn) -> Subject | None:
    return await find_subject(engine, column["question"]) if engine.offline else None


def _decided(text: str, column: WaitingColumn, spans: Sequence[Span]) -> tuple[list[Span], bool]:
    """The places that speak of the subject, those first that state one value, and whether the engine found the first."""
    kept = list(spans) if column["answer_type"] == "text" else _on_subject(text, column, spans)
    decisive = decisive_span(text, column, kept)
    if decisive is None:
        return kept, True
    return [decisive, *(span for span in kept if span != decisive)], decisive in kept


def _names_title(text: str, column: WaitingColumn, span: Span) -> bool:
    """Whether a place speaks of all that the title names, in its own words or in its heading."""
    known = words_of(text)
    near = (w for (start, end), w in zip(known.spans, known.stems, strict=True) if start < span[1] and span[0] < end)
    words = frozenset[str]().union(*near)
    asked = [objects_of(part) for part in re.split(r"\bor\b", column["title"])]
    return any(all(speaks(o, words) for o in objects) for objects in asked)


def answered(
    view: RevisionView, column: WaitingColumn, spans: Sequence[Span], confidence: float | None, *, sure: bool
) -> CellAnswer:
    """The value that the first quotation states. Found only if the engine is sure and the value is read from the words."""
    words = " ".join(view.text[slice(*spans[0])].split())
    value: CellValue = {"type": column["answer_type"], "text": words}
    is_read = column["answer_type"] == "text"
    if not is_read and (read := _read(column, words, sure=sure)) is not None:
        value, is_read = read, _is_whole(read)
    note = "" if is_read or "conflict" in value else UNREAD
    return CellAnswer(column, "found" if sure and is_read else "candidate", value, spans, confidence, note=note)


def _is_whole(value: CellValue) -> bool:
    """Whether nothing is open in a value. A bare "$" says which sum is meant."""
    return "conflict" not in value and ("partial" not in value or value["type"] == "money")


def _read(column: WaitingColumn, words: str, *, sure: bool) -> CellValue | None:
    if column["answer_type"] == "yes_no":
        return {"type": "yes_no", "text": "yes", "yes": True} if sure and _affirms(words, column["question"]) else None
    return read_value(column["answer_type"], words, column["options"])


def _affirms(words: str, question: str) -> bool:
    """Whether words say all that a question asks about, and neither denies anything. A no is left to a person."""
    said = frozenset(stems(words))
    return not _DENIES.search(words) and not _DENIES.search(question) and all(speaks(o, said) for o in objects_of(question))


def answer_of_item(text: str, column: WaitingColumn) -> CellAnswer | None:
    """The first item with the column's label that says a value of its type."""
    for item, (start, end) in labelled_items(text, column["title"], column["question"]):
        value = _said(column, " ".join(text[start:end].split()))
        if value is not None:
            sure = _is_whole(value)
            return CellAnswer(column, "found" if sure else "candidate", value, [item], LABELLED, note="" if sure else UNREAD)
    return None


def _said(column: WaitingColumn, words: str) -> CellValue | None:
    """The value with which the words of an item begin: of "$96,000 a year, in instalments of $8,000" the first."""
    kind = column["answer_type"]
    if kind == "text":
        return {"type": kind, "text": words}
    if kind == "yes_no":
        said = _YES_NO.match(words)
        return {"type": kind, "text": said[0].lower(), "yes": said["yes"] is not None} if said else None
    if kind in FINDERS:
        first = next(iter(FINDERS[kind](words)), None)
        return read_value(kind, words[first.start : first.end]) if first is not None and first.start <= SOON else None
    return read_value(kind, words, column["options"])


def decisive_span(text: str, column: WaitingColumn, spans: Sequence[Span]) -> Span | None:
    """The first place that states one value: of the engine's places, and the sentences that say what is asked about."""
    if column["answer_type"] not in FINDERS:
        return None
    asked = sorted(_asked(column), key=len, reverse=True)

    def states(span: Span) -> bool:
        return read_value(column["answer_type"], " ".join(text[slice(*span)].split())) is not None

    def on_subject() -> Iterator[Span]:
        for wanted in asked:
            yield from (s for s in spans if all(speaks(o, frozenset(stems(text[slice(*s)]))) for o in wanted))
            said = words_of(text).saying(wanted)
            yield from (s for s in said if s[1] - s[0] <= LONGEST and (len(wanted) > 1 or len(said) <= MOST_SAYING))
        yield from spans

    return next(filter(states, on_subject()), None)
