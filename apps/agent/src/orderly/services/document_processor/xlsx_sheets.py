"""What a sheet's XML states beside its cells: hidden rows and columns, merged cells, formulas without result."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice

from openpyxl.utils.cell import get_column_letter, range_boundaries

from orderly.errors import Damaged
from orderly.services.document_processor.xlsx_strings import inline_struck

_TAG = rb"<(?:\w+:)?%s\s[^>]*>"
_COLUMN, _ROW = re.compile(_TAG % b"col"), re.compile(rb"<(?:\w+:)?row(?:\s[^>]*)?>")
_MERGED = re.compile(rb"<(?:\w+:)?mergeCell\s[^>]*\bref\s*=\s*[\"']([A-Z]{1,3}\d{1,7}:[A-Z]{1,3}\d{1,7})[\"']")
_ATTRIBUTE = re.compile(rb"\b(hidden|min|max|r|ht|width)\s*=\s*[\"']([^\"']*)[\"']")
_UNCOMPUTED = re.compile(rb"</f>\s*(?:<v\s*/>|<v></v>)?\s*</c>|<f[^>]*/>\s*</c>")
_WITHOUT_ZEROS = re.compile(rb"<(?:\w+:)?sheetView\s[^>]*\bshowZeros\s*=\s*[\"'](?:0|false)[\"']")
_COLOURED = (b"tablePart ", b"conditionalFormatting ", b"picture ")
_LAST_COLUMN, _LAST_ROW = 16_384, 1_048_576
_FAR_ROW = re.compile(rb"<(?:\w+:)?(?:row|c)\s[^>]*?\br\s*=\s*[\"'][A-Z]*(\d{7,})")
_TOO_FAR = (
    "The workbook is damaged: a sheet of it names a row beyond the last one that a sheet can have. "
    "Save it anew in Excel and upload it again."
)


@dataclass(slots=True)
class SheetFacts:
    columns: set[int] = field(default_factory=set)
    """Hidden columns."""
    rows: set[int] = field(default_factory=set)
    """Hidden rows."""
    merged: list[tuple[int, int, int, int]] = field(default_factory=list)
    """First column, first row, last column, last row, by first row."""
    without_zeros: bool = False
    """Cells whose value is zero are shown empty."""
    uncomputed: bool = False
    """A formula has no stored result."""
    inline: dict[str, tuple[str, list[str]]] = field(default_factory=dict)
    """Strings with struck words, by cell: the words that are left, and the struck ones."""
    coloured: bool = False
    """Tables, conditions or a picture may give cells a ground that their own format does not state."""

    def places(self) -> str:
        """What is hidden: "column C, rows 3 to 9"; empty if nothing is."""
        columns = [_span("column", first, last, get_column_letter) for first, last in _runs(self.columns)]
        rows = [_span("row", first, last, str) for first, last in _runs(self.rows)]
        shown = [*columns, *rows]
        return ", ".join(shown[:20]) + (f" and {len(shown) - 20} more places" if len(shown) > 20 else "")


def sheet_facts(data: bytes) -> SheetFacts:
    """Raises Damaged for rows beyond the last: openpyxl would give every empty row before them."""
    if any(int(found[1][:12]) > _LAST_ROW for found in _FAR_ROW.finditer(data)):
        raise Damaged(_TOO_FAR)
    facts = SheetFacts(uncomputed=_UNCOMPUTED.search(data) is not None, inline=inline_struck(data))
    facts.coloured = any(mark in data for mark in _COLOURED)
    cells = data.find(b"sheetData")
    head = data[:cells] if cells >= 0 else data
    facts.without_zeros = _WITHOUT_ZEROS.search(head) is not None
    for found in islice(_COLUMN.finditer(head), _LAST_COLUMN):
        stated = _stated(found[0])
        if _is_hidden(stated, b"width"):
            first, last = _number(stated.get(b"min")), _number(stated.get(b"max"))
            facts.columns.update(range(first, min(last, _LAST_COLUMN) + 1))
    if b"hidden" in data[len(head) :] or b'ht="0' in data:
        row = 0
        for found in _ROW.finditer(data):
            stated = _stated(found[0])
            row = _number(stated.get(b"r")) or row + 1  # a row without number follows the one before it
            if _is_hidden(stated, b"ht"):
                facts.rows.add(row)
    areas = [range_boundaries(found[1].decode()) for found in _MERGED.finditer(data)]
    facts.merged = sorted(((c1, r1, c2, r2) for c1, r1, c2, r2 in areas), key=lambda area: area[1])
    return facts


def covered_columns(merged: Sequence[tuple[int, int, int, int]], row: int, width: int) -> set[int]:
    """Columns of a row, of its first `width`, whose cells lie under a merged cell that begins elsewhere."""
    return {
        column
        for first, top, last, bottom in merged
        if top <= row <= bottom
        for column in range(first, min(last, width) + 1)
        if (column, row) != (first, top)
    }


class Merged:
    """The merged cells at each row of a sheet, whose rows are asked for in order."""

    def __init__(self, merged: Sequence[tuple[int, int, int, int]]) -> None:
        self._waiting = list(reversed(merged))
        self._open: list[tuple[int, int, int, int]] = []

    def covered(self, row: int, width: int) -> set[int]:
        while self._waiting and self._waiting[-1][1] <= row:
            self._open.append(self._waiting.pop())
        if not self._open:
            return set()
        self._open = [area for area in self._open if area[3] >= row]
        return covered_columns(self._open, row, width)


def _stated(tag: bytes) -> dict[bytes, bytes]:
    return {found[1]: found[2] for found in _ATTRIBUTE.finditer(tag)}


def _is_hidden(stated: dict[bytes, bytes], size: bytes) -> bool:
    return stated.get(b"hidden") in (b"1", b"true") or stated.get(size) in (b"0", b"0.0")


def _number(value: bytes | None) -> int:
    return int(value) if value and value.isdigit() else 0


def _runs(numbers: set[int]) -> Iterator[tuple[int, int]]:
    ordered = sorted(numbers)
    start = 0
    for at in range(1, len(ordered) + 1):
        if at == len(ordered) or ordered[at] != ordered[at - 1] + 1:
            yield ordered[start], ordered[at - 1]
            start = at


def _span(what: str, first: int, last: int, name: object) -> str:
    assert callable(name)
    if first == last:
        return f"{what} {name(first)}"
    return f"{what}s {name(first)} to {'the last' if last >= _LAST_COLUMN and what == 'column' else name(last)}"
