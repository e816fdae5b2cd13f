"""A review as an Excel workbook: the table, every cell with its quotation, the documents."""

from __future__ import annotations

import io
from collections.abc import Sequence
from datetime import date
from typing import Any

from openpyxl import Workbook
from openpyxl.styles import Alignment, Font, PatternFill
from openpyxl.utils import get_column_letter
from openpyxl.worksheet.hyperlink import Hyperlink
from openpyxl.worksheet.properties import PageSetupProperties
from openpyxl.worksheet.worksheet import Worksheet

from orderly.services.exports.table import (
    STATES,
    UNSETTLED,
    ExportCell,
    ExportTable,
    is_without_value,
    place,
    plain,
    shown,
    typed,
)

LONGEST = 32_000
"""Characters of a cell; Excel takes 32,767."""
PAGE_WIDTH = 220
"""Characters beside one another on a printed page."""
LINE, MOST_LINES = 14.0, 12
"""Points per line, and the lines up to which a row grows. Not every program fits the height of rows by itself."""
MADE_COLUMNS = 8
"""Columns over which the line above the titles extends."""
HEADER = 2
"""Row of the column titles; the row above says when the table was made."""
CELL_COLUMNS = (
    "Document", "Column", "Question", "Value", "As text", "State", "Quotation", "Place", "Further quotations", "Confidence",
    "Engine", "Verdict", "By", "On", "Notes",
)  # fmt: skip
DOCUMENT_COLUMNS = ("Document", "Status", "Reason", "Version read", "Characters", "Pages", "Pages not read", "Document ID")
_BOLD = Font(bold=True)
_UNCONFIRMED = Font(italic=True, color="7F4F00")
_WITHOUT_VALUE = Font(italic=True, color="7A766C")
"""What is no answer, such as "nothing found", is told apart from answers."""
_HEAD = PatternFill("solid", fgColor="E7E6E2")
_WRAP = Alignment(wrap_text=True, vertical="top")
_VALUE = Alignment(wrap_text=True, vertical="top", horizontal="left")
"""Dates and amounts begin where the words of other cells begin."""
_DATE = "d mmm yyyy"


def workbook(table: ExportTable) -> bytes:
    """Blocks: run it in a thread."""
    book = Workbook()
    review = book.active
    assert isinstance(review, Worksheet)
    review.title = "Review"
    cells, documents = book.create_sheet("Cells"), book.create_sheet("Sources")
    _write_review(review, table)
    _write_cells(cells, table)
    _write_documents(documents, table)
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def _write_review(sheet: Worksheet, table: ExportTable) -> None:
    _head(sheet, table.made, ["Document", *(column["title"] for column in table.columns)])
    details = HEADER + 1
    for number, (document, cells) in enumerate(table.rows, HEADER + 1):
        _put(sheet, number, 1, document["filename"], _BOLD)
        for column, cell in enumerate(cells, 2):
            _put_value(sheet, number, column, cell)
            # A click leads to the quotation.
            target = sheet.cell(number, column)
            target.hyperlink = Hyperlink(target.coordinate, location=f"Cells!A{details}", tooltip="Its quotation")
            details += 1
    _widths(sheet, [34, *[24] * len(table.columns)])
    sheet.freeze_panes = sheet.cell(HEADER + 1, 2)


def _write_cells(sheet: Worksheet, table: ExportTable) -> None:
    _head(sheet, table.made, CELL_COLUMNS)
    for number, cell in enumerate(table.cells(), HEADER + 1):
        for column, value in enumerate(_details(cell), 1):
            if column == CELL_COLUMNS.index("Value") + 1:
                _put_value(sheet, number, column, cell)
            else:
                _put(sheet, number, column, value)
    _widths(sheet, [30, 22, 30, 18, 24, 16, 70, 18, 50, 11, 26, 14, 24, 12, 40])
    sheet.freeze_panes = sheet.cell(HEADER + 1, 3)


def _details(cell: ExportCell) -> tuple[Any, ...]:
    first, further = next(iter(cell.quotations), None), cell.quotations[1:]
    answer, verdict = cell.cell, cell.cell["verdict"] if cell.cell is not None else None
    return (
        cell.document["filename"],
        cell.column["title"],
        cell.column["question"],
        None,
        shown(cell),
        STATES[cell.state],
        " ".join(first["quote"].split()) if first else "",
        place(first) if first else "",
        "\n".join(f"{' '.join(c['quote'].split())} ({place(c)})" for c in further),
        None if answer is None or answer["confidence"] is None else round(answer["confidence"], 2),
        " with ".join(filter(None, (answer["engine"], answer["model"]))) if answer else "",
        verdict["verdict"] if verdict else "",
        (verdict["by"] or "") if verdict else "",
        date.fromisoformat(verdict["at"][:10]) if verdict else "",
        cell.notes,
    )


def _write_documents(sheet: Worksheet, table: ExportTable) -> None:
    _head(sheet, table.made, DOCUMENT_COLUMNS)
    for number, (document, cells) in enumerate(table.rows, HEADER + 1):
        answered = next((cell.cell for cell in cells if cell.cell is not None and cell.cell["read"] is not None), None)
        read = answered["read"] if answered is not None else None
        values = (
            document["filename"],
            document["status"],
            document["status_reason"],
            answered["revision_id"] if answered is not None else "not read",
            read["characters"] if read else "",
            read["pages"] if read else "",
            ", ".join(map(str, read["unread"])) if read else "",
            document["id"],
        )
        for column, value in enumerate(values, 1):
            _put(sheet, number, column, value)
    _widths(sheet, [40, 12, 40, 38, 12, 8, 16, 38])
    sheet.freeze_panes = sheet.cell(HEADER + 1, 2)


def _head(sheet: Worksheet, made: str, titles: Sequence[str]) -> None:
    _put(sheet, 1, 1, made)
    sheet.merge_cells(start_row=1, end_row=1, start_column=1, end_column=min(len(titles), MADE_COLUMNS))
    sheet.row_dimensions[1].height = 2 * LINE
    for column, title in enumerate(titles, 1):
        _put(sheet, HEADER, column, title, _BOLD)
        sheet.cell(HEADER, column).fill = _HEAD


def _put_value(sheet: Worksheet, row: int, column: int, cell: ExportCell) -> None:
    """The typed value; one that is not confirmed is in italics and begins with a question mark."""
    value, unsure = typed(cell), cell.state in UNSETTLED and cell.value is not None
    mark = '"? "' if unsure else ""
    if isinstance(value, str):
        value = f"? {value}" if unsure else value
    _put(sheet, row, column, value, _UNCONFIRMED if unsure else _WITHOUT_VALUE if is_without_value(cell) else None)
    target = sheet.cell(row, column)
    target.alignment = _VALUE
    if isinstance(value, date):
        target.number_format = mark + _DATE
    elif cell.fields.get("type") == "duration" and isinstance(value, float):
        target.number_format = f'{mark}"{cell.fields["text"]}"'  # a number of days, shown as the document counts them
    elif isinstance(value, float):
        currency = cell.fields.get("currency")
        target.number_format = (
            f'{mark}"{currency} "#,##0.00' if currency else f"{mark}#,##0.######" if value % 1 else f"{mark}#,##0"
        )


def _put(sheet: Worksheet, row: int, column: int, value: Any, font: Font | None = None) -> None:
    target = sheet.cell(row, column)
    if isinstance(value, str):
        # A string that begins with "=" would become a formula.
        target.value = _cut(plain(value))
        target.data_type = "s"
        target.quotePrefix = value[:1] in "=+-@"
    else:
        target.value = value
    target.alignment = _WRAP
    if font is not None:
        target.font = font


def _lines(value: Any, width: int) -> int:
    """Lines that a wrapped text takes in a column of `width` characters."""
    return sum(1 + len(line) // width for line in value.split("\n")) if isinstance(value, str) else 1


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[:LONGEST]} … (cut: {len(text):,} characters)"


def _widths(sheet: Worksheet, widths: Sequence[int]) -> None:
    for cells in sheet.iter_rows(min_row=HEADER):
        lines = max(_lines(cell.value, width) for cell, width in zip(cells, widths, strict=True))
        sheet.row_dimensions[cells[0].row].height = LINE * min(lines, MOST_LINES)
    for column, width in enumerate(widths, 1):
        sheet.column_dimensions[get_column_letter(column)].width = width
    last = get_column_letter(len(widths))
    sheet.auto_filter.ref = f"A{HEADER}:{last}{max(HEADER + 1, sheet.max_row)}"
    sheet.print_title_rows, sheet.print_title_cols = f"{HEADER}:{HEADER}", "A:A"
    sheet.page_setup.orientation, sheet.page_setup.paperSize = "landscape", sheet.PAPERSIZE_A3
    sheet.sheet_properties.pageSetUpPr = PageSetupProperties(fitToPage=True)
    # So many pages side by side that the text stays readable.
    sheet.page_setup.fitToWidth, sheet.page_setup.fitToHeight = -(-sum(widths) // PAGE_WIDTH), 0
    sheet.oddFooter.right.text = "&P / &N"
