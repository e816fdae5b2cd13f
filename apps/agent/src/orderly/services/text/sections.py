"""The tree of clauses. Numbers prove themselves by their order (1, 2, 3 …), so that dates, amounts and
cross-references at the start of a line are not taken for headings.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from orderly.models import Heading, Page, Section
from orderly.services.text.clause_order import Outline, Placed
from orderly.services.text.heading_candidates import Candidate, at_line_starts, capital_lines, inside_lines

_NUMBERED_TITLE = re.compile(r"(?P<label>\d{1,3}[A-Z]{0,2}(?:\.\d{1,3}){0,4})[.:)]?\s+(?P<title>\S.*)", re.DOTALL)
_OWN_WORD = re.compile(r"(?:schedule|annex|appendix|attachment|exhibit|article|part|chapter|(?:sub)?division)", re.I)
_PAGE_NUMBER = re.compile(r"\s+\d{1,3}$")
_FEW = 3
_SPARSE = 4000
"""Characters a clause: fewer clauses than that, and their numbers must stand inside the lines."""

_ROW_MARGIN = 30
"""Characters that a row of a table of contents may have beside number and title: dots, page number, white space."""

_PARAGRAPHS = 5
"""Numbered paragraphs that make a judgment."""

_OF_JUDGMENTS = ("paragraph", "file", "paren")
_BESIDE = re.compile(r"\n\n\[(?:Footnotes|Endnotes|Headers|Footers)\]\n\n")
_LISTED = ("paren", "letter")
_NUMBERED = ("number", "dotted", "file")


def find_sections(text: str, headings: Sequence[Heading] = (), pages: Sequence[Page] = ()) -> tuple[Section, ...]:
    """The sections of a contract or an Act in text order. CPU-bound: some 0.1 s per million characters.

    Args:
        text: The revision's text.
        headings: What the file itself marks; their levels are taken as they are.
        pages: Tell by their lines whether the text still has the line ends of a page.
    """
    found = _merge((_of_file(heading) for heading in headings), _in_the_body(text, pages))
    if _is_judgment(found):
        return _sections(text, _arrange([candidate for candidate in found if candidate.kind in _OF_JUDGMENTS]))
    found = [candidate for candidate in found if candidate.kind != "paragraph"]
    if not any(page.lines for page in pages):
        found = _merge(found, inside_lines(text, long_ones_only=True))
    placed = _arrange(_without_repeats(found))
    if len(placed) < len(text) / _SPARSE:
        found = _merge(found, inside_lines(text, long_ones_only=False))
        placed = _arrange(_without_repeats(found))
    if not any(item.candidate.kind in _NUMBERED for item in placed):
        found = _merge(_from_the_middle(found), found)
        placed = _arrange(_without_repeats(found))
    if len(placed) < _FEW:
        placed = _arrange(_merge(found, capital_lines(text)))
    return _sections(text, placed)


def citation_label(label: str | None, title: str | None) -> str:
    """How a lawyer names it: "Section 12.1 (Termination)", "Schedule 2 (Fees)", "Recitals"; empty if it has no name."""
    if label is None:
        return title or ""
    if label.startswith("["):
        return label  # a judgment's paragraph: "at [42]"
    named = label if _OWN_WORD.match(label) else f"Section {label}"
    return f"{named} ({title})" if title else named


def _in_the_body(text: str, pages: Sequence[Page]) -> Iterator[Candidate]:
    """Not in running heads, which repeat headings, nor in what a Word file keeps beside its body."""
    running = [(line.start, line.end) for page in pages for line in page.lines if line.running]
    beside = _BESIDE.search(text) if not (pages and pages[0].lines) else None
    limit = beside.start() if beside else len(text)
    for candidate in at_line_starts(text):
        at = bisect_right(running, (candidate.start, len(text))) - 1
        if candidate.start < limit and not (at >= 0 and candidate.start < running[at][1]):
            yield candidate


def _is_judgment(found: Sequence[Candidate]) -> bool:
    """Its paragraphs are numbered [1], [2] … from end to end; references in brackets don't come in order."""
    numbers = [int(candidate.label[1:-1]) for candidate in found if candidate.kind == "paragraph"]
    rising = sum(later == earlier + 1 for earlier, later in pairwise(numbers))
    return len(numbers) >= _PARAGRAPHS and rising >= 0.8 * (len(numbers) - 1)


def _of_file(heading: Heading) -> Candidate:
    label, title = heading.label, heading.title
    if label is None and title:
        typed = _NUMBERED_TITLE.fullmatch(title)
        label, title = (typed["label"], typed["title"]) if typed else (None, title)
    title = title.rstrip(" .:") if title else None
    return Candidate(heading.start, "file", label or "", title or None, True, level=heading.level)


def _from_the_middle(found: Sequence[Candidate]) -> list[Candidate]:
    """An extract begins at any number: titled clauses prove themselves there by numbers like 12.1, or that only ever rise."""
    titled = [
        candidate for candidate in found if candidate.kind in ("number", "dotted") and candidate.title and candidate.strong
    ]
    numbers = [[int(digits) for digits in re.findall(r"\d+", candidate.label)] for candidate in titled]
    lone = len(numbers) == 1 and len(numbers[0]) == 1
    if lone or any(later <= earlier for earlier, later in pairwise(numbers)):
        return []
    return [replace(candidate, kind="file", level=len(number)) for candidate, number in zip(titled, numbers, strict=True)]


def _merge(marked: Iterable[Candidate], found: Iterable[Candidate]) -> list[Candidate]:
    """In text order; where two start at one place the first counts, as the file's own headings do."""
    by_start: dict[int, Candidate] = {}
    for candidate in (*marked, *found):
        by_start.setdefault(candidate.start, candidate)
    return [by_start[start] for start in sorted(by_start)]


def _without_repeats(found: list[Candidate]) -> list[Candidate]:
    """Of two headings with the same number and title the first stands in the table of contents, if it has no text of its own.

    Where it has, an amendment or annexure at the end restates the clause, and both stay.
    """
    last = {_identity(candidate): candidate.start for candidate in found if candidate.title and candidate.kind not in _LISTED}
    following = {one.start: other.start for one, other in pairwise(found)}
    sections = {_identity(candidate) for candidate in found if candidate.act}

    def in_contents(candidate: Candidate) -> bool:
        if not candidate.title or candidate.kind in _LISTED or last[_identity(candidate)] == candidate.start:
            return False
        if not candidate.act and _identity(candidate) in sections:
            return True  # an Act's contents name its sections without the dash
        line = len(candidate.label) + len(candidate.title)
        return following.get(candidate.start, candidate.start) - candidate.start <= line + _ROW_MARGIN

    return [candidate for candidate in found if not in_contents(candidate)]


def _identity(candidate: Candidate) -> tuple[str, str]:
    return candidate.label, _PAGE_NUMBER.sub("", candidate.title or "").lower()[:40]


def _arrange(found: Sequence[Candidate]) -> list[Placed]:
    """Twice: a list of one, unless it has a title, was no list, and what it displaced finds its place without it."""
    placed = Outline().place_all(found)
    sizes = Counter(item.list_id for item in placed)
    doubtful = {item.candidate.start for item in placed if sizes[item.list_id] == 1 and item.weak}
    if not doubtful:
        return placed
    return Outline().place_all([candidate for candidate in found if candidate.start not in doubtful])


def _sections(text: str, placed: Sequence[Placed]) -> tuple[Section, ...]:
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
