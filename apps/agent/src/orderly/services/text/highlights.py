"""Where on a page a span of its text stands."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from orderly.models import Box

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

CLEAR_GAP = 1.25
"""A gap between words is at least this many times as wide as the widest one inside a word, or it proves nothing."""

INK = 60
"""Difference from the ground, of 255, that counts as ink."""


@dataclass(frozen=True, slots=True)
class LineMark:
    """The part of one line that a span covers. `box`: of the whole line, in points from the top left corner."""

    box: Box
    words: int
    """Words of the line, of which `first` to `last` (half-open) are covered."""
    first: int
    last: int
    share: tuple[float, float]
    """The part covered, by characters: 0 is the line's beginning, 1 its end."""
    backwards: bool = False
    """The line begins at the right or at the bottom: the text stands upside down, or runs up the page."""


def line_marks(lines: Sequence[Sequence[float]], text: str, text_start: int, start: int, end: int) -> Iterator[LineMark]:
    """For every line that the span touches.

    Args:
        lines: [start, end, x0, y0, x1, y1, …] of every line of the page; offsets in the revision's text.
        text: The page's text, which begins at `text_start` of the revision's.
        text_start: See there.
        start: Of the span.
        end: Of the span.
    """
    turned = {down: _backwards(lines, down) for down in (False, True)}
    for line in lines:
        first, last = int(line[0]), int(line[1])
        if first >= end or last <= start or first == last:
            continue
        own = text[first - text_start : last - text_start]
        before, within = own[: max(start - first, 0)], own[: max(min(end, last) - first, 0)]
        if not within[len(before) :].strip():
            continue
        box: Box = (line[2], line[3], line[4], line[5])
        yield LineMark(
            box=box,
            words=len(own.split()),
            first=len(before.split()) - (1 if before and not before[-1].isspace() else 0),
            last=len(within.split()),
            share=(len(before) / len(own), len(within) / len(own)),
            backwards=turned[upright(box)],
        )


def _backwards(lines: Sequence[Sequence[float]], down: bool) -> bool:
    """From the order of the lines: of text upside down each stands above the one before it.

    Lines that run down the page follow each other from right to left; those that run up it, from left to right.
    """
    at = [line[2] if down else line[3] for line in lines if upright((line[2], line[3], line[4], line[5])) is down]
    rising = sum((b > a) - (b < a) for a, b in pairwise(at))
    return rising > 0 if down else rising < 0


def mark_rectangles(marks: Sequence[LineMark]) -> list[Box]:
    """In points, from the stored boxes alone: partly covered lines are cut in proportion to their characters."""
    return [_part(mark) for mark in marks]


def _part(mark: LineMark) -> Box:
    x0, y0, x1, y1 = mark.box
    start, end = mark.share
    if mark.backwards:
        start, end = 1 - end, 1 - start
    if upright(mark.box):
        return (x0, y0 + (y1 - y0) * start, x1, y0 + (y1 - y0) * end)
    return (x0 + (x1 - x0) * start, y0, x0 + (x1 - x0) * end, y1)


def upright(box: Box) -> bool:
    """Whether the line runs down the page: it is much higher than wide."""
    return box[3] - box[1] > 2.5 * (box[2] - box[0])


def drawn_rectangle(mark: LineMark, grey: NDArray[np.uint8], scale: float) -> Box:
    """In pixels of the drawn page, cut between words where the ink shows the gaps between them.

    `grey`: the page, rows by columns. `scale`: pixels per point.
    """
    x0, y0, x1, y1 = (round(value * scale) for value in mark.box)
    part = grey[max(y0, 0) : max(y1, 0), max(x0, 0) : max(x1, 0)]
    down = upright(mark.box)
    whole = mark.first == 0 and mark.last == mark.words
    edges = None if whole or not part.size else _word_edges(part, mark.words, down=down)
    if edges is None:
        left, top, right, bottom = (value * scale for value in _part(mark))
        return (left, top, right, bottom)
    covered = edges[::-1][mark.first : mark.last] if mark.backwards else edges[mark.first : mark.last]
    start, end = min(first for first, _ in covered), max(last for _, last in covered)
    return (x0, y0 + start, x1, y0 + end) if down else (x0 + start, y0, x0 + end, y1)


def _word_edges(part: NDArray[np.uint8], words: int, *, down: bool) -> list[tuple[int, int]] | None:
    """Beginning and end of every word along the line; None where the gaps between words are not clear."""
    import numpy as np  # noqa: PLC0415  # a sixth of a second, which only who draws should wait for

    ground = np.median(part)
    inked = np.flatnonzero((np.abs(part.astype(np.int16) - ground) > INK).any(axis=1 if down else 0))
    if inked.size == 0 or words < 1:
        return None
    gaps = np.diff(inked) - 1
    widest = np.argsort(-gaps, kind="stable")
    if words > 1 and (len(gaps) < words - 1 or gaps[widest[words - 2]] < 1):
        return None
    if 0 < words - 1 < len(gaps) and gaps[widest[words - 2]] < CLEAR_GAP * gaps[widest[words - 1]]:
        return None
    cuts = sorted(int(at) for at in widest[: words - 1])
    firsts = [int(inked[0]), *(int(inked[at + 1]) for at in cuts)]
    lasts = [*(int(inked[at]) + 1 for at in cuts), int(inked[-1]) + 1]
    return list(zip(firsts, lasts, strict=True))
