"""Where a span stands on a page, from the boxes of its lines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from orderly.models import Box
from orderly.store.functions.revisions import PageLine


def rectangles(lines: Sequence[PageLine], start: int, end: int) -> Iterator[Box]:
    """One box a line, in points from the top left corner of the page as it is read.

    `lines`: of a page, in any order. A line that the span covers in part is cut by the share of its
    characters: letters differ in width, so the cut may be off by a letter or two. A line that runs up or down the page is
    taken whole.
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
