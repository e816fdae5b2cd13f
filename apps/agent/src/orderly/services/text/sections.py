"""Finds the tree of clauses. Consecutive numbers (1, 2, 3 …) tell headings from dates, amounts and cross-references at line
starts.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise, takewhile

from orderly.models import Heading, Page, Section
from orderly.services.text.capital_lines import find_capital_lines
from orderly.services.text.clause_numbers import container_number
from orderly.services.text.clause_order import Outline
from orderly.services.text.document_parts import find_contents, find_recital_ends, find_signatures, find_torn_numbers
from orderly.services.text.doubtful_headings import find_doubtful, find_limits, find_rivals
from orderly.services.text.false_headings import (
    LIST_KINDS,
    drop_contents_rows,
    drop_footers,
    drop_name_of_all,
    drop_schedule_lists,
)
from orderly.services.text.heading_candidates import (
    Candidate,
    find_at_line_starts,
    find_inside_lines,
)
from orderly.services.text.heading_surroundings import NOT_READ
from orderly.services.text.judgment_paragraphs import find_judgment_paragraphs, find_paragraph_ends
from orderly.services.text.line_numbers import without_line_numbers
from orderly.services.text.marked_headings import FIELD_CODE, MIN_BODY, as_marked, closing, read_headings
from orderly.services.text.missed_numbers import find_missed
from orderly.services.text.open_clauses import PlacedHeading
from orderly.services.text.section_spans import find_ambiguous, find_ends, is_list_in_prose
from orderly.services.text.unread_numbers import find_unread

_NAMED_PART = re.compile(
    r"(?:schedule|annex|appendix|attachment|exhibit|article|section|clause|part|(?:sub)?chapter|(?:sub)?division|(?:sub)?title)\b",
    re.I,
)
_MIN_SECTIONS = 3
"""With fewer sections, lines in capitals are taken as headings."""

_SPARSE_CHARS = 4000
"""Characters per clause. With fewer clauses than this, numbers are searched inside lines too."""

_END_NOTES = re.compile(
    r"^[#*_ \t]*(?:(?:Legislative history|LEGISLATIVE HISTORY|Endnotes|EXPLANATORY NOTE)[ \t]*$"
    r"|Notes to the [^\n]*\bAct\b|\[Minister[’']s second reading speech made in\b)",
    re.MULTILINE,
)
_APPENDED_PARTS = re.compile(r"\n\n?\[(?:Footnotes|Endnotes|Headers|Footers|Picture \d+)\]\n\n")
_NUMBERED_KINDS = ("number", "dotted", "file")
_CLAUSE_KINDS = ("number", "dotted", "article")
_MIN_ITEMS = 3
"""Least items of the list inside a list of one item."""


def find_sections(text: str, headings: Sequence[Heading] = (), pages: Sequence[Page] = ()) -> tuple[Section, ...]:
    """Finds the sections of a contract, Act or judgment, in text order. CPU-bound: about 0.1 s per million characters.

    Args:
        text: The revision's text.
        headings: Headings marked by the file, with their levels.
        pages: Pages with lines mean that the text has the line ends of the printed page.
    """
    written = list(_body_candidates(text, pages))
    found = _merge(read_headings(text, headings, written), written)
    read = _without_running_lines(text, pages)
    if paragraphs := find_judgment_paragraphs(text, found):
        others = [candidate for candidate in found if candidate.level and not candidate.label[:1].isdigit()]
        placed, closings = _build_outline(_merge(find_paragraph_ends(text, paragraphs), _merge(paragraphs, others)))
        return _sections(text, placed, closings)
    found = [candidate for candidate in found if candidate.kind != "paragraph"]
    if not any(page.lines for page in pages):
        found = _merge(found, find_inside_lines(text, long_ones_only=True))
    parts = _find_parts(text, _body_end(text, pages))
    placed, closings = _build_outline(_clauses_only(text, found, parts))
    if len(placed) < len(text) / _SPARSE_CHARS:
        found = _merge(found, find_inside_lines(text, long_ones_only=False))
        placed, closings = _build_outline(_clauses_only(text, found, parts))
    if not any(item.candidate.kind in _NUMBERED_KINDS for item in placed):
        found = _merge(_extract_candidates(found), found)
        placed, closings = _build_outline(_clauses_only(text, found, parts))
    if len(placed) < _MIN_SECTIONS:
        capitals = list(find_capital_lines(text))
        if len(capitals) >= _MIN_SECTIONS:
            found = _merge(found, capitals)
            placed, closings = _build_outline(_clauses_only(text, found, parts))
    if missed := list(find_missed(read, placed)):
        found = _merge(found, missed)
        placed, closings = _build_outline(_clauses_only(text, found, parts))
    if doubtful := _merge((*find_rivals(text, placed), *find_doubtful(text, placed)), find_unread(read, placed)):
        placed, closings = _build_outline(_merge(doubtful, _clauses_only(text, found, parts)))
    return _sections(read, placed, [*closings, *find_limits(text, placed)])


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
    limit = _body_end(text, pages)
    for candidate in find_at_line_starts(without_line_numbers(_without_running_lines(text, pages))):
        if candidate.start < limit:
            yield candidate


def _body_end(text: str, pages: Sequence[Page]) -> int:
    """Where the notes to an Act, or the parts appended after a Word file's body, begin."""
    beside = _APPENDED_PARTS.search(text) if not (pages and pages[0].lines) else None
    end = beside.start() if beside else len(text)
    start = int(end * MIN_BODY)
    ends = [notes.start()] if (notes := _END_NOTES.search(text, start, end)) else []
    return min(ends, default=end)


def _without_running_lines(text: str, pages: Sequence[Page]) -> str:
    """The text with its page headers and footers blotted out, so that what precedes them precedes the next page."""
    kept: list[str] = []
    end = 0
    for line in (line for page in pages for line in page.lines if line.running):
        kept += (text[end : line.start], NOT_READ * (line.end - max(line.start, end)))
        end = max(line.end, end)
    return "".join((*kept, text[end:]))


def _extract_candidates(found: Sequence[Candidate]) -> list[Candidate]:
    """Candidates of an extract, whose first number is arbitrary: titled clauses, if their numbers rise throughout."""
    titled = [
        candidate
        for candidate in found
        if candidate.kind in ("number", "dotted") and candidate.title and candidate.strong and not candidate.inline
    ]
    numbers = [[int(digits) for digits in re.findall(r"\d+", candidate.label)] for candidate in titled]
    lone = len(numbers) == 1 and len(numbers[0]) == 1
    if lone or any(later <= earlier for earlier, later in pairwise(numbers)):
        return []
    return [as_marked(candidate, len(number)) for candidate, number in zip(titled, numbers, strict=True)]


def _merge(marked: Iterable[Candidate], found: Iterable[Candidate]) -> list[Candidate]:
    """Merges candidates in text order; at equal starts `marked` wins."""
    by_start: dict[int, Candidate] = {}
    for candidate in (*marked, *found):
        by_start.setdefault(candidate.start, candidate)
    return [by_start[start] for start in sorted(by_start)]


@dataclass(frozen=True, slots=True)
class _Parts:
    """Places without clauses."""

    ends: list[Candidate]
    """Where the clauses end: at signatures, after recitals, and before notes appended to a Word file's body."""
    torn: list[tuple[int, int]]


def _find_parts(text: str, body_end: int) -> _Parts:
    ends = [closing(start, strong=True) for start in find_signatures(text)]
    ends += [closing(start) for start in find_recital_ends(text)]
    if "STYLEREF " in text:
        ends += [closing(text.rfind("\n", 0, code.start()) + 1, strong=True) for code in FIELD_CODE.finditer(text)]
    if body_end < len(text):
        ends.append(closing(body_end, strong=True))
    return _Parts(ends, list(find_torn_numbers(text)))


def _clauses_only(text: str, found: list[Candidate], parts: _Parts) -> list[Candidate]:
    """Drops tables of contents and torn numbers, and adds the places where all clauses end."""
    starts = [candidate.start for candidate in found if not (candidate.kind in LIST_KINDS or candidate.level)]
    spans = sorted([*find_contents(text, starts), *parts.torn])
    first = [span[0] for span in spans]

    def is_outside(candidate: Candidate) -> bool:
        at = bisect_right(first, candidate.start) - 1
        return at < 0 or candidate.level > 0 or candidate.start >= spans[at][1]

    outside = [candidate for candidate in drop_footers(text, found) if is_outside(candidate)]
    ends = [closing(start) for start in first]
    return _merge([*ends, *parts.ends], drop_contents_rows(drop_name_of_all(drop_schedule_lists(outside))))


def _build_outline(found: Sequence[Candidate]) -> tuple[list[PlacedHeading], list[tuple[int, int]]]:
    """Places the candidates twice, the second time without untitled lists of one item, which are no lists, unless the item
    has a list of its own, and without "SCHEDULE C" before the first clause, which is not the third schedule's.
    """
    outline = Outline(found)
    placed = outline.place_all()
    sizes = Counter(item.list_id for item in placed)
    parents = Counter(item.parent for item in placed)
    doubtful = {
        item.candidate.start
        for ordinal, item in enumerate(placed)
        if sizes[item.list_id] == 1 and item.weak and parents[ordinal] < _MIN_ITEMS
    }
    doubtful |= _later_schedules(placed)
    if doubtful:
        outline = Outline([candidate for candidate in found if candidate.start not in doubtful])
        placed = outline.place_all()
    return placed, outline.closings


def _later_schedules(placed: Sequence[PlacedHeading]) -> set[int]:
    """The starts of schedules before the first clause that are not the first, and that the file does not mark."""
    before = [item.candidate for item in takewhile(lambda item: item.kind not in _CLAUSE_KINDS, placed)]
    if len(before) == len(placed) or any(one.kind == "schedule" and container_number(one.label) == 1 for one in before):
        return set()
    return {one.start for one in before if one.kind == "schedule" and not one.level}


def _sections(text: str, placed: Sequence[PlacedHeading], closings: Sequence[tuple[int, int]] = ()) -> tuple[Section, ...]:
    ends = find_ends(text, placed, closings)
    if is_list_in_prose(text, placed, ends):
        return ()
    ambiguous = find_ambiguous(placed)
    kept: dict[int, Section] = {}
    for ordinal, item in enumerate(placed):
        if ordinal in ambiguous and (item.parent is not None or item.candidate.doubtful):
            continue  # its words are cited by the clause around it
        if ends[ordinal] <= item.candidate.start:
            continue  # beyond the clause around it
        start, end = item.candidate.start, ends[ordinal]
        while end > start and text[end - 1].isspace():
            end -= 1
        label, title = item.label or None, item.candidate.title
        if ordinal in ambiguous:
            label = title = None
        elif item.hidden:
            label = None
        around = item.parent
        while around is not None and around not in kept:
            around = placed[around].parent
        above = None if around is None else kept[around]
        parent, level = (None, 1) if above is None else (above.ordinal, above.level + 1)
        kept[ordinal] = Section(len(kept), parent, level, label, title, start, end)
    return tuple(kept.values())
