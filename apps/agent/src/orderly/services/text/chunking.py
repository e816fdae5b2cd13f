"""Splits a text into search passages along its clauses, then along sentences.

Every non-space character is in a passage, except where a text repeats itself: of passages with the same words, the first
`MOST_ALIKE` are kept.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from orderly.models import Chunk, Page, Section, Span

_PARAGRAPH = re.compile(r"\n\s*\n\s*")
_LINE = re.compile(r"\n\s*")
_SENTENCE = re.compile(r"[.;:?!][\"”’')\]]*\s+")
_WORD = re.compile(r"\s+")
_BOUNDARIES = (_PARAGRAPH, _SENTENCE, _LINE, _WORD)


BARE_HEADING_CHARS = 120
"""Characters up to which a clause is little more than its heading and shares a passage with its first child."""

MOST_ALIKE = 20
"""Passages of one text with the same words. More would only crowd search results, and cost whoever reads and stores them."""

SMALL_CLAUSE_CHARS = 400
"""Characters up to which a clause may share a passage with its neighbours."""


def chunk(
    text: str,
    sections: Sequence[Section],
    pages: Sequence[Page],
    *,
    max_chars: int = 1500,
    overlap: int = 200,
) -> tuple[Chunk, ...]:
    """Cuts `text` into passages of at most `max_chars` characters, in order. CPU-bound.

    A passage ends where the next clause begins, except that small neighbouring clauses under one parent share a passage.
    Passages overlap, by at most `overlap` characters, only within a clause that is longer than `max_chars`.
    """
    if not 0 <= overlap < max_chars:
        raise ValueError("overlap must be at least 0 and less than max_chars")
    spans = _few_alike(
        text,
        (piece for span in _merge_small_clauses(text, sections, max_chars) for piece in _split(text, span, max_chars, overlap)),
    )
    starts = [section.start for section in sections]
    page_starts = [page.start for page in pages]
    return tuple(
        Chunk(
            ordinal,
            start,
            end,
            _around(sections, _innermost(sections, starts, start), end),
            _page_at(pages, page_starts, start),
            _page_at(pages, page_starts, end - 1),
        )
        for ordinal, (start, end) in enumerate(spans)
    )


def _few_alike(text: str, spans: Iterable[Span]) -> list[Span]:
    seen: Counter[str] = Counter()
    kept = []
    for start, end in spans:
        words = _WORD.sub(" ", text[start:end])
        seen[words] += 1
        if seen[words] <= MOST_ALIKE:
            kept.append((start, end))
    return kept


def _merge_small_clauses(text: str, sections: Sequence[Section], max_chars: int) -> Iterator[Span]:
    """Yields the spans between clause starts, with small neighbours merged and surrounding white space trimmed."""
    owners = _owning_clauses(sections)
    joined: Span | None = None
    owner: int | None = None
    for start, end, ordinal in _section_spans(text, sections):
        span = _trim(text, start, end)
        if span is None:
            continue
        clause = None if ordinal is None else owners[ordinal]
        if joined is not None and _may_merge(sections, joined, owner, span, clause, max_chars):
            joined = (joined[0], span[1])
            continue
        if joined is not None:
            yield joined
        joined, owner = span, clause
    if joined is not None:
        yield joined


def _may_merge(
    sections: Sequence[Section], one: Span, owner: int | None, other: Span, clause: int | None, max_chars: int
) -> bool:
    if owner is None or clause is None:
        return False
    fits = other[1] - one[0] <= max_chars
    if owner == clause:
        return fits
    parent = sections[clause].parent
    if parent == owner and one[1] - one[0] <= BARE_HEADING_CHARS:
        return fits or other[1] - other[0] > max_chars
    small = one[1] - one[0] <= SMALL_CLAUSE_CHARS and other[1] - other[0] <= SMALL_CLAUSE_CHARS
    return fits and small and parent is not None and parent in (owner, sections[owner].parent)


def _section_spans(text: str, sections: Sequence[Section]) -> Iterator[tuple[int, int, int | None]]:
    """Yields start, end and section ordinal of consecutive spans that cover the whole text."""
    if not sections or sections[0].start > 0:
        yield 0, sections[0].start if sections else len(text), None
    for position, section in enumerate(sections):
        end = sections[position + 1].start if position + 1 < len(sections) else len(text)
        yield section.start, end, position


def _owning_clauses(sections: Sequence[Section]) -> list[int]:
    """Maps each section to the clause that owns its text: "12.1" for "12.1(a)(i)"."""
    owners: list[int] = []
    for position, section in enumerate(sections):
        bracketed = section.label is not None and (section.label.endswith(")") or ", item" in section.label)
        owners.append(owners[section.parent] if bracketed and section.parent is not None else position)
    return owners


def _split(text: str, span: Span, max_chars: int, overlap: int) -> Iterator[Span]:
    start, end = span
    reached = start
    while end - start > max_chars:
        # The cut must lie beyond the previous piece: otherwise a large overlap would repeat the same cut.
        cut = _find_cut(text, start, start + max_chars, max(max_chars // 2, reached - start + 1))
        piece = _trim(text, start, cut)
        assert piece is not None
        if piece[1] <= reached:
            start = _next_start(text, (start, reached), 0)
            continue
        yield piece
        reached = piece[1]
        start = _next_start(text, piece, overlap)
    last = _trim(text, start, end)
    if last is not None and last[1] > reached:
        yield last


def _find_cut(text: str, start: int, limit: int, least: int) -> int:
    """Finds the last boundary before `limit`: a paragraph, else a sentence, else a line, else a word."""
    for boundary in _BOUNDARIES:
        cut = max((match.end() for match in boundary.finditer(text, start + least, limit)), default=0)
        if cut:
            return cut
    return limit


def _next_start(text: str, piece: Span, overlap: int) -> int:
    """Finds the start of the next piece: a boundary in the last `overlap` characters, else the end of this piece."""
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


def _around(sections: Sequence[Section], innermost: int | None, end: int) -> int | None:
    """The section that holds the whole passage: the clause above two short ones. Without such a section, the first."""
    position = innermost
    while position is not None and sections[position].end < end:
        position = sections[position].parent
    return innermost if position is None else position


def _page_at(pages: Sequence[Page], starts: Sequence[int], at: int) -> int:
    return pages[max(bisect_right(starts, at) - 1, 0)].number if pages else 1
