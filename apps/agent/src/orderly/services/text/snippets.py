"""Snippets: matches with their surrounding lines. Close matches share a snippet."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

MAX_SNIPPET_CHARS = 1_200
"""Characters. Bounds the context, since a line of a Word file is a whole paragraph."""


@dataclass(frozen=True, slots=True)
class Snippet:
    """`start`, `end`: of the lines shown. `matches`: spans in text order, without overlaps."""

    start: int
    end: int
    matches: Sequence[tuple[int, int]]

    @property
    def first_match(self) -> int:
        return self.matches[0][0]

    @property
    def last_match(self) -> int:
        return self.matches[-1][1]


def cut_snippets(text: str, matches: Sequence[tuple[int, int]], context_lines: int) -> list[Snippet]:
    """Snippets in text order. `context_lines`: lines before and after the line of a match; 0: only that line."""
    found: list[Snippet] = []
    for start, end in matches:
        first, last = _context_span(text, start, end, context_lines)
        if found and first <= found[-1].end and last - found[-1].start <= MAX_SNIPPET_CHARS:
            before = found[-1]
            found[-1] = Snippet(before.start, max(before.end, last), [*before.matches, (start, end)])
        else:
            found.append(Snippet(first, last, [(start, end)]))
    return found


def _context_span(text: str, start: int, end: int, lines: int) -> tuple[int, int]:
    first = start
    for _ in range(lines + 1):
        first = text.rfind("\n", 0, first)
        if first < 0:
            break
    last = end
    for n in range(lines + 1):
        last = text.find("\n", last + (n > 0))
        if last < 0:
            break
    first, last = first + 1 if first >= 0 else 0, last if last >= 0 else len(text)
    room = max(MAX_SNIPPET_CHARS - (end - start), 0) // 2
    first, last = _limit_start(text, first, start, room), end + min(last - end, room)
    if last < len(text) and not text[last].isspace() and last > end:
        last = max(text.rfind(" ", end, last), end)
    while first < start and text[first].isspace():
        first += 1
    while last > end and text[last - 1].isspace():
        last -= 1
    return first, last


def _limit_start(text: str, first: int, start: int, room: int) -> int:
    """Limits the context before the match to `room` characters, starting at a word."""
    if start - first <= room:
        return first
    space = text.find(" ", start - room, start)
    return space + 1 if space >= 0 else start
