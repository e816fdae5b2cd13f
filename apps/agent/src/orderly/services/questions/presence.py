"""Whether a document has what a question asks for: one decision per document and question."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from orderly.services.columns import SHORTEST_CLAUSE, DocumentFiller
from orderly.services.documents import ClauseReport, ExtractionResult, ReadCoverage, coverage_of_revision, find_clauses_in
from orderly.services.engines import LegalEngine
from orderly.services.questions.subjects import Subject
from orderly.services.text import MONTH, Passage, RevisionView

Certainty = Literal["answer", "likely", "none"]
"""answer: shown as the answer. likely: shown after the answers, not confirmed. none: nothing in the document fits."""

NEARLY = 0.23
"""Share of the engine's threshold for a clause from which its probability makes it likely."""
ALONE_CONFIDENCE = 0.6
"""Confidence from which an extraction answers although no rule reads the value that is asked for."""
BESIDE_CONFIDENCE = 0.2
"""Confidence from which an extraction is shown beside the clause that answers."""
LIKELY, LIKELY_OF_MANY = 0.3, 0.4
"""Confidence from which an extraction is likely: in one document, and in one of many, in which something sounds alike."""
DOUBTED_LIKELY = 0.45
"""The least such confidence where the document seems to lack the clause that is asked for."""
MOST_LABELS = 4
"""Numbers and titles before the words of a clause: "4 Payment 4.1 (a)"."""
SHORTEST = 12
"""Characters that have to be left of a passage without its number."""
MOST_PLACES, MOST_LIKELY = 4, 2
"""Places of one answer in one document, and of what is likely."""

_NUMBER = (
    rf"(?!\d{{1,2}}\s+{MONTH})"
    r"(?:\d{1,3}+(?>(?:\.\d{1,3})*)[.)]?+|[IVX]{1,5}\.|\([A-Za-z0-9]{1,4}\)|[A-Za-z]\))[*_]{0,3}"
)
_NUMBERING = re.compile(
    r"\s*(?:#{1,6}[ \t]+|[*•▪◦][ \t]+(?=\())?[*_]{0,3}"
    rf"(?:(?:ARTICLE|Article|SECTION|Section|Clause|CLAUSE)\s+{_NUMBER}(?=[\s:.—–-]+[^\sa-z])[\s:.—–-]+|{_NUMBER}(?=\s+\S)\s+"
    r"|\d{1,3}[A-Z]{0,2}[ \t]?[—–][ \t]?(?=[A-Z]))|\s*[*•▪◦][ \t]+(?=\S)"
)
"""The number of a clause before its words, which is no part of what the clause says; in "Clause 7 does not limit" it is, and
"28 September" is a day."""
_SENTENCE = (
    r"(?:The|This|These|During|If|Each|Neither|Either|No|Any|All|Subject|Upon|Where|Notwithstanding|It|Except|Following)"
    r"\s+[\w“\"(]"
)
_RUN_ON = re.compile(
    r"(?:[A-Z][\w’'-]+(?:\s+(?:of|and|to|for|the|on|in|or|by|with)){0,2}\s+){1,6}?"
    rf"(?<!Clause )(?<!Section )(?=\d{{1,3}}\.\d{{1,3}}\s+[A-Z]|{_SENTENCE})"
)
"""A title on one line with the sentence, or the number, that follows it: "8. Expenses The Company shall"."""
_MARK = re.compile(r"\s*#{1,6}[ \t]+")
_WORDED = re.compile(r"(?:\d{1,3}(?>(?:\.\d{1,3})*)\.?\s+)?[^\sa-z\d]")
"""The beginning of a clause behind its title."""
_AFTER_TITLE = re.compile(r"[\s.:*_—–-]+")
_ONLY_NUMBER = re.compile(
    r"\W*(?:(?:ARTICLE|Article|SECTION|Section|Clause|CLAUSE)\s+)?(?:\d{1,3}(?:\.\d{1,3})*|[IVXivx]{1,5}|[A-Za-z])\W*"
)
"""The number of a clause, and nothing that can be quoted."""
_NEXT_HEADING = re.compile(r"(?<!\s)\s++#{1,6}(?:\s++\d{1,3}(?:\.\d{1,3})*[.)]?)?\s*+\Z")
"""The mark and number of the next heading, which a sentence in Markdown may end with."""


@dataclass(frozen=True, slots=True)
class DocumentAnswer:
    """The answer of one document to one question. Table cells, `ask_documents` and the offline planner share it."""

    document_id: str
    document_name: str
    presence: Certainty
    passages: tuple[Passage, ...] = ()
    """The places that answer, or likely answer, best first; empty for "none"."""
    nearest: tuple[Passage, ...] = ()
    """Passages that come nearest, where the presence is "none"."""
    confidence: float = 0.0
    """0..1, of the first passage."""
    value: str = ""
    """The value that the first passage states, for an order: ISO 8601 for dates and periods; empty where none was read."""
    computed: bool = False
    """Whether the value was calculated from what the document states."""
    coverage: ReadCoverage | None = field(default=None, repr=False)
    """What was read; None if nothing was."""
    failure: str = ""
    """Why the document could not be read; such a document says nothing about presence."""
    subject: str = ""
    """The known subject that was looked for, with the values asked for; empty if the question's words alone were."""
    notes: tuple[str, ...] = ()
    """What the user has to know beside the places: a section that the document does not have, or that is shown in part."""
    undefined: str = ""
    """The term whose meaning is asked for, which the document does not define."""


async def decide_by_subject(engine: LegalEngine, view: RevisionView, subject: Subject) -> DocumentAnswer | None:
    """Decides for a known subject; None if the engine cannot tell for it."""
    if subject.is_classified:
        return decide_by_clauses(await find_clauses_in(engine, view, [subject.name]))
    if subject.answer_type:
        filled = await asyncio.to_thread(lambda: DocumentFiller(view.text).fill(subject.name, subject.answer_type))
        if filled.finding is None:
            unread = None if subject.only else filled.unread
            return _answer(view, "likely" if unread else "none", [view.passage(*unread)] if unread else (), 0.0)
        finding = filled.finding
        presence: Certainty = "answer" if filled.state == "found" else "likely"
        if subject.only and _is_wanted(str(finding.value), subject) == subject.is_excluded:
            presence = "none"
        places = [view.passage(*span, score=finding.confidence) for span in finding.quotations]
        answer = _answer(view, presence, places, finding.confidence, str(finding.value))
        return replace(answer, computed=finding.computed)
    judged = await engine.presence(subject.name, view.text)
    if judged is None:
        return None
    share = judged["probability"] / judged["threshold"]
    presence = "answer" if share >= 1 else "likely" if share >= NEARLY else "none"
    if presence != "answer":
        stated = await asyncio.to_thread(lambda: DocumentFiller(view.text).plainly_stated(subject.name))
        if stated is not None:
            places = [view.passage(*span, score=stated.confidence) for span in stated.quotations]
            return _answer(view, "answer", places, stated.confidence)
    spans = [(judged["start"], judged["end"]), *judged["further"]]
    places = [view.passage(*span, score=judged["probability"]) for span in spans]
    return _answer(view, presence, places, judged["probability"])


def _is_wanted(value: str, subject: Subject) -> bool:
    """Whether a value is one of those asked for, or a part of one: "Victoria, Australia" of "Australia"."""
    return any(value == wanted or value.endswith(f", {wanted}") for wanted in subject.only)


def found_at(view: RevisionView, passages: Sequence[Passage]) -> DocumentAnswer:
    """What is answered by its place alone, as the words of a section; all of it is shown."""
    answer = _answer(view, "answer" if passages else "none", (), 1.0 if passages else 0.0)
    return replace(answer, passages=tuple(passages))


def decide_by_extraction(result: ExtractionResult, likely: float = LIKELY) -> DocumentAnswer:
    """Decides by the answer that the engine extracted. `likely`: confidence from which an unconfirmed answer is likely."""
    if result.answers:
        return _answer(result.revision, "answer", result.answers, result.confidence)
    near = result.candidates or ((result.nearest,) if result.nearest else ())
    if near and result.confidence >= likely:
        return _answer(result.revision, "likely", near, result.confidence)
    return _answer(result.revision, "none", (), result.confidence, nearest=near)


def decide_by_clauses(report: ClauseReport) -> DocumentAnswer:
    """Decides by the clauses of one type that the engine classified."""
    found = [passage for passages in report.found.values() for passage in passages]
    found = [p for p in found if len(p.text) >= SHORTEST_CLAUSE] or found  # a heading alone says nothing
    found.sort(key=lambda passage: -(passage.score or 0.0))
    confidence = max((passage.score or 0.0 for passage in found), default=0.0)
    return _answer(report.revision, "answer" if found else "none", found, confidence)


def combine(known: DocumentAnswer, result: ExtractionResult, likely: float = LIKELY, *, is_clause: bool) -> DocumentAnswer:
    """Joins the decision about a known subject with the answer to the question as it was put.

    `is_clause`: whether the subject is a clause that is there or not. Where the models see no such clause, the words that come
    nearest to the question are hardly ever it, however sure the extraction is (docs/quality.md): they are likely at most.
    """
    own = decide_by_extraction(result, max(likely, DOUBTED_LIKELY) if is_clause and known.presence == "none" else likely)
    if known.presence == "answer":
        beside = own.passages[:1] if own.confidence >= BESIDE_CONFIDENCE else ()
        return replace(known, passages=apart((*known.passages[:1], *beside, *known.passages[1:]))[:MOST_PLACES])
    if own.presence == "answer" and own.confidence >= ALONE_CONFIDENCE and not is_clause:
        return own
    if own.presence == "none":
        return known if known.presence == "likely" else replace(own, nearest=apart((*known.nearest, *own.nearest)))
    return replace(own, presence="likely", passages=apart((*known.passages[:1], *own.passages[:1]))[:MOST_LIKELY])


def _answer(
    view: RevisionView,
    presence: Certainty,
    places: Sequence[Passage],
    confidence: float,
    value: str = "",
    nearest: Sequence[Passage] = (),
) -> DocumentAnswer:
    shown = apart([without_number(view, place) for place in places if not _ONLY_NUMBER.fullmatch(place.text)])
    presence = presence if shown or not places else "none"
    most = {"answer": MOST_PLACES, "likely": MOST_LIKELY, "none": 0}[presence]
    close = (*nearest, *(shown if presence == "none" else ()))
    near = tuple(without_number(view, place) for place in close if not _ONLY_NUMBER.fullmatch(place.text))
    coverage = coverage_of_revision(view)
    return DocumentAnswer(view.document_id, view.name, presence, shown[:most], near, confidence, value, coverage=coverage)


def without_number(view: RevisionView, place: Passage) -> Passage:
    """The passage without the number and title of its clause and of the next one, unless nothing would be left to quote."""
    heading = _NEXT_HEADING.search(place.text)
    last = heading.start() if heading else len(place.text)
    first = 0
    for _ in range(MOST_LABELS):
        after = first + _label(view, place, first)
        if after == first or last - after < SHORTEST:
            break
        first = after
    if (first, last) == (0, len(place.text)) or last - first < SHORTEST:
        return place
    return view.passage(place.start + first, place.start + last, id=place.id, score=place.score)


def _label(view: RevisionView, place: Passage, at: int) -> int:
    """Characters of the number, or else of the title, that stands at an offset of the passage."""
    if number := _NUMBERING.match(place.text, at):
        return number.end() - at
    section = view.section_at(place.start + at)
    mark = _MARK.match(place.text, at)
    begin = mark.end() if mark else at
    if section and section["title"]:
        words = r"[\s*_]+".join(map(re.escape, section["title"].split()))
        title = re.compile(words).match(place.text, begin)
        gap = _AFTER_TITLE.match(place.text, title.end()) if title else None
        if gap and _WORDED.match(place.text, gap.end()):
            return gap.end() - at
    begins = at > 0 or (section is not None and section["start"] == place.start) or _ends_number(view, place.start)
    run_on = _RUN_ON.match(place.text, at) if begins else None
    return run_on.end() - at if run_on else 0


def _ends_number(view: RevisionView, start: int) -> bool:
    """Whether the number of a clause stands before an offset."""
    return re.search(r"(?:^|\s)\d{1,3}\.\s+\Z", view.text[max(0, start - 8) : start]) is not None


def apart(passages: Sequence[Passage]) -> tuple[Passage, ...]:
    """The passages without those that overlap an earlier one."""
    kept: list[Passage] = []
    for passage in passages:
        if all(passage.end <= other.start or other.end <= passage.start for other in kept):
            kept.append(passage)
    return tuple(kept)
