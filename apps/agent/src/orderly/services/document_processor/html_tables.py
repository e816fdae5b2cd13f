"""Tables of HTML, row by row, with merged cells where they belong."""

from __future__ import annotations

from collections.abc import Sequence

from lxml.html import HtmlElement

_WIDEST = 200
"""Columns that one cell may span; more is an error or an attack."""


def table_rows(table: HtmlElement) -> list[list[HtmlElement | None]]:
    """Cells of each row; None in it for what a merged cell covers."""
    rows = [row for row in table.iter("tr") if next(row.iterancestors("table")) is table]
    covered: set[tuple[int, int]] = set()
    return [_row(number, _cells(row), covered) for number, row in enumerate(rows)]


def arranges_page(cells: Sequence[HtmlElement | None]) -> bool:
    """A row of one cell, or with a table inside, places blocks on the page and tabulates nothing."""
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
    return min(max(int(value), 1), _WIDEST) if value.isdecimal() else 1
