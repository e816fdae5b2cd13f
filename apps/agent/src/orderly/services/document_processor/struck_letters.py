"""Finds letters of a PDF page that a line or a thin box strikes out, also that of a StrikeOut annotation."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from typing import Any

import pymupdf

from orderly.services.document_processor.page_content import Drawn
from orderly.services.document_processor.page_layout import Block

_LOWEST, _HIGHEST = 0.1, 0.5
"""Where a line strikes letters: above their foot, as a share of their size. Lines below underline."""

_THICKEST = 0.35
_NOTE_LINE = 0.43
"""Where the line of a StrikeOut annotation runs, as a share of its height, from below."""
_LEAST_LENGTH = 3.0
_PEN_SLOPE = 0.15
"""Of a line by hand, the height as a share of its length."""
_NEARLY_WHITE = 0xE0
_UPRIGHT = (1.0, 0.0)


class Strikes:
    """Lines that go through the middle of letters."""

    def __init__(self, drawn: Sequence[Drawn], blocks: Sequence[Block]) -> None:
        thin = [line for line in drawn if _may_strike(line)]
        self._lines = _through_text(thin, blocks) if thin else []
        self._feet = [_middle(line) for line in self._lines]

    def __bool__(self) -> bool:
        return bool(self._lines)

    def is_struck(self, letter: dict[str, Any]) -> bool:
        x0, y0, x1, y1 = letter["bbox"]
        size, x, foot = y1 - y0, (x0 + x1) / 2, letter["origin"][1]
        first = bisect_left(self._feet, foot - _HIGHEST * size)
        for at in range(first, len(self._lines)):
            line = self._lines[at]
            if self._feet[at] > foot - _LOWEST * size * 0.7:
                return False
            if line.box[0] <= x <= line.box[2]:
                return True
        return False


def struck_by_notes(page: pymupdf.Page) -> list[Drawn]:
    """Lines of StrikeOut annotations, which may be drawn in a way of their own."""
    found: list[Drawn] = []
    for note in page.annots(types=(pymupdf.PDF_ANNOT_STRIKE_OUT, pymupdf.PDF_ANNOT_INK)):
        if note.type[0] == pymupdf.PDF_ANNOT_INK:
            found += _pen_lines(page, note)
            continue
        corners = note.vertices or []
        for at in range(0, len(corners) - 3, 4):
            area = pymupdf.Quad(corners[at : at + 4]).rect * page.derotation_matrix
            middle = area.y1 - _NOTE_LINE * area.height
            if not note.flags & pymupdf.PDF_ANNOT_IS_HIDDEN:
                found.append(Drawn((area.x0, middle - 0.25, area.x1, middle + 0.25), True, True, 0, True, 0))
    return found


def _pen_lines(page: pymupdf.Page, note: pymupdf.Annot) -> list[Drawn]:
    """Lines that somebody drew with a pen. One that is nearly straight strikes out; its height is that of its middle."""
    found: list[Drawn] = []
    for stroke in note.vertices or ():
        points = [pymupdf.Point(point) * page.derotation_matrix for point in stroke]
        if len(points) < 2 or note.flags & pymupdf.PDF_ANNOT_IS_HIDDEN:
            continue
        xs, ys = [point.x for point in points], [point.y for point in points]
        if max(ys) - min(ys) <= _PEN_SLOPE * (max(xs) - min(xs)):
            middle = sum(ys) / len(ys)
            found.append(Drawn((min(xs), middle - 0.25, max(xs), middle + 0.25), True, True, 0, True, 0))
    return found


def _may_strike(line: Drawn) -> bool:
    x0, y0, x1, y1 = line.box
    # A line by hand is not quite straight; a marker that lets words shine through strikes none.
    return y1 - y0 < 4 and x1 - x0 > _LEAST_LENGTH and (line.straight or line.stroked) and not _is_pale(line.colour)


def _is_pale(colour: int) -> bool:
    return min(colour >> 16 & 255, colour >> 8 & 255, colour & 255) >= _NEARLY_WHITE


def _middle(line: Drawn) -> float:
    return (line.box[1] + line.box[3]) / 2


def _through_text(lines: Sequence[Drawn], blocks: Sequence[Block]) -> list[Drawn]:
    """The lines that go through a span, from top to bottom."""
    found: dict[int, Drawn] = {}
    ordered = sorted(lines, key=_middle)
    heights = [_middle(line) for line in ordered]
    for block in blocks:
        for text in block["lines"]:
            if text["dir"] != _UPRIGHT:
                continue
            x0, y0, x1, y1 = text["bbox"]
            at = bisect_left(heights, y0)
            while at < len(ordered) and heights[at] < y1:
                box = ordered[at].box
                if box[0] < x1 and x0 < box[2] and any(_goes_through(ordered[at], span) for span in text["spans"]):
                    found[at] = ordered[at]
                at += 1
    return [found[at] for at in sorted(found)]


def _goes_through(line: Drawn, span: dict[str, Any]) -> bool:
    x0, y0, x1, y1 = line.box
    size = span["size"]
    rise = (span["origin"][1] - (y0 + y1) / 2) / size if size else 0
    left, _, right, _ = span["bbox"]
    return _LOWEST < rise < _HIGHEST and y1 - y0 <= _THICKEST * size and min(x1, right) - max(x0, left) > _LEAST_LENGTH
