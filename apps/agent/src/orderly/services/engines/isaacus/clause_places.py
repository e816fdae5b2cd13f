"""Divides a classified chunk into the clauses that it holds, so that the supported clause can be cited instead of the chunk."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from orderly.services.engines.isaacus.replies import Passage

_PARAGRAPH = re.compile(r"\n\s*\n")


def divide(text: str, chunk: Passage, sections: Sequence[tuple[int, int, str]]) -> list[tuple[int, int]]:
    """Spans of the clauses of a chunk, without the blanks around them; its paragraphs where no section begins inside.

    A span that holds only a heading belongs to the span after it.
    """
    cuts = {offset for start, end, _ in sections for offset in (start, end) if chunk.start < offset < chunk.end}
    if not any(_strip(text, chunk.start, cut) and _strip(text, cut, chunk.end) for cut in cuts):
        cuts = {match.end() for match in _PARAGRAPH.finditer(text, chunk.start, chunk.end)}
    headings = {start: " ".join(heading.split()) for start, _, heading in sections}
    spans: list[tuple[int, int]] = []
    bounds = sorted({chunk.start, *cuts, chunk.end})
    begin = bounds[0]
    for start, end in pairwise(bounds):
        only_heading = start in headings and _letters(text[start:end]) <= _letters(headings[start])
        if only_heading and end != chunk.end:
            continue
        if span := _strip(text, begin, end):
            spans.append(span)
        begin = end
    return spans


def choose(chunk: Passage, parts: Sequence[Passage], supported: float) -> list[Passage]:
    """The parts of a supported chunk; if none is supported by itself, the best part stands for the chunk, with its score."""
    if any(part.score > supported for part in parts):
        return list(parts)
    best = max(parts, key=lambda part: part.score)
    return [Passage(part.start, part.end, chunk.score) if part is best else part for part in parts]


def _letters(text: str) -> int:
    return sum(map(str.isalnum, text))


def _strip(text: str, start: int, end: int) -> tuple[int, int] | None:
    part = text[start:end]
    first = start + len(part) - len(part.lstrip())
    return (first, first + len(part.strip())) if part.strip() else None
