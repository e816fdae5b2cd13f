"""Rectangles of a text span, from the boxes of its lines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from orderly.models import Box
from orderly.store.functions.revisions import PageLine


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
