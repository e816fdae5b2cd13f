"""Rows of HTML tables, with merged cells in their positions."""

from __future__ import annotations

from collections.abc import Sequence

from lxml.html import HtmlElement

_MAX_SPAN = 200
"""Most rows or columns spanned by one cell; larger values are errors or attacks."""


def table_rows(table: HtmlElement) -> list[tuple[HtmlElement, list[HtmlElement | None]]]:
    """Rows with their cells; None for positions covered by a merged cell."""
    rows = [row for row in table.iter("tr") if next(row.iterancestors("table")) is table]
    covered: set[tuple[int, int]] = set()
    return [(row, _row(number, _cells(row), covered)) for number, row in enumerate(rows)]


def is_layout_row(cells: Sequence[HtmlElement | None]) -> bool:
    """Whether a row only arranges the page: it has one cell, or contains a table."""
    return len(cells) <= 1 or any(cell is not None and next(cell.iter("table"), None) is not None for cell in cells)


def _cells(row: HtmlElement) -> list[HtmlElement]:
    return [cell for cell in row if cell.tag in ("td", "th")]


def _row(number: int, cells: Sequence[HtmlElement], covered: set[tuple[int, int]]) -> list[HtmlElement | None]:
    placed: list[HtmlElement | None] = []
    for cell in cells:
        while (number, len(placed)) in covered:
            placed.append(None)
        at, wide, high = len(placed), _span(cell, "colspan"), _span(cell, "rowspan")
        placed += [cell, *[None] * (wide - 1)]
        for below in range(1, high):
            covered.update((number + below, at + across) for across in range(wide))
    return placed


def _span(cell: HtmlElement, name: str) -> int:
    value = (cell.get(name) or "").strip()
    return min(max(int(value), 1), _MAX_SPAN) if value.isdecimal() else 1
