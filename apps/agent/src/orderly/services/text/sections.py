"""Finds the tree of clauses. Consecutive numbers (1, 2, 3 …) tell headings from dates, amounts and cross-references at line
starts.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from orderly.models import Heading, Page, Section
from orderly.services.text.clause_order import Outline, PlacedHeading
from orderly.services.text.heading_candidates import Candidate, find_at_line_starts, find_capital_lines, find_inside_lines

_NUMBERED_TITLE = re.compile(r"(?P<label>\d{1,3}[A-Z]{0,2}(?:\.\d{1,3}){0,4})[.:)]?\s+(?P<title>\S.*)", re.DOTALL)
_NAMED_PART = re.compile(r"(?:schedule|annex|appendix|attachment|exhibit|article|part|chapter|(?:sub)?division)", re.I)
_PAGE_NUMBER = re.compile(r"\s+\d{1,3}$")
_MIN_SECTIONS = 3
"""With fewer sections, lines in capitals are taken as headings."""

_SPARSE_CHARS = 4000
"""Characters per clause. With fewer clauses than this, numbers are searched inside lines too."""

_CONTENTS_ROW_CHARS = 30
"""Characters of a table of contents row beside number and title: dots, page number, white space."""

_MIN_PARAGRAPHS = 5
"""Least number of numbered paragraphs in a judgment."""

_JUDGMENT_KINDS = ("paragraph", "file", "paren")
_APPENDED_PARTS = re.compile(r"\n\n\[(?:Footnotes|Endnotes|Headers|Footers)\]\n\n")
_LIST_KINDS = ("paren", "letter")
_NUMBERED_KINDS = ("number", "dotted", "file")


def find_sections(text: str, headings: Sequence[Heading] = (), pages: Sequence[Page] = ()) -> tuple[Section, ...]:
    """Finds the sections of a contract, Act or judgment, in text order. CPU-bound: about 0.1 s per million characters.

    Args:
        text: The revision's text.
        headings: Headings marked by the file, with their levels.
        pages: Pages with lines mean that the text has the line ends of the printed page.
    """
    found = _merge((_file_candidate(heading) for heading in headings), _body_candidates(text, pages))
    if _is_judgment(found):
        return _sections(text, _build_outline([candidate for candidate in found if candidate.kind in _JUDGMENT_KINDS]))
    found = [candidate for candidate in found if candidate.kind != "paragraph"]
    if not any(page.lines for page in pages):
        found = _merge(found, find_inside_lines(text, long_ones_only=True))
    placed = _build_outline(_drop_contents_rows(found))
    if len(placed) < len(text) / _SPARSE_CHARS:
        found = _merge(found, find_inside_lines(text, long_ones_only=False))
        placed = _build_outline(_drop_contents_rows(found))
    if not any(item.candidate.kind in _NUMBERED_KINDS for item in placed):
        found = _merge(_extract_candidates(found), found)
        placed = _build_outline(_drop_contents_rows(found))
    if len(placed) < _MIN_SECTIONS:
        placed = _build_outline(_merge(found, find_capital_lines(text)))
    return _sections(text, placed)


def citation_label(label: str | None, title: str | None) -> str:
    """Names a section in a citation: "Section 12.1 (Termination)", "Schedule 2 (Fees)", "Recitals"; empty if unnamed."""
    if label is None:
        return title or ""
    if label.startswith("["):
        return label  # a judgment's paragraph: "at [42]"
    named = label if _NAMED_PART.match(label) else f"Section {label}"
    return f"{named} ({title})" if title else named


def _body_candidates(text: str, pages: Sequence[Page]) -> Iterator[Candidate]:
    """Yields candidates outside page headers, footers and the parts appended after a Word file's body."""
    running = [(line.start, line.end) for page in pages for line in page.lines if line.running]
    beside = _APPENDED_PARTS.search(text) if not (pages and pages[0].lines) else None
    limit = beside.start() if beside else len(text)
    for candidate in find_at_line_starts(text):
        at = bisect_right(running, (candidate.start, len(text))) - 1
        if candidate.start < limit and not (at >= 0 and candidate.start < running[at][1]):
            yield candidate


def _is_judgment(found: Sequence[Candidate]) -> bool:
    """Whether the paragraphs are numbered [1], [2] … throughout; bracketed references are out of order."""
    numbers = [int(candidate.label[1:-1]) for candidate in found if candidate.kind == "paragraph"]
    rising = sum(later == earlier + 1 for earlier, later in pairwise(numbers))
    return len(numbers) >= _MIN_PARAGRAPHS and rising >= 0.8 * (len(numbers) - 1)


def _file_candidate(heading: Heading) -> Candidate:
    label, title = heading.label, heading.title
    if label is None and title:
        typed = _NUMBERED_TITLE.fullmatch(title)
        label, title = (typed["label"], typed["title"]) if typed else (None, title)
    title = title.rstrip(" .:") if title else None
    return Candidate(heading.start, "file", label or "", title or None, True, level=heading.level)


def _extract_candidates(found: Sequence[Candidate]) -> list[Candidate]:
    """Candidates of an extract, whose first number is arbitrary: titled clauses, if their numbers rise throughout."""
    titled = [
        candidate for candidate in found if candidate.kind in ("number", "dotted") and candidate.title and candidate.strong
    ]
    numbers = [[int(digits) for digits in re.findall(r"\d+", candidate.label)] for candidate in titled]
    lone = len(numbers) == 1 and len(numbers[0]) == 1
    if lone or any(later <= earlier for earlier, later in pairwise(numbers)):
        return []
    return [replace(candidate, kind="file", level=len(number)) for candidate, number in zip(titled, numbers, strict=True)]


def _merge(marked: Iterable[Candidate], found: Iterable[Candidate]) -> list[Candidate]:
    """Merges candidates in text order; at equal starts `marked` wins."""
    by_start: dict[int, Candidate] = {}
    for candidate in (*marked, *found):
        by_start.setdefault(candidate.start, candidate)
    return [by_start[start] for start in sorted(by_start)]


def _drop_contents_rows(found: list[Candidate]) -> list[Candidate]:
    """Drops the first of two headings with equal number and title if no text follows it: a row of the table of contents.

    If text follows, the second heading restates the clause in an amendment or annexure, and both stay.
    """
    last = {
        _identity(candidate): candidate.start for candidate in found if candidate.title and candidate.kind not in _LIST_KINDS
    }
    following = {one.start: other.start for one, other in pairwise(found)}
    sections = {_identity(candidate) for candidate in found if candidate.act}

    def in_contents(candidate: Candidate) -> bool:
        if not candidate.title or candidate.kind in _LIST_KINDS or last[_identity(candidate)] == candidate.start:
            return False
        if not candidate.act and _identity(candidate) in sections:
            return True  # the contents of an Act list its sections without the dash
        line = len(candidate.label) + len(candidate.title)
        return following.get(candidate.start, candidate.start) - candidate.start <= line + _CONTENTS_ROW_CHARS

    return [candidate for candidate in found if not in_contents(candidate)]


def _identity(candidate: Candidate) -> tuple[str, str]:
    return candidate.label, _PAGE_NUMBER.sub("", candidate.title or "").lower()[:40]


def _build_outline(found: Sequence[Candidate]) -> list[PlacedHeading]:
    """Places the candidates twice, the second time without untitled lists of one item, which are no lists."""
    placed = Outline().place_all(found)
    sizes = Counter(item.list_id for item in placed)
    doubtful = {item.candidate.start for item in placed if sizes[item.list_id] == 1 and item.weak}
    if not doubtful:
        return placed
    return Outline().place_all([candidate for candidate in found if candidate.start not in doubtful])


def _sections(text: str, placed: Sequence[PlacedHeading]) -> tuple[Section, ...]:
    ends = [len(text)] * len(placed)
    open_at: list[int] = []
    for ordinal, item in enumerate(placed):
        while open_at and placed[open_at[-1]].depth >= item.depth:
            ends[open_at.pop()] = item.candidate.start
        open_at.append(ordinal)
    sections = []
    for ordinal, item in enumerate(placed):
        start, end = item.candidate.start, ends[ordinal]
        while end > start and text[end - 1].isspace():
            end -= 1
        sections.append(Section(ordinal, item.parent, item.depth + 1, item.label or None, item.candidate.title, start, end))
    return tuple(sections)
