"""Finds the tables that lines rule on a PDF page: where their columns and rows are, and which cells span several."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from orderly.models import Box
from orderly.services.document_processor.page_content import Drawn
from orderly.services.document_processor.page_layout import Block

_THIN = 3.0
"""Most thickness of a rule, in points."""
_TOUCH = 2.5
"""Points by which rules that meet may be apart."""
_LEAST_LENGTH = 6.0
_MOST_RULES = 2_000
"""More are a drawing."""


class Rule(NamedTuple):
    """A line along one axis at a place of the other."""

    at: float
    start: float
    end: float


@dataclass(frozen=True, slots=True)
class RuledTable:
    xs: tuple[float, ...]
    ys: tuple[float, ...]
    """Places of the upright and the level rules, ascending."""
    upright: tuple[tuple[Rule, ...], ...]
    level: tuple[tuple[Rule, ...], ...]
    """The rules at these places."""

    def cell(self, x: float, y: float) -> tuple[int, int] | None:
        """Row and column, from 0, of the cell around a point: the first ones if it spans several. None: outside."""
        column, row = bisect_right(self.xs, x) - 1, bisect_right(self.ys, y) - 1
        if not (0 <= column < len(self.xs) - 1 and 0 <= row < len(self.ys) - 1):
            return None
        while row and not _is_ruled(self.level[row], x):
            row -= 1
        middle = (self.ys[row] + self.ys[row + 1]) / 2
        while column and not _is_ruled(self.upright[column], middle):
            column -= 1
        return row, column

    def is_crossed(self, box: Box) -> bool:
        """Whether a rule between columns goes through the box of a line of words."""
        y = (box[1] + box[3]) / 2
        return self.ys[0] < y < self.ys[-1] and any(
            box[0] + _TOUCH < x < box[2] - _TOUCH and _is_ruled(rules, y)
            for x, rules in zip(self.xs, self.upright, strict=True)
        )


def ruled_tables(drawn: Sequence[Drawn]) -> list[RuledTable]:
    """Tables with at least two rows and two columns."""
    upright, level = _rules(drawn)
    if len(upright) < 3 or len(level) < 3 or len(upright) + len(level) > _MOST_RULES:
        return []
    tables = (_table(*group) for group in _groups(upright, level))
    return [table for table in tables if len(table.xs) > 2 and len(table.ys) > 2]


def crosses_border(tables: Sequence[RuledTable], blocks: Sequence[Block]) -> bool:
    """Whether a line of words goes from one cell into another, where they stand close."""
    return any(table.is_crossed(line["bbox"]) for table in tables for block in blocks for line in block["lines"])


def column_of(tables: Sequence[RuledTable], letter: dict[str, Any]) -> int:
    """Number of the column of a letter; -1 outside of tables."""
    x0, y0, x1, y1 = letter["bbox"]
    for table in tables:
        if (cell := table.cell((x0 + x1) / 2, (y0 + y1) / 2)) is not None:
            return cell[1]
    return -1


def _rules(drawn: Sequence[Drawn]) -> tuple[list[Rule], list[Rule]]:
    upright: list[Rule] = []
    level: list[Rule] = []
    for line in drawn:
        if not line.straight:
            continue
        x0, y0, x1, y1 = line.box
        width, height = x1 - x0, y1 - y0
        if height <= _THIN < _LEAST_LENGTH <= width:
            level.append(Rule((y0 + y1) / 2, x0, x1))
        elif width <= _THIN < _LEAST_LENGTH <= height:
            upright.append(Rule((x0 + x1) / 2, y0, y1))
        elif line.stroked and width > _LEAST_LENGTH and height > _LEAST_LENGTH:
            level += (Rule(y0, x0, x1), Rule(y1, x0, x1))
            upright += (Rule(x0, y0, y1), Rule(x1, y0, y1))
    return upright, level


def _groups(upright: Sequence[Rule], level: Sequence[Rule]) -> Iterator[tuple[list[Rule], list[Rule]]]:
    """Rules that touch one another, directly or through others."""
    parents = list(range(len(upright) + len(level)))

    def root(at: int) -> int:
        while parents[at] != at:
            parents[at] = parents[parents[at]]
            at = parents[at]
        return at

    for one, up in enumerate(upright):
        for other, along in enumerate(level, len(upright)):
            if along.start - _TOUCH <= up.at <= along.end + _TOUCH and up.start - _TOUCH <= along.at <= up.end + _TOUCH:
                parents[root(one)] = root(other)
    groups: dict[int, tuple[list[Rule], list[Rule]]] = {}
    for at, rule in enumerate((*upright, *level)):
        groups.setdefault(root(at), ([], []))[at >= len(upright)].append(rule)
    yield from groups.values()


def _table(upright: Sequence[Rule], level: Sequence[Rule]) -> RuledTable:
    columns, rows = _by_place(upright), _by_place(level)
    return RuledTable(_places(columns), _places(rows), columns, rows)


def _by_place(rules: Sequence[Rule]) -> tuple[tuple[Rule, ...], ...]:
    """Rules at nearly the same place together, in order."""
    groups: list[list[Rule]] = []
    for rule in sorted(rules):
        if groups and rule.at - groups[-1][0].at <= _TOUCH:
            groups[-1].append(rule)
        else:
            groups.append([rule])
    return tuple(tuple(group) for group in groups)


def _places(groups: Sequence[Sequence[Rule]]) -> tuple[float, ...]:
    return tuple(group[0].at for group in groups)


def _is_ruled(rules: Sequence[Rule], across: float) -> bool:
    """Whether one of the rules goes past a place of the other axis."""
    return any(rule.start - _TOUCH <= across <= rule.end + _TOUCH for rule in rules)
