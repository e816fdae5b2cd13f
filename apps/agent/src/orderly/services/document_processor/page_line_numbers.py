"""Finds line numbers in the margin of transcripts and pleadings, which are not part of the text."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from statistics import median
from typing import Any, NamedTuple

from orderly.services.document_processor.page_content import Drawn
from orderly.services.document_processor.page_layout import Block

MIN_NUMBERS = 8
"""Least numbers on a page; fewer are a list or a small table."""

_SPACING_TOLERANCE = 0.12
"""Share of the median distance by which distances may differ. Line numbers are evenly spaced, lists are not."""
_RULE_HEIGHT, _RULE_DISTANCE, _RULE_WIDTH = 0.95, 36.0, 4.0
"""Of the rule beside line numbers: its height as a share of the page's, its distance and width in points."""


class _Number(NamedTuple):
    value: int
    span: dict[str, Any]
    middle: float


def find_margin_numbers(blocks: Sequence[Block], height: float, drawn: Sequence[Drawn] = ()) -> list[dict[str, Any]]:
    """Finds the spans of line numbers on a page of `height` points; empty if there are none.

    Line numbers count by one or five, at one edge, evenly spaced over most of the page. The lines beside them are prose:
    unlike list items, some begin in the middle of a sentence. On pleading paper a rule down the whole page divides them off.
    """
    found = _candidates(blocks)
    if len(found) < MIN_NUMBERS:
        return []
    for numbers in (_at_edge(found, "left"), _at_edge(found, "right")):
        if len(numbers) >= MIN_NUMBERS and _is_counting(numbers) and _is_evenly_spaced(numbers, height):
            spans = [number.span for number in numbers]
            if _are_divided_off(numbers, height, drawn) or _is_beside_prose(blocks, spans, numbers):
                return spans
    return []


def _candidates(blocks: Sequence[Block]) -> list[_Number]:
    lines = [line["spans"] for block in blocks for line in block["lines"]]
    short = [span for spans in lines for span in (spans[0], spans[-1]) if len(span["text"]) < 6]
    numbers = {id(span): span for span in short if len(text := span["text"].strip()) <= 3 and text.isdecimal()}
    return [_Number(int(span["text"]), span, (span["bbox"][1] + span["bbox"][3]) / 2) for span in numbers.values()]


def _at_edge(found: Sequence[_Number], side: str) -> list[_Number]:
    """Numbers aligned at the outermost position of one side, from top to bottom."""
    edge = min(n.span["bbox"][0] for n in found) if side == "left" else max(n.span["bbox"][2] for n in found)
    near = [n for n in found if abs(n.span["bbox"][0 if side == "left" else 2] - edge) < 14]
    return sorted(near, key=lambda number: number.middle)


def _is_counting(numbers: Sequence[_Number]) -> bool:
    steps = {later.value - earlier.value for earlier, later in pairwise(numbers)}
    return (steps == {1} and numbers[0].value <= 2) or (steps == {5} and numbers[0].value in (1, 5))


def _is_evenly_spaced(numbers: Sequence[_Number], height: float) -> bool:
    steps = [later.middle - earlier.middle for earlier, later in pairwise(numbers)]
    usual = median(steps)
    even = sum(abs(step - usual) <= _SPACING_TOLERANCE * usual for step in steps)
    return even >= 0.9 * len(steps) and numbers[-1].middle - numbers[0].middle > 0.5 * height


def _are_divided_off(numbers: Sequence[_Number], height: float, drawn: Sequence[Drawn]) -> bool:
    """Whether an upright rule, longer than any table is high, stands to the right of the numbers."""
    edge = max(number.span["bbox"][2] for number in numbers)
    return any(
        edge <= x0 < edge + _RULE_DISTANCE and x1 - x0 < _RULE_WIDTH and y1 - y0 > _RULE_HEIGHT * height
        for x0, y0, x1, y1 in (line.box for line in drawn)
    )


def _is_beside_prose(blocks: Sequence[Block], spans: Sequence[dict[str, Any]], numbers: Sequence[_Number]) -> bool:
    excluded = {id(span) for span in spans}
    top, bottom = numbers[0].middle - 6, numbers[-1].middle + 6
    starts = []
    for block in blocks:
        for line in block["lines"]:
            text = "".join(span["text"] for span in line["spans"] if id(span) not in excluded).strip()
            if text and top < (line["bbox"][1] + line["bbox"][3]) / 2 < bottom:
                starts.append(text[0])
    return sum(start.islower() for start in starts) >= max(2, len(starts) / 10)
