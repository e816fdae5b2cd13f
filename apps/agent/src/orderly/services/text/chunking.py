"""Clauses -> passages for search: structure first, then sentences; nothing that is written is left out."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence

from orderly.models import Chunk, Page, Section

_PARAGRAPH = re.compile(r"\n\s*\n\s*")
_LINE = re.compile(r"\n\s*")
_SENTENCE = re.compile(r"[.;:?!][\"”’')\]]*\s+")
_WORD = re.compile(r"\s+")
_BOUNDARIES = (_PARAGRAPH, _SENTENCE, _LINE, _WORD)

Span = tuple[int, int]

HEADING = 120
"""Characters: a clause no longer than this is little more than its heading and goes with its first child."""

SMALL = 400
"""Characters: neighbours up to this size share a passage."""


def chunk(
    text: str,
    sections: Sequence[Section],
    pages: Sequence[Page],
    *,
    max_chars: int = 1500,
    overlap: int = 200,
) -> tuple[Chunk, ...]:
    """Cut `text` into passages of at most `max_chars` characters, in order. CPU-bound.

    A passage does not run past the start of a clause, except that small neighbouring clauses under one parent share a
    passage. Only where one clause is too long do passages overlap, by at most `overlap` characters.
    """
    if not 0 <= overlap < max_chars:
        raise ValueError("overlap must be at least 0 and less than max_chars")
    spans = [piece for span in _merged(text, sections, max_chars) for piece in _split(text, span, max_chars, overlap)]
    starts = [section.start for section in sections]
    page_starts = [page.start for page in pages]
    return tuple(
        Chunk(
            ordinal,
            start,
            end,
            _innermost(sections, starts, start),
            _page_at(pages, page_starts, start),
            _page_at(pages, page_starts, end - 1),
        )
        for ordinal, (start, end) in enumerate(spans)
    )


def _merged(text: str, sections: Sequence[Section], max_chars: int) -> Iterator[Span]:
    """Stretches between clause starts, small neighbours joined, white space at both ends dropped."""
    homes = _homes(sections)
    joined: Span | None = None
    home: int | None = None
    for start, end, ordinal in _stretches(text, sections):
        span = _trim(text, start, end)
        if span is None:
            continue
        clause = None if ordinal is None else homes[ordinal]
        if joined is not None and _belong_together(sections, joined, home, span, clause, max_chars):
            joined = (joined[0], span[1])
            continue
        if joined is not None:
            yield joined
        joined, home = span, clause
    if joined is not None:
        yield joined


def _belong_together(
    sections: Sequence[Section], one: Span, home: int | None, other: Span, clause: int | None, max_chars: int
) -> bool:
    if home is None or clause is None:
        return False
    fits = other[1] - one[0] <= max_chars
    if home == clause:
        return fits
    parent = sections[clause].parent
    if parent == home and one[1] - one[0] <= HEADING:
        return fits or other[1] - other[0] > max_chars
    small = one[1] - one[0] <= SMALL and other[1] - other[0] <= SMALL
    return fits and small and parent is not None and parent in (home, sections[home].parent)


def _stretches(text: str, sections: Sequence[Section]) -> Iterator[tuple[int, int, int | None]]:
    """Start, end and section of every stretch; together they are the whole text."""
    if not sections or sections[0].start > 0:
        yield 0, sections[0].start if sections else len(text), None
    for position, section in enumerate(sections):
        end = sections[position + 1].start if position + 1 < len(sections) else len(text)
        yield section.start, end, position


def _homes(sections: Sequence[Section]) -> list[int]:
    """The clause to which each section's text belongs: "12.1" for "12.1(a)(i)"."""
    homes: list[int] = []
    for position, section in enumerate(sections):
        bracketed = section.label is not None and (section.label.endswith(")") or ", item" in section.label)
        homes.append(homes[section.parent] if bracketed and section.parent is not None else position)
    return homes


def _split(text: str, span: Span, max_chars: int, overlap: int) -> Iterator[Span]:
    start, end = span
    behind = start
    while end - start > max_chars:
        # Past what the piece before reached, or a large overlap would be cut again and again.
        cut = _cut(text, start, start + max_chars, max(max_chars // 2, behind - start + 1))
        piece = _trim(text, start, cut)
        assert piece is not None
        if piece[1] <= behind:
            start = _resume(text, (start, behind), 0)
            continue
        yield piece
        behind = piece[1]
        start = _resume(text, piece, overlap)
    last = _trim(text, start, end)
    if last is not None and last[1] > behind:
        yield last


def _cut(text: str, start: int, limit: int, least: int) -> int:
    """The last good boundary before `limit`, paragraphs before sentences before lines before words."""
    for boundary in _BOUNDARIES:
        cut = max((match.end() for match in boundary.finditer(text, start + least, limit)), default=0)
        if cut:
            return cut
    return limit


def _resume(text: str, piece: Span, overlap: int) -> int:
    """Where the next piece starts: inside the last `overlap` characters at a boundary, else right behind."""
    earliest = max(piece[1] - overlap, piece[0] + 1)
    for boundary in (_SENTENCE, _WORD) if overlap else ():
        match = boundary.search(text, earliest, piece[1])
        if match and match.end() < piece[1]:
            return match.end()
    following = _trim(text, piece[1], len(text))
    assert following is not None
    return following[0]


def _trim(text: str, start: int, end: int) -> Span | None:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return (start, end) if start < end else None


def _innermost(sections: Sequence[Section], starts: Sequence[int], at: int) -> int | None:
    position = bisect_right(starts, at) - 1
    while position >= 0 and sections[position].end <= at:
        parent = sections[position].parent
        position = -1 if parent is None else parent
    return position if position >= 0 else None


def _page_at(pages: Sequence[Page], starts: Sequence[int], at: int) -> int:
    return pages[max(bisect_right(starts, at) - 1, 0)].number if pages else 1
