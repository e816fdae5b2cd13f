"""Divides what is quoted at the clauses and rows of tables that it spans: each quotation stands under its own number."""

from __future__ import annotations

import itertools
import re
from dataclasses import replace

from orderly.services.engines.local import stems
from orderly.services.questions.objects import labels_of, objects_of, speaks, words_of
from orderly.services.questions.presence import DocumentAnswer, without_number
from orderly.services.text import Passage, RevisionView

_ITEM = re.compile(r"\)\Z")
"""The end of the label of a list item, which stays with its list."""
_APPENDED = re.compile(r"\s*\[(?:Footnotes|Endnotes|Headers|Footers)\]\s*\Z")
"""The mark of the parts that follow the body of a Word file."""
_NUMBERED = r"(?!\(?(?:[a-zA-Z]|[ivxIVX]{1,5}|\d{1,3}(?>(?:\.\d{1,3})*)|[•·–-])[.)]{0,2}\t[^\t\n]*$)"
"""No number of a clause or mark of an item before the only tab of a line."""
ROW = re.compile(rf"^[ \t]*+(?:\|[^\n]*\||{_NUMBERED}[^\n\t]*\S\t[^\n]*\S)[ \t]*$", re.MULTILINE)
_GOES_ON = re.compile(r"(?:[:;,—–]|\b(?:and|or))\s*\Z")
"""The end of words whose sentence goes on in the next item of a list."""
WHOLE = 600
"""Characters of a passage that is shown whole: its second part may answer in other words, "clause 3.1 ends after two years"."""
SHORT_PARAGRAPH = 400
"""Characters of a paragraph of a clause that is shown whole: the sentence behind a limit may say to what it does not apply."""
_PARAGRAPH_END = re.compile(r"(?<=[.;:!?])[ \t]*\n|\n[ \t]*\n|\f")
"""What ends a paragraph whose lines may be broken anywhere."""
LABEL = 10.0
"""Weight of a number that is asked for, "year 3", beside the words of the question."""
_EDGES = " \t\n\r\f|"
_WORD = re.compile(r"[^\W_]+")


def whole_paragraphs(answer: DocumentAnswer, view: RevisionView, _: str) -> DocumentAnswer:
    """The answer with each passage completed to its paragraph, if that is short."""

    def completed(passages: tuple[Passage, ...]) -> tuple[Passage, ...]:
        whole = (_in_its_paragraph(view, passage) for passage in passages)
        return tuple({(passage.start, passage.end): passage for passage in whole}.values())

    return replace(answer, passages=completed(answer.passages), nearest=completed(answer.nearest))


def _in_its_paragraph(view: RevisionView, passage: Passage) -> Passage:
    """The short paragraph of a clause that holds the passage."""
    section = view.section_at(passage.start)
    if section is None or section["end"] < passage.end or _ITEM.search(section["label"] or ""):
        return passage
    start = max(section["start"], view.text.rfind("\n", 0, passage.start) + 1)
    stop = _PARAGRAPH_END.search(view.text, passage.end, section["end"])
    end = start + len(view.text[start : stop.start() if stop else section["end"]].rstrip())
    if not passage.end <= end <= start + SHORT_PARAGRAPH:
        return passage
    return view.passage(start, end, id=passage.id, score=passage.score)


def by_clause(answer: DocumentAnswer, view: RevisionView, question: str) -> DocumentAnswer:
    """The answer with passages that span several clauses in parts, those of a long one that say most of what is asked first,
    without those that say nothing of it.

    Of a table, the rows are kept that say most.
    """
    objects, words = objects_of(question), words_of(view.text)
    labels = labels_of(question)

    def said(part: Passage) -> float:
        own = frozenset(stems(part.text))
        labelled = sum(label.search(part.text) is not None for label in labels)
        return LABEL * labelled + sum(words.rarity(o) for o in objects if speaks(o, own))

    def chosen(passage: Passage) -> list[Passage]:
        parts = parts_of(view, passage.start, passage.end, passage.score)
        most = max((said(part) for part in parts if _is_row(part)), default=0.0)
        kept = [part for part in parts if not (most and _is_row(part) and said(part) < most)]
        is_short = passage.end - passage.start <= WHOLE and not most
        speaking = kept if is_short else [part for part in kept if said(part)]
        return sorted(speaking or kept, key=said, reverse=True)

    def divided(passages: tuple[Passage, ...]) -> tuple[Passage, ...]:
        return tuple(without_number(view, part) for passage in passages for part in chosen(passage))

    return replace(answer, passages=divided(answer.passages), nearest=divided(answer.nearest))


def parts_of(view: RevisionView, start: int, end: int, score: float | None = None) -> list[Passage]:
    """The words from `start` to `end`, divided where clauses and rows begin, without headings and marks of the reader."""
    clauses = (s for s in view.sections if (s["label"] or s["title"]) and not _ITEM.search(s["label"] or ""))
    starts = [s["start"] for s in clauses if start < s["start"] < end and not _GOES_ON.search(view.text, start, s["start"])]
    rows = (at for row in ROW.finditer(view.text, start, end) for at in row.span())
    cuts = sorted({start, *starts, *rows, end})
    parts = [_trimmed(view, first, last, score) for first, last in itertools.pairwise(cuts)]
    return [part for part in parts if not is_heading(view, part)] or [view.passage(start, end, score=score)]


def _trimmed(view: RevisionView, start: int, end: int, score: float | None) -> Passage:
    text = view.text[start:end]
    mark = _APPENDED.search(text)
    body = (text[: mark.start()] if mark else text).rstrip(_EDGES)
    return view.passage(start + len(body) - len(body.lstrip(_EDGES)), start + len(body), score=score)


def _is_row(part: Passage) -> bool:
    return "\n" not in part.text and (" | " in part.text or ROW.fullmatch(part.text) is not None)


def is_heading(view: RevisionView, part: Passage) -> bool:
    """Whether a part says no more than the number and title of its section."""
    section = view.section_at(part.start)
    if section is None or not _WORD.search(part.text):
        return not _WORD.search(part.text)
    named = f"{section['label'] or ''} {section['title'] or ''}"
    return not set(_WORD.findall(part.text.lower())) - {"section", "clause", "article"} - set(_WORD.findall(named.lower()))
