"""Two columns that the file wrote row by row: told from a table, and read one after the other."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from statistics import mean, median
from typing import Any

Line = dict[str, Any]
"""As `Page.get_text("dict")` gives it, spans and all."""

LEAST_ROWS = 8
PROSE = 25
"""Mean characters a line on both sides of the gutter: cells of tables are shorter, and seldom both wide."""


def untangled(blocks: Sequence[dict[str, Any]]) -> list[dict[str, Any]] | None:
    """The page's lines in new blocks, left column before right one; None where it is no such page."""
    lines = [line for block in blocks for line in block["lines"] if line["spans"]]
    pairs = [(one, other) for one, other in pairwise(lines) if _same_row(one, other)]
    if len(pairs) < LEAST_ROWS or not _is_prose(pairs):
        return None
    gutter = (max(one["bbox"][2] for one, _ in pairs) + min(other["bbox"][0] for _, other in pairs)) / 2
    if any(one["bbox"][2] > gutter or other["bbox"][0] < gutter for one, other in pairs):
        return None
    return _by_column(lines, gutter)


def _same_row(one: Line, other: Line) -> bool:
    height = one["bbox"][3] - one["bbox"][1]
    return bool(abs(one["bbox"][3] - other["bbox"][3]) < height / 2 and other["bbox"][0] > one["bbox"][2])


def _is_prose(pairs: Sequence[tuple[Line, Line]]) -> bool:
    """Long lines on both sides, and the right ones begin at one edge."""
    left, right = ([_letters(pair[side]) for pair in pairs] for side in (0, 1))
    starts = [other["bbox"][0] for _, other in pairs]
    edge = median(starts)
    aligned = sum(abs(start - edge) < 4 for start in starts)
    return mean(left) >= PROSE and mean(right) >= PROSE and aligned >= 0.8 * len(starts)


def _letters(line: Line) -> int:
    return sum(len(span["text"]) for span in line["spans"])


def _by_column(lines: Sequence[Line], gutter: float) -> list[dict[str, Any]]:
    """Lines across the gutter (titles, running heads) part the page into bands, each read left, then right."""
    blocks: list[dict[str, Any]] = []
    left: list[Line] = []
    right: list[Line] = []
    for line in lines:
        if line["bbox"][0] < gutter < line["bbox"][2]:
            blocks += [{"lines": column} for column in (left, right) if column]
            blocks.append({"lines": [line]})
            left, right = [], []
        else:
            (left if line["bbox"][2] <= gutter else right).append(line)
    return blocks + [{"lines": column} for column in (left, right) if column]
