"""Puts the lines of a one-column PDF page in reading order. Some programs store headings and list items after the body."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import groupby, pairwise
from typing import Any

from orderly.models import Box

Block = dict[str, Any]
Line = dict[str, Any]
"""A block and a line of `Page.get_text("dict")`."""

_UPRIGHT = (1.0, 0.0)
_LABEL_CHARS = 12
"""Most characters of a label beside a line: a clause number, a bullet, a page number."""

_RAISED_CHARS = 4

_LABEL = re.compile(
    r"\W?[\divxlc]{1,6}(?:[.)]\d{0,3})*\W?|\W?[a-z][.)]|[^\w\s]{1,2}|(?:article|section|clause)\s[\divxlc.]+", re.IGNORECASE
)


def order_blocks(blocks: Sequence[Block]) -> Sequence[Block]:
    """Returns the blocks from top to bottom if the page is one column, else unchanged.

    The part of the page with text side by side, such as columns or signature blocks, keeps its stored order.
    """
    if not _is_out_of_order([line for block in blocks for line in block["lines"]]):
        return blocks  # most pages, before any text is put together
    numbered = [(line, number) for number, block in enumerate(blocks) for line in block["lines"] if _text(line)]
    lines = [line for line, _ in numbered]
    if not _is_out_of_order(lines) or any(line["dir"] != _UPRIGHT for line in lines):
        return blocks
    raised = _raised(lines)
    if not _is_out_of_order([line for at, line in enumerate(lines) if at not in raised]):
        return blocks
    rows = _rows(lines, raised)
    rows = _join_rows(rows, [at for at, row in enumerate(rows) if not _is_one_line([lines[place] for place in row])])
    places = [place for row in rows for place in row] + sorted(raised)
    return [{"lines": [lines[place] for place in group]} for _, group in groupby(places, key=lambda place: numbered[place][1])]


def _text(line: Line) -> str:
    return "".join([span["text"] for span in line["spans"]]).strip()


def _is_out_of_order(lines: Sequence[Line]) -> bool:
    """Whether a line stands wholly above the line before it."""
    return any(lower["bbox"][3] <= upper["bbox"][1] for upper, lower in pairwise(lines))


def _raised(lines: Sequence[Line]) -> frozenset[int]:
    """Numbers of the short lines in the box of another line: raised letters, as in "30th", that are stored apart."""
    boxes: list[Box] = [line["bbox"] for line in lines]
    return frozenset(
        at for at, line in enumerate(lines) if len(_text(line)) <= _RAISED_CHARS and _is_inside_another(boxes[at], boxes)
    )


def _is_inside_another(inner: Box, boxes: Sequence[Box]) -> bool:
    """Whether `inner` lies between the ends of another box and at least half in its height."""
    left, top, right, bottom = inner
    half = 0.5 * (bottom - top)
    # The ends are compared first, inline: a page of numbered lines makes thousands of these comparisons.
    return any(
        box[0] <= left and right <= box[2] and box is not inner and min(box[3], bottom) - max(box[1], top) >= half
        for box in boxes
    )


def _rows(lines: Sequence[Line], left_out: frozenset[int]) -> list[list[int]]:
    """Numbers of the lines by row, from top to bottom and left to right."""
    boxes: list[Box] = [line["bbox"] for line in lines]
    rows: list[list[int]] = []
    for place in sorted(set(range(len(lines))) - left_out, key=lambda at: boxes[at][1] + boxes[at][3]):
        if rows and any(_are_level(boxes[other], boxes[place]) for other in rows[-1]):
            rows[-1].append(place)
        else:
            rows.append([place])
    return [sorted(row, key=lambda at: boxes[at][0]) for row in rows]


def _join_rows(rows: list[list[int]], beside: Sequence[int]) -> list[list[int]]:
    """Joins the rows with text side by side, the rows between them and the lines stored among them, in stored order."""
    if not beside:
        return rows
    first, last = beside[0], beside[-1]
    while True:
        joined = sorted(place for row in rows[first : last + 1] for place in row)
        among = [at for at, row in enumerate(rows) if any(joined[0] < place < joined[-1] for place in row)]
        if not among or (first <= among[0] and among[-1] <= last):
            return [*rows[:first], joined, *rows[last + 1 :]]
        first, last = min(first, among[0]), max(last, among[-1])


def _are_level(one: Box, other: Box) -> bool:
    """Whether two lines stand side by side: they overlap in height, not in width."""
    overlap = min(one[3], other[3]) - max(one[1], other[1])
    return overlap > 0.3 * min(one[3] - one[1], other[3] - other[1]) and (one[2] <= other[0] + 1 or other[2] <= one[0] + 1)


def _is_one_line(row: Sequence[Line]) -> bool:
    """Whether at most one part of the row is more than a label, apart from fragments of one line of words."""
    parts = [[row[0]]]
    for before, line in pairwise(row):
        gap, height = line["bbox"][0] - before["bbox"][2], before["bbox"][3] - before["bbox"][1]
        if gap < height:
            parts[-1].append(line)
        else:
            parts.append([line])
    return sum(not _is_label(" ".join(_text(line) for line in part)) for part in parts) <= 1


def _is_label(text: str) -> bool:
    return len(text) <= _LABEL_CHARS and _LABEL.fullmatch(text) is not None
