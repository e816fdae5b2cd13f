"""Puts the words of a ruled table together cell by cell, a row of the table in one line of text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise
from typing import Any

from orderly.models import Box
from orderly.services.document_processor.hyphenation import HYPHENS, join_line
from orderly.services.document_processor.page_content import enclosing
from orderly.services.document_processor.page_layout import PARTS, Block, Part, line_text
from orderly.services.document_processor.table_rules import RuledTable

Line = dict[str, Any]

_UPRIGHT = (1.0, 0.0)
_FIGURE = re.compile(r"\W*(?:[A-Z]{1,3}\W?)?\d[\d\s.,]*\W{0,2}|[-–—*]+|nil|n/?a", re.IGNORECASE)
_MANY_LINES = 3
_PARAGRAPH = 1.6
"""Multiple of the letters' height: a greater step between the lines of a cell begins a paragraph."""


def set_tables(blocks: Sequence[Block], tables: Sequence[RuledTable]) -> list[Block]:
    """Replaces the lines of ruled tables by their rows, where a cell has more than one line. Other tables stay as drawn."""
    set_out = list(blocks)
    for table in tables:
        set_out = _set_table(set_out, table)
    return set_out


def _set_table(blocks: list[Block], table: RuledTable) -> list[Block]:
    found = [(line, cell) for block in blocks for line in block["lines"] if (cell := _cell(table, line)) is not None]
    cells: dict[tuple[int, int], list[Line]] = {}
    for line, cell in found:
        cells.setdefault(cell, []).append(line)
    if not _is_wrapped(cells) or any(line["dir"] != _UPRIGHT or table.is_crossed(line["bbox"]) for line, _ in found):
        return blocks
    in_order = groupby(sorted(cells.items(), key=lambda item: item[0]), key=lambda item: item[0][0])
    return _in_place_of(blocks, {id(line) for line, _ in found}, {"lines": [_row(dict(row)) for _, row in in_order]})


def _in_place_of(blocks: Sequence[Block], gone: set[int], rows: Block) -> list[Block]:
    """The blocks with `rows` in the place of the lines that are gone."""
    kept: list[Block] = []
    placed = False
    for block in blocks:
        lines = [line for line in block["lines"] if id(line) not in gone]
        if len(lines) == len(block["lines"]):
            kept.append(block)
            continue
        first = next(at for at, line in enumerate(block["lines"]) if id(line) in gone)
        parts = [{**block, "lines": lines[:first]}, {**block, "lines": lines[first:]}]
        if not placed:
            parts.insert(1, rows)
            placed = True
        kept += [part for part in parts if part["lines"]]
    return kept


def _cell(table: RuledTable, line: Line) -> tuple[int, int] | None:
    if PARTS in line or not line["spans"] or not line_text(line).strip():
        return None
    x0, y0, x1, y1 = line["bbox"]
    return table.cell((x0 + x1) / 2, (y0 + y1) / 2)


def _is_wrapped(cells: dict[tuple[int, int], list[Line]]) -> bool:
    """Whether it is a table with words in several columns and rows, and a cell with lines one below the other."""
    rows, columns = {row for row, _ in cells}, {column for _, column in cells}
    if len(rows) < 2 or len(columns) < 2:
        return False
    levels = {cell: _by_level(lines) for cell, lines in cells.items()}
    by_row = groupby(sorted(levels), key=lambda cell: cell[0])
    if any(_has_unruled_rows([levels[cell] for cell in row]) for _, row in by_row):
        return False
    return any(len(found) > 1 for found in levels.values())


def _has_unruled_rows(cells: Sequence[list[list[Line]]]) -> bool:
    """Whether several rows stand between two rules: figures below figures, or many short lines in several columns."""
    high = [levels for levels in cells if len(levels) > 1]
    if any(all(_FIGURE.fullmatch(_text(level)) for level in levels) for levels in high):
        return True
    most = max((len(levels) for levels in high), default=0)
    return sum(len(levels) >= max(_MANY_LINES, 0.6 * most) and not _is_prose(levels) for levels in high) > 1


def _text(level: Sequence[Line]) -> str:
    return " ".join(line_text(line) for line in level).strip()


def _is_prose(levels: Sequence[Sequence[Line]]) -> bool:
    """Whether the lines but the last one are about as long as the longest: words that were divided into lines."""
    widths = [level[-1]["bbox"][2] - level[0]["bbox"][0] for level in levels]
    return bool(sum(widths[:-1]) > 0.7 * max(widths) * (len(widths) - 1))


def _by_level(lines: Sequence[Line]) -> list[list[Line]]:
    """The lines from top to bottom, those side by side together."""
    levels: list[list[Line]] = []
    for line in sorted(lines, key=lambda line: line["bbox"][1] + line["bbox"][3]):
        _, top, _, bottom = line["bbox"]
        if levels and (top + bottom) / 2 < levels[-1][0]["bbox"][3]:
            levels[-1].append(line)
        else:
            levels.append([line])
    return [sorted(level, key=lambda line: line["bbox"][0]) for level in levels]


def _row(cells: dict[tuple[int, int], list[Line]]) -> Line:
    """A row as one line, in the parts that stand in the cells."""
    parts: list[Part] = []
    at = 0
    for (_, column), lines in cells.items():
        gap = "\t" * (column - at)
        at = column
        for separator, line in _cell_lines(lines):
            text, between = line_text(line).strip(), separator
            if between == " " and parts[-1][1][-1] in HYPHENS and (joined := join_line(parts[-1][1], text)) is not None:
                parts[-1], between = (parts[-1][0], joined, parts[-1][2]), ""
            parts.append((gap or between, text, line["bbox"]))
            gap = ""
    box: Box = parts[0][2]
    for _, _, other in parts[1:]:
        box = enclosing(box, other)
    first = next(iter(cells.values()))[0]
    spans = [{**first["spans"][0], "text": "".join(gap + text for gap, text, _ in parts), "bbox": box}]
    return {"spans": spans, "bbox": box, "dir": _UPRIGHT, "wmode": 0, PARTS: parts}


def _cell_lines(lines: Sequence[Line]) -> Iterator[tuple[str, Line]]:
    """The lines of a cell, each with what separates it from the one before."""
    levels = _by_level(lines)
    yield "", levels[0][0]
    for line in levels[0][1:]:
        yield " ", line
    for before, level in pairwise(levels):
        box, upper = level[0]["bbox"], before[0]["bbox"]
        yield "\n" if box[3] - upper[3] > _PARAGRAPH * (box[3] - box[1]) else " ", level[0]
        for line in level[1:]:
            yield " ", line
