"""Positions of a text span on a page: covered lines, and their rectangles in points or pixels."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from orderly.models import Box
from orderly.store.functions.revisions import PageLine

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MIN_GAP_RATIO = 1.25
"""Least ratio of the narrowest gap between words to the widest gap inside a word for the word boundaries to be trusted."""

INK_CONTRAST = 60
"""Difference from the background grey, of 255, above which a pixel is ink."""


@dataclass(frozen=True, slots=True)
class LineMark:
    """The part of one line covered by a span. `box`: of the whole line, in points from the top left corner."""

    box: Box
    words: int
    """Number of words in the line; those in the half-open range `first` to `last` are covered."""
    first: int
    last: int
    share: tuple[float, float]
    """Start and end of the covered part by characters, 0..1."""
    backwards: bool = False
    """The line starts at the right or at the bottom: its text is upside down or runs up the page."""


def line_marks(lines: Sequence[Sequence[float]], text: str, text_start: int, start: int, end: int) -> Iterator[LineMark]:
    """Yields a mark for every line that overlaps the span.

    Args:
        lines: [start, end, x0, y0, x1, y1, …] of every line of the page; offsets in the revision's text.
        text: The page's text.
        text_start: Offset of the page's text in the revision's text.
        start: Start of the span.
        end: End of the span, exclusive.
    """
    reversed_by_direction = {down: _is_reversed(lines, down) for down in (False, True)}
    for line in lines:
        first, last = int(line[0]), int(line[1])
        if first >= end or last <= start or first == last:
            continue
        line_text = text[first - text_start : last - text_start]
        before, within = line_text[: max(start - first, 0)], line_text[: max(min(end, last) - first, 0)]
        if not within[len(before) :].strip():
            continue
        box: Box = (line[2], line[3], line[4], line[5])
        yield LineMark(
            box=box,
            words=len(line_text.split()),
            first=len(before.split()) - (1 if before and not before[-1].isspace() else 0),
            last=len(within.split()),
            share=(len(before) / len(line_text), len(within) / len(line_text)),
            backwards=reversed_by_direction[is_vertical(box)],
        )


def _is_reversed(lines: Sequence[Sequence[float]], down: bool) -> bool:
    """Whether the text is upside down or runs up the page, judged by the order of its lines.

    Upside down, each line is above the previous one. Lines running down the page succeed each other from right to left,
    lines running up the page from left to right.
    """
    at = [line[2] if down else line[3] for line in lines if is_vertical((line[2], line[3], line[4], line[5])) is down]
    rising = sum((b > a) - (b < a) for a, b in pairwise(at))
    return rising > 0 if down else rising < 0


def span_rectangles(lines: Sequence[PageLine], start: int, end: int) -> Iterator[Box]:
    """Yields one box per line, in points from the top left corner of the page as displayed.

    `lines`: of a page, in any order. A partly covered line is cut in proportion to its characters; as
    letters differ in width, the cut may be off by a letter or two. A vertical line is included whole.
    """
    for line in lines:
        first, last = max(start, line["start"]), min(end, line["end"])
        if first >= last:
            continue
        x0, y0, x1, y1 = line["box"]
        if y1 - y0 > 2 * (x1 - x0):
            yield (x0, y0, x1, y1)
            continue
        length = line["end"] - line["start"]
        left = x0 + (x1 - x0) * (first - line["start"]) / length
        right = x0 + (x1 - x0) * (last - line["start"]) / length
        yield (round(left, 2), y0, round(right, 2), y1)


def mark_rectangles(marks: Sequence[LineMark]) -> list[Box]:
    """Rectangles in points, from the stored boxes: partly covered lines are cut in proportion to their characters."""
    return [_covered_part(mark) for mark in marks]


def _covered_part(mark: LineMark) -> Box:
    x0, y0, x1, y1 = mark.box
    start, end = mark.share
    if mark.backwards:
        start, end = 1 - end, 1 - start
    if is_vertical(mark.box):
        return (x0, y0 + (y1 - y0) * start, x1, y0 + (y1 - y0) * end)
    return (x0 + (x1 - x0) * start, y0, x0 + (x1 - x0) * end, y1)


def is_vertical(box: Box) -> bool:
    """Whether the line runs along the page's height: its box is much higher than wide."""
    return box[3] - box[1] > 2.5 * (box[2] - box[0])


def drawn_rectangle(mark: LineMark, grey: NDArray[np.uint8], scale: float) -> Box:
    """The covered rectangle in pixels, cut between words where the ink shows the gaps, else in proportion to characters.

    `grey`: the page, rows by columns. `scale`: pixels per point.
    """
    x0, y0, x1, y1 = (round(value * scale) for value in mark.box)
    part = grey[max(y0, 0) : max(y1, 0), max(x0, 0) : max(x1, 0)]
    down = is_vertical(mark.box)
    whole = mark.first == 0 and mark.last == mark.words
    edges = None if whole or not part.size else _word_edges(part, mark.words, down=down)
    if edges is None:
        left, top, right, bottom = (value * scale for value in _covered_part(mark))
        return (left, top, right, bottom)
    covered = edges[::-1][mark.first : mark.last] if mark.backwards else edges[mark.first : mark.last]
    start, end = min(first for first, _ in covered), max(last for _, last in covered)
    return (x0, y0 + start, x1, y0 + end) if down else (x0 + start, y0, x0 + end, y1)


def _word_edges(part: NDArray[np.uint8], words: int, *, down: bool) -> list[tuple[int, int]] | None:
    """Start and end of every word along the line, in pixels; None where the gaps between words are ambiguous."""
    import numpy as np  # noqa: PLC0415  # takes 0.17 s to import, needed only for drawing

    background = np.median(part)
    inked = np.flatnonzero((np.abs(part.astype(np.int16) - background) > INK_CONTRAST).any(axis=1 if down else 0))
    if inked.size == 0 or words < 1:
        return None
    gaps = np.diff(inked) - 1
    widest = np.argsort(-gaps, kind="stable")
    if words > 1 and (len(gaps) < words - 1 or gaps[widest[words - 2]] < 1):
        return None
    if 0 < words - 1 < len(gaps) and gaps[widest[words - 2]] < MIN_GAP_RATIO * gaps[widest[words - 1]]:
        return None
    cuts = sorted(int(at) for at in widest[: words - 1])
    firsts = [int(inked[0]), *(int(inked[at + 1]) for at in cuts)]
    lasts = [*(int(inked[at]) + 1 for at in cuts), int(inked[-1]) + 1]
    return list(zip(firsts, lasts, strict=True))
