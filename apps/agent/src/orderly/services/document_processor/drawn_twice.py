"""Finds letters of a PDF page that are drawn a second time almost in the same place, to look bold or to have a shadow."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from orderly.models import Box
from orderly.services.document_processor.page_layout import Block

_SHIFT = 0.2
"""Most distance between the two, as a share of the letters' height."""

_LINE_SHIFT = 0.3
"""The same for a whole line, which may have a shadow farther away."""

_LEAST_OVERLAP = 0.3
_CELL = 4.0
"""Points. Letters are looked up by squares of this side and those around."""


def has_overlapping_lines(blocks: Sequence[Block]) -> bool:
    """Whether one line lies on another, which is so where letters are drawn twice."""
    boxes = sorted([line["bbox"] for block in blocks for line in block["lines"]], key=_foot)
    for at, (x0, y0, x1, y1) in enumerate(boxes):
        shift = _LINE_SHIFT * (y1 - y0)
        other = at + 1
        while other < len(boxes) and boxes[other][3] - y1 < shift:
            left, top, right, _ = boxes[other]
            other += 1
            shared = (x1 if x1 < right else right) - (x0 if x0 > left else left)
            if shared > 2 and abs(top - y0) < shift and shared > _LEAST_OVERLAP * min(x1 - x0, right - left):
                return True
    return False


def _foot(box: Box) -> float:
    return box[3]


class Repeats:
    """Remembers the letters seen so far by their place."""

    def __init__(self) -> None:
        self._lines: dict[str, list[tuple[float, float]]] = {}
        self._seen: dict[tuple[str, int, int], list[tuple[float, float]]] = {}

    def is_repeated_line(self, text: str, box: Box) -> bool:
        """Whether a line with the same words was seen in almost the same place."""
        shift = _LINE_SHIFT * (box[3] - box[1])
        places = self._lines.setdefault(text, [])
        if len(text) > 1 and any(abs(x - box[0]) < shift and abs(y - box[3]) < shift for x, y in places):
            return True
        places.append((box[0], box[3]))
        return False

    def is_repeat(self, letter: dict[str, Any]) -> bool:
        """Whether the same letter was seen in almost the same place. Spaces never are."""
        sign, (x, y) = letter["c"], letter["origin"]
        if sign.isspace():
            return False
        shift = min(
            _SHIFT * (letter["bbox"][3] - letter["bbox"][1]), 0.4 * (letter["bbox"][2] - letter["bbox"][0]) + 0.5, _CELL
        )
        column, row = int(x // _CELL), int(y // _CELL)
        for near in range(column - 1, column + 2):
            for level in range(row - 1, row + 2):
                for left, foot in self._seen.get((sign, near, level), ()):
                    if abs(left - x) < shift and abs(foot - y) < shift:
                        return True
        self._seen.setdefault((sign, column, row), []).append((x, y))
        return False
