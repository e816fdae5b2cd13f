"""A review as a Word report: overview, answers with quotations, exhibits."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence

from docx import Document
from docx.document import Document as WordDocument
from docx.enum.section import WD_ORIENT
from docx.enum.text import WD_ALIGN_PARAGRAPH
from docx.oxml import OxmlElement
from docx.oxml.ns import qn
from docx.section import Section
from docx.shared import Length, Mm, Pt
from docx.table import Table, _Cell

from orderly.services.exports.exhibits import MAX_EXHIBITS, Exhibit
from orderly.services.exports.table import STATES, UNSETTLED, ExportCell, ExportTable, place, plain, shown

CELL_SIZE, HEAD_SIZE = 9, 8
"""Points. Titles are smaller, so that "Commencement" stands on one line."""
OVERVIEW_COLUMNS = 4
"""Columns of one overview table; further columns follow in further tables."""
LONGEST_IN_OVERVIEW = 100
"""Characters; a longer value is cut here, and is whole in the answers of its document."""
LINE, OVERVIEW_NAME = Mm(170), Mm(42)
"""Width between the margins, and that of documents' names in an overview."""
PICTURE = Mm(150)
"""Width of an exhibit, and its greatest height."""
PICTURE_HEIGHT = Mm(215)


def report(table: ExportTable, exhibits: Mapping[str, Exhibit]) -> bytes:
    """Blocks: run it in a thread."""
    document = Document()
    document.styles["Normal"].font.size = Pt(10)
    section = document.sections[0]
    section.orientation, section.page_width, section.page_height = WD_ORIENT.PORTRAIT, Mm(210), Mm(297)
    section.left_margin = section.right_margin = Mm(20)
    _number_pages(section)
    document.add_heading(plain(table.name), 0)
    document.add_paragraph(f"Matter {table.matter}")
    document.add_paragraph(plain(table.made))
    document.add_heading("Overview", 1)
    for start in range(0, max(len(table.columns), 1), OVERVIEW_COLUMNS):
        _overview(document, table, start)
    for reviewed, cells in table.rows:
        document.add_heading(plain(reviewed["filename"]), 1)
        if reviewed["current_revision_id"] is None:
            reason = reviewed["status_reason"] or reviewed["status"]
            document.add_paragraph(f"Not read, so it has no answers ({plain(reason)}).")
        else:
            _answers(document, cells, exhibits)
    _exhibits(document, table, exhibits)
    file = io.BytesIO()
    document.save(file)
    return file.getvalue()


def _number_pages(section: Section) -> None:
    """Numbers such as "3 / 12" at the foot of each page, as fields that the program fills in."""
    foot = section.footer.paragraphs[0]
    foot.alignment = WD_ALIGN_PARAGRAPH.RIGHT
    for words in ("PAGE", " / ", "NUMPAGES"):
        run = foot.add_run("1" if words.isupper() else words)
        run.font.size = Pt(HEAD_SIZE)
        if words.isupper():
            field = OxmlElement("w:fldSimple")
            field.set(qn("w:instr"), words)
            run._r.addprevious(field)
            field.append(run._r)


def _overview(document: WordDocument, table: ExportTable, start: int) -> None:
    columns = table.columns[start : start + OVERVIEW_COLUMNS]
    grid = _grid(document, ["Document", *(column["title"] for column in columns)])
    for reviewed, cells in table.rows:
        line = _add_row(grid)
        _write(line[0], reviewed["filename"], bold=True)
        for target, cell in zip(line[1:], cells[start : start + OVERVIEW_COLUMNS], strict=True):
            text = _marked(cell)
            short = text if len(text) <= LONGEST_IN_OVERVIEW else f"{text[:LONGEST_IN_OVERVIEW]} …"
            _write(target, short, italic=cell.state in UNSETTLED)
    _set_widths(grid, [OVERVIEW_NAME, *[Length((LINE - OVERVIEW_NAME) // OVERVIEW_COLUMNS)] * len(columns)])
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


def _exhibits(document: WordDocument, table: ExportTable, exhibits: Mapping[str, Exhibit]) -> None:
    ordered = sorted({exhibit.number: exhibit for exhibit in exhibits.values()}.values(), key=lambda exhibit: exhibit.number)
    left_out = sum(q["paged"] and q["id"] not in exhibits for cell in table.cells() for q in cell.quotations)
    if not ordered and not left_out:
        return
    document.add_page_break()  # type: ignore[no-untyped-call]
    document.add_heading("Exhibits", 1)
    if left_out:
        document.add_paragraph(f"{left_out} quotations have no exhibit: a report shows at most {MAX_EXHIBITS} pages.")
    for exhibit in ordered:
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
    cells: Sequence[_Cell] = grid.add_row().cells  # type: ignore[no-untyped-call]
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
