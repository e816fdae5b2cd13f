"""A review as a Word report: contents, the grid across the page, answers with quotations, exhibits."""

from __future__ import annotations

import io
import math
from collections.abc import Mapping, Sequence

from docx import Document
from docx.document import Document as WordDocument
from docx.enum.section import WD_ORIENT
from docx.oxml import OxmlElement
from docx.section import Section
from docx.shared import Length, Mm, Pt
from docx.table import Table, _Cell

from orderly.services.exports.exhibits import MAX_EXHIBITS, Exhibit
from orderly.services.exports.short_names import short_names
from orderly.services.exports.table import STATES, UNSETTLED, ExportCell, ExportTable, place, plain, shown
from orderly.services.exports.word_fields import add_contents, bookmark, number_pages

CELL_SIZE, HEAD_SIZE = 9, 8
"""Points. Titles are smaller, so that "Commencement" stands on one line."""
GRID_COLUMNS = 6
"""Columns of one grid, at most; further columns follow in further grids of the same number of columns."""
FEWEST = 3
"""A grid of fewer columns is not drawn over the whole width."""
LONGEST_IN_GRID = 100
"""Characters; a longer value is cut here, and is whole in the answers of its document."""
SHORT_SIDE, LONG_SIDE, MARGIN = Mm(210), Mm(297), Mm(20)
LINE, WIDE_LINE, GRID_NAME = Mm(170), Mm(257), Mm(53)
"""Width between the margins, upright and across, and that of documents' names in a grid."""
PICTURE = Mm(150)
"""Width of an exhibit, and its greatest height."""
PICTURE_HEIGHT = Mm(215)
GRID, EXHIBITS = "grid", "exhibits"
"""Names of bookmarks."""


def report(table: ExportTable, exhibits: Mapping[str, Exhibit]) -> bytes:
    """Blocks: run it in a thread."""
    document = Document()
    document.styles["Normal"].font.size = Pt(10)
    names = short_names(reviewed["filename"] for reviewed, _ in table.rows)
    drawn = sorted({exhibit.number: exhibit for exhibit in exhibits.values()}.values(), key=lambda exhibit: exhibit.number)
    left_out = sum(q["paged"] and q["id"] not in exhibits for cell in table.cells() for q in cell.quotations)
    _turn(document.sections[0], WD_ORIENT.PORTRAIT)
    number_pages(document.sections[0])
    document.add_heading(plain(table.name), 0)
    document.add_paragraph(f"Matter {table.matter}")
    document.add_paragraph(plain(table.made))
    document.add_heading("Contents", 1)
    places = [f"document_{number}" for number in range(1, len(table.rows) + 1)]
    entries = [
        (GRID, "All answers"),
        *((name, plain(names[reviewed["filename"]])) for name, (reviewed, _) in zip(places, table.rows, strict=True)),
    ]
    add_contents(document, entries + ([(EXHIBITS, "Exhibits")] if drawn or left_out else []), LINE)
    _turn(document.add_section(), WD_ORIENT.LANDSCAPE)
    bookmark(document.add_heading("All answers", 1), GRID, 0)
    if any(cell.state in UNSETTLED for cell in table.cells()):
        document.add_paragraph("“?” and italics: not confirmed. Read the passage before you rely on it.")
    grids = max(1, math.ceil(len(table.columns) / GRID_COLUMNS))
    width = math.ceil(len(table.columns) / grids)
    for number in range(grids):
        _overview(document, table, names, slice(number * width, (number + 1) * width))
    _turn(document.add_section(), WD_ORIENT.PORTRAIT)
    for number, (bookmarked, (reviewed, cells)) in enumerate(zip(places, table.rows, strict=True), 1):
        bookmark(document.add_heading(plain(names[reviewed["filename"]]), 1), bookmarked, number)
        _add_file(document, reviewed["filename"], names)
        if reviewed["current_revision_id"] is None:
            reason = reviewed["status_reason"] or reviewed["status"]
            document.add_paragraph(f"Not read, so it has no answers ({plain(reason)}).")
        else:
            _answers(document, cells, exhibits)
    if drawn or left_out:
        _exhibits(document, drawn, left_out, len(table.rows) + 1)
    file = io.BytesIO()
    document.save(file)
    return file.getvalue()


def _turn(section: Section, orientation: WD_ORIENT) -> None:
    wide = orientation == WD_ORIENT.LANDSCAPE
    section.orientation = orientation
    section.page_width, section.page_height = (LONG_SIDE, SHORT_SIDE) if wide else (SHORT_SIDE, LONG_SIDE)
    section.left_margin = section.right_margin = MARGIN


def _add_file(document: WordDocument, filename: str, names: Mapping[str, str]) -> None:
    if names[filename] != filename:
        line = document.add_paragraph()
        line.paragraph_format.keep_with_next = True
        line.add_run(plain(f"File: {filename}")).font.size = Pt(HEAD_SIZE)


def _overview(document: WordDocument, table: ExportTable, names: Mapping[str, str], part: slice) -> None:
    columns = table.columns[part]
    grid = _grid(document, ["Document", *(column["title"] for column in columns)])
    for reviewed, cells in table.rows:
        line = _add_row(grid)
        _write(line[0], names[reviewed["filename"]], bold=True)
        for target, cell in zip(line[1:], cells[part], strict=True):
            text = _marked(cell)
            short = text if len(text) <= LONGEST_IN_GRID else f"{text[:LONGEST_IN_GRID]} …"
            _write(target, short, italic=cell.state in UNSETTLED)
    _set_widths(grid, [GRID_NAME, *[Length((WIDE_LINE - GRID_NAME) // max(len(columns), FEWEST))] * len(columns)])
    document.add_paragraph()


def _answers(document: WordDocument, cells: Sequence[ExportCell], exhibits: Mapping[str, Exhibit]) -> None:
    grid = _grid(document, ["Column", "Answer", "Quotation and place"])
    for cell in cells:
        line = _add_row(grid)
        _write(line[0], cell.column["title"], bold=True)
        answer = "\n".join(filter(None, (_marked(cell), _standing(cell), cell.notes)))
        _write(line[1], answer, italic=cell.state in UNSETTLED)
        _write(line[2], "\n".join(_quotation(cell, number, exhibits) for number in range(len(cell.quotations))))
    _set_widths(grid, (Mm(38), Mm(52), Mm(80)))


def _marked(cell: ExportCell) -> str:
    return f"? {shown(cell)}" if cell.state in UNSETTLED and cell.value is not None else shown(cell)


def _standing(cell: ExportCell) -> str:
    verdict = cell.cell["verdict"] if cell.cell is not None else None
    state = STATES[cell.state] if shown(cell) != STATES[cell.state] else ""
    who = f"by {verdict['by'] or 'somebody'} on {verdict['at'][:10]}" if verdict and verdict["current"] else ""
    return " ".join(filter(None, (f"[{state}]" if state else "", who)))


def _quotation(cell: ExportCell, number: int, exhibits: Mapping[str, Exhibit]) -> str:
    citation = cell.quotations[number]
    exhibit = exhibits.get(citation["id"])
    where = ", ".join(filter(None, (place(citation), f"exhibit {exhibit.number}" if exhibit else "")))
    return f"“{' '.join(citation['quote'].split())}” ({where})"


def _exhibits(document: WordDocument, drawn: Sequence[Exhibit], left_out: int, number: int) -> None:
    document.add_page_break()  # type: ignore[no-untyped-call]
    bookmark(document.add_heading("Exhibits", 1), EXHIBITS, number)
    if left_out:
        document.add_paragraph(f"{left_out} quotations have no exhibit: a report shows at most {MAX_EXHIBITS} pages.")
    for exhibit in drawn:
        heading = document.add_heading(plain(f"Exhibit {exhibit.number}: {exhibit.title}"), 2)
        heading.paragraph_format.keep_with_next = True
        if exhibit.png is None:
            document.add_paragraph(f"No picture: {plain(exhibit.reason)}")
            continue
        picture = document.add_picture(io.BytesIO(exhibit.png), width=PICTURE)
        if picture.height > PICTURE_HEIGHT:
            picture.width, picture.height = int(picture.width * PICTURE_HEIGHT / picture.height), PICTURE_HEIGHT


def _grid(document: WordDocument, titles: Sequence[str]) -> Table:
    grid: Table = document.add_table(rows=1, cols=len(titles), style="Table Grid")
    for target, title in zip(grid.rows[0].cells, titles, strict=True):
        _write(target, title, bold=True, size=HEAD_SIZE)
    # The titles are repeated on every page.
    properties = grid.rows[0]._tr.get_or_add_trPr()
    properties.append(OxmlElement("w:tblHeader"))
    return grid


def _add_row(grid: Table) -> Sequence[_Cell]:
    row = grid.add_row()  # type: ignore[no-untyped-call]
    row._tr.get_or_add_trPr().append(OxmlElement("w:cantSplit"))
    cells: Sequence[_Cell] = row.cells
    return cells


def _set_widths(grid: Table, widths: Sequence[Length]) -> None:
    grid.autofit = False
    for column, width in zip(grid.columns, widths, strict=True):
        column.width = width  # LibreOffice reads the widths of columns, Word those of cells
    for row in grid.rows:
        for target, width in zip(row.cells, widths, strict=True):
            target.width = width


def _write(target: _Cell, text: str, *, bold: bool = False, italic: bool = False, size: int = CELL_SIZE) -> None:
    run = target.paragraphs[0].add_run(plain(text))
    run.bold, run.italic, run.font.size = bold or None, italic or None, Pt(size)
