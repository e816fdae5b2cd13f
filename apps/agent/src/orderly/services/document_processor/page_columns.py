"""Detects two-column prose that the file stores row by row, and puts the left column before the right one."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from statistics import mean, median
from typing import Any

Line = dict[str, Any]
"""A line of `Page.get_text("dict")`."""

MIN_ROWS = 8
"""Rows with text on both sides of the gutter."""

MIN_PROSE_CHARS = 25
"""Mean characters per line on each side of the gutter. Table cells are shorter, and rarely wide on both sides."""


def split_columns(blocks: Sequence[dict[str, Any]]) -> list[dict[str, Any]] | None:
    """Regroups the page's lines into blocks, left column before right; None if the page has no two columns."""
    lines = [line for block in blocks for line in block["lines"] if line["spans"]]
    pairs = [(one, other) for one, other in pairwise(lines) if _same_row(one, other)]
    if len(pairs) < MIN_ROWS or not _is_prose(pairs):
        return None
    gutter = (max(one["bbox"][2] for one, _ in pairs) + min(other["bbox"][0] for _, other in pairs)) / 2
    if any(one["bbox"][2] > gutter or other["bbox"][0] < gutter for one, other in pairs):
        return None
    return _by_column(lines, gutter)


def _same_row(one: Line, other: Line) -> bool:
    height = one["bbox"][3] - one["bbox"][1]
    return bool(abs(one["bbox"][3] - other["bbox"][3]) < height / 2 and other["bbox"][0] > one["bbox"][2])


def _is_prose(pairs: Sequence[tuple[Line, Line]]) -> bool:
    """Whether lines are long on both sides and the right ones are aligned at their left edge."""
    left, right = ([_count_characters(pair[side]) for pair in pairs] for side in (0, 1))
    starts = [other["bbox"][0] for _, other in pairs]
    edge = median(starts)
    aligned = sum(abs(start - edge) < 4 for start in starts)
    return mean(left) >= MIN_PROSE_CHARS and mean(right) >= MIN_PROSE_CHARS and aligned >= 0.8 * len(starts)


def _count_characters(line: Line) -> int:
    return sum(len(span["text"]) for span in line["spans"])


def _by_column(lines: Sequence[Line], gutter: float) -> list[dict[str, Any]]:
    """Groups lines by column. Lines across the gutter, such as titles, separate bands that are read left, then right."""
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
