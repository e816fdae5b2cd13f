"""Finds letters of a PDF page under a box that is drawn over them, or on a box of their own colour."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pymupdf

from orderly.models import Box
from orderly.services.document_processor.ink_detection import grounds, spans_with_ink
from orderly.services.document_processor.page_content import Drawn
from orderly.services.document_processor.page_layout import Block

_LEAST_SIDE = 3.0
_NEARLY_WHITE = 240
_PALE = 0xF0F0F0
_SAME_GREY = 20
_THICK_LINE = 0.6
"""Least height of a line that covers letters, as a share of theirs."""


class Covers:
    """Boxes that may cover letters; whether they do is seen in the drawn page."""

    def __init__(self, drawn: Sequence[Drawn], blocks: Sequence[Block]) -> None:
        boxes = [_without_ends(box) for box in drawn if _may_cover(box)]
        self._boxes = sorted(_over_text(boxes, blocks), key=_top) if boxes else []
        self._tops = [_top(box) for box in self._boxes]
        self._tallest = max((box.box[3] - box.box[1] for box in self._boxes), default=0.0)

    def __bool__(self) -> bool:
        return bool(self._boxes)

    def may_cover(self, number: int, letter: dict[str, Any], colour: int) -> bool:
        x0, y0, x1, y1 = letter["bbox"]
        x, y = (x0 + x1) / 2, (y0 + y1) / 2
        return any(
            box.box[0] <= x <= box.box[2] and box.box[1] <= y <= box.box[3] and _is_over(box, number, colour)
            for box in self._boxes[bisect_left(self._tops, y - self._tallest) : bisect_right(self._tops, y)]
        )

    def hidden(self, page: pymupdf.Page, spans: Sequence[dict[str, Any]], blocks: Sequence[Block]) -> list[dict[str, Any]]:
        """Those of the spans that cannot be seen."""
        inner = [{"bbox": _inside(span["bbox"])} for span in spans]
        inked = spans_with_ink(page, inner)
        found: list[dict[str, Any]] = []
        for span, place, (dark, light) in zip(spans, inner, grounds(page, inner), strict=True):
            if id(place) not in inked:
                found.append(span)
            elif light - dark < _SAME_GREY and (light < 128 or dark >= _NEARLY_WHITE) and _is_written_over(span, blocks):
                found.append(span)  # the ink is that of other words, on the box
        return found


def _top(drawn: Drawn) -> float:
    return drawn.box[1]


def _may_cover(drawn: Drawn) -> bool:
    x0, y0, x1, y1 = drawn.box
    if not (drawn.straight and drawn.opaque) or y1 - y0 < _LEAST_SIDE or x1 - x0 < _LEAST_SIDE:
        return False
    return drawn.after > 0 or drawn.colour & _PALE != _PALE  # many pages begin with a white ground


def _without_ends(drawn: Drawn) -> Drawn:
    """MuPDF states the box of a thick line longer than the line, by half of its thickness at each end."""
    if not drawn.stroked:
        return drawn
    x0, y0, x1, y1 = drawn.box
    end = min((y1 - y0) / 2, (x1 - x0) / 2)
    return replace(drawn, box=(x0 + end, y0, x1 - end, y1))


def _over_text(boxes: Sequence[Drawn], blocks: Sequence[Block]) -> list[Drawn]:
    ordered = sorted(boxes, key=_top)
    tops = [_top(box) for box in ordered]
    tallest = max(box.box[3] - box.box[1] for box in boxes)
    found: dict[int, Drawn] = {}
    for number, block in enumerate(blocks):
        for line in block["lines"]:
            x0, y0, x1, y1 = line["bbox"]
            middle = (y0 + y1) / 2
            for at in range(bisect_left(tops, middle - tallest), bisect_left(tops, middle)):
                box = ordered[at]
                if at not in found and box.box[3] > middle and box.box[0] < x1 - 1 and box.box[2] > x0 + 1:
                    tall = _THICK_LINE * (y1 - y0) < box.box[3] - box.box[1] <= y1 - y0
                    if (not box.stroked or tall) and any(_is_over(box, number, span["color"]) for span in line["spans"]):
                        found[at] = box
    return list(found.values())


def _is_over(box: Drawn, number: int, colour: int) -> bool:
    """Whether the box is drawn after the text block, or has the colour of its letters, other than white."""
    return number < box.after or (colour & _PALE != _PALE and abs(_grey(box.colour) - _grey(colour)) < _SAME_GREY)


def _grey(colour: int) -> float:
    return 0.3 * (colour >> 16 & 255) + 0.59 * (colour >> 8 & 255) + 0.11 * (colour & 255)


def _inside(box: Box) -> Box:
    """The middle of a box: a cover may end at its edges."""
    x0, y0, x1, y1 = box
    across, down = min(1.5, 0.3 * (x1 - x0)), 0.25 * (y1 - y0)
    return (x0 + across, y0 + down, x1 - across, y1 - down)


def _is_written_over(span: dict[str, Any], blocks: Sequence[Block]) -> bool:
    """Whether other words stand in the place of the span."""
    x0, y0, x1, y1 = _inside(span["bbox"])
    return any(
        other is not span and box[0] < x1 and x0 < box[2] and box[1] < y1 and y0 < box[3]
        for block in blocks
        for line in block["lines"]
        for other in line["spans"]
        if (box := other["bbox"])
    )
