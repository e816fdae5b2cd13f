"""Exports hold typed values, quotations and verdicts, and nothing that a spreadsheet would run."""

from __future__ import annotations

import csv
import io
import re
import shutil
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

import pymupdf
import pytest
from docx import Document
from docx.enum.section import WD_ORIENT
from docx.shared import Mm
from openpyxl import load_workbook
from PIL import Image

from orderly.agent.rendering.reviews import cell_text
from orderly.services.exports.csv_file import csv_file
from orderly.services.exports.exhibits import Exhibit
from orderly.services.exports.report import report
from orderly.services.exports.short_names import short_names
from orderly.services.exports.table import ExportTable, export_table
from orderly.services.exports.workbook import workbook
from orderly.services.reviews import ReviewTable
from stress.fidelity.rendering import render

COLUMNS = [
    {"id": "c1", "title": "Expiry", "question": "When does the term end?", "answer_type": "date"},
    {"id": "c2", "title": "Rent", "question": "What is the rent?", "answer_type": "money"},
    {"id": "c3", "title": "=HYPERLINK(1)", "question": "What else?", "answer_type": "text"},
]


def cell(
    column: str, state: str, value: dict[str, Any] | None, quote: str = "", verdict: dict[str, Any] | None = None
) -> dict[str, Any]:
    citation = {
        "id": f"cite-{column}", "revision_id": "r1", "start": 4, "end": 4 + len(quote), "quote": quote, "page": 7, "paged": True,
        "section_label": "2", "section_title": "Term",
    }  # fmt: skip
    return {
        "id": f"cell-{column}", "column_id": column, "document_id": "d1", "state": state, "edition": 1, "value": value,
        "citations": [citation] if quote else [], "revision_id": "r1", "current": True, "confidence": 0.9, "engine": "Rules", "model": None,
        "read": {"characters": 900, "pages": 8, "unread": [3], "incomplete": "page 3 is blank"}, "note": "", "verdict": verdict,
    }  # fmt: skip


@pytest.fixture
def table() -> ExportTable:
    cells = [
        cell("c1", "found", {"type": "date", "text": "31 December 2026", "iso": "2026-12-31"}, "ends on 31 December 2026"),
        cell("c2", "candidate", {"type": "money", "text": "AUD 12,500", "number": 12500.0, "amount": "12500", "currency": "AUD"}, "$12,500"),
        cell(
            "c3", "found", {"type": "text", "text": "+cmd|' /C calc'!A0"}, "@SUM(1)",
            {"verdict": "accepted", "value": {"type": "text", "text": "+cmd|' /C calc'!A0"}, "note": "\x07seen", "by": "a@b.c", "at": "2026-11-01T00:00:00Z", "current": True},
        ),
    ]  # fmt: skip
    document = {"id": "d1", "filename": "=1+1.pdf", "status": "ready", "status_reason": "", "current_revision_id": "r1"}
    unread = {
        **document,
        "id": "d2",
        "filename": "b.pdf",
        "status": "failed",
        "status_reason": "damaged",
        "current_revision_id": None,
    }
    review = {"name": "Leases", "matter_number": "M-1", "columns": COLUMNS}
    rows = [{"document": document, "cells": cells}, {"document": unread, "cells": []}]
    found = ReviewTable(cast(Any, review), cast(Any, rows), 2)
    return export_table(found, "a@b.c", datetime(2026, 11, 22, 9, 30, tzinfo=UTC))


def test_a_workbook_has_typed_values_and_no_formula(table: ExportTable) -> None:
    book = load_workbook(io.BytesIO(workbook(table)))
    assert book.sheetnames == ["Review", "Cells", "Sources"]
    assert all(c.data_type != "f" for sheet in book for row in sheet.iter_rows() for c in row)
    review = book["Review"]
    assert "22 November 2026, 09:30 UTC for a@b.c" in review["A1"].value
    assert "Answered by: Rules" in review["A1"].value
    assert (review["A3"].value, review["D2"].value, review["D3"].value) == ("=1+1.pdf", "=HYPERLINK(1)", "+cmd|' /C calc'!A0")
    assert (review["B3"].value, review["B3"].alignment.horizontal) == (datetime(2026, 12, 31), "left")
    assert (review["C3"].value, review["C3"].number_format) == (12500, '"? ""AUD "#,##0.00')
    assert [review.cell(4, n).value for n in (2, 3, 4)] == ["not answered yet"] * 3
    assert (review["C3"].hyperlink.location, review["B4"].hyperlink.location) == ("Cells!A4", "Cells!A6"), (
        "a cell leads to its quotation"
    )
    assert review["B4"].font.color.rgb != review["B3"].font.color.rgb, "what is no answer is told apart from answers"
    assert all((s.print_title_rows, s.page_setup.orientation) == ("$2:$2", "landscape") for s in book)
    cells = [[c.value for c in row] for row in book["Cells"].iter_rows(min_row=3)]
    assert cells[1][5] == "not confirmed"
    assert cells[0][4:8] == ["31 December 2026", "found", "ends on 31 December 2026", "page 7, section 2"]
    assert cells[2][11:13] == ["accepted", "a@b.c"]
    assert cells[2][14] == "seen Not all of it was read: page 3 is blank"
    sources = [[c.value for c in row] for row in book["Sources"].iter_rows(min_row=3)]
    assert sources[0][3:7] == ["r1", 900, 8, "3"]
    assert sources[1][1:4] == ["failed", "damaged", "not read"]


def test_csv_escapes_what_a_spreadsheet_would_run(table: ExportTable) -> None:
    text = csv_file(table).decode("utf-8-sig")
    rows = list(csv.reader(io.StringIO(text)))
    assert not [field for row in rows for field in row if field.lstrip(" ").startswith(("=", "+", "-", "@", "|", "%"))]
    assert rows[2][:6] == ["'=1+1.pdf", "Expiry", "When does the term end?", "found", "31 December 2026", "2026-12-31"]
    assert rows[4][4] == "'+cmd|' /C calc'!A0"


def test_a_report_quotes_marks_what_is_not_confirmed_and_shows_exhibits(table: ExportTable) -> None:
    picture = io.BytesIO()
    Image.new("RGB", (60, 200), "white").save(picture, "PNG")
    pictures = {
        "cite-c1": Exhibit(1, "a.pdf, page 7", picture.getvalue()),
        "cite-c2": Exhibit(2, "a.pdf, page 7", None, "gone"),
    }
    document = Document(io.BytesIO(report(table, pictures)))
    texts = [p.text for p in document.paragraphs] + [c.text for t in document.tables for row in t.rows for c in row.cells]
    assert "“ends on 31 December 2026” (page 7, section 2, exhibit 1)" in texts
    assert any(text.startswith("? AUD 12,500\n[not confirmed]") for text in texts)
    assert "Not read, so it has no answers (damaged)." in texts
    assert "No picture: gone" in texts
    assert "1 quotations have no exhibit: a report shows at most 200 pages." in texts
    assert len(document.inline_shapes) == 1
    assert re.findall(r'w:instr="(\w+)"', document.sections[0].footer._element.xml) == ["PAGE", "NUMPAGES"]
    widths = [[column.width for column in t.columns] for t in document.tables]
    assert all(
        t.rows[0].cells[n].width == width for t, of in zip(document.tables, widths, strict=True) for n, width in enumerate(of)
    )
    grid, *answers = widths
    assert sum(grid) <= Mm(257) and all(sum(of) <= Mm(170) and len(set(of)) > 1 for of in answers)
    assert [section.orientation for section in document.sections] == [
        WD_ORIENT.PORTRAIT,
        WD_ORIENT.LANDSCAPE,
        WD_ORIENT.PORTRAIT,
    ]
    assert {"File: =1+1.pdf", "Not read, so it has no answers (damaged)."} <= set(texts)


@pytest.mark.parametrize(
    ("filename", "name"),
    [
        (
            "HERTZGLOBALHOLDINGS_INC_07_07_2016-EX-10.4-INTELLECTUAL_PROPERTY_AGREEMENT.pdf",
            "Hertzglobalholdings Inc – Intellectual Property Agreement",
        ),
        ("GOCALLINC_03_30_2000-EX-10.7-Promotion_Agreement.txt", "Gocallinc – Promotion Agreement"),
        ("DEED_OF_RELEASE.docx", "Deed of Release"),
        ("NDA.pdf", "NDA"),
        ("Annual report 2019.v2.pdf", "Annual report 2019.v2"),
        ("-.pdf", "-"),
    ],
)
def test_documents_have_the_names_of_the_page(filename: str, name: str) -> None:
    assert short_names([filename, "Other.pdf"])[filename] == name


def test_a_short_name_that_two_files_would_share_stays_whole() -> None:
    assert short_names(["Lease.pdf", "Lease.docx", "A_b.txt"]) == {
        "Lease.pdf": "Lease.pdf",
        "Lease.docx": "Lease.docx",
        "A_b.txt": "A b",
    }


@pytest.mark.skipif(shutil.which("soffice") is None, reason="LibreOffice is not installed: apt-get install libreoffice-writer")
def test_libreoffice_draws_the_grid_across_the_page_and_the_contents_with_their_pages(tmp_path: Path) -> None:
    columns = [{"id": f"c{n}", "title": f"Question {n}", "question": "What?", "answer_type": "text"} for n in range(6)]
    rows = []
    for number in range(40):
        document = {"id": f"d{number}", "filename": f"LEASE_OF_SHOP_{number}.pdf", "status": "ready", "status_reason": "", "current_revision_id": "r1"}  # fmt: skip
        cells = [{**cell(c["id"], "found", {"type": "text", "text": "six months"}, "six months")} for c in columns]
        rows.append({"document": document, "cells": cells})
    review = {"name": "Leases", "matter_number": "M-1", "columns": columns}
    table = export_table(ReviewTable(cast(Any, review), cast(Any, rows), 40), "a@b.c", datetime(2026, 11, 22, tzinfo=UTC))
    file = tmp_path / "report.docx"
    file.write_bytes(report(table, {}))
    drawn = render([file], tmp_path)[file]
    with pymupdf.open(drawn) as pdf:
        pages = list(pdf)
        texts = [page.get_text() for page in pages]
        across = [page.number for page in pages if page.rect.width > page.rect.height]
        assert len(across) >= 2 and across == list(range(across[0], across[-1] + 1))
        for number in across:
            assert "Question 0" in texts[number] and "Question 5" in texts[number], "the titles are repeated on every page"
        assert f"{len(pages)} / {len(pages)}" in " ".join(texts[-1].split())
        contents = " ".join(" ".join(texts[: across[0]]).split())
        first = next(n for n, text in enumerate(texts) if "File: LEASE_OF_SHOP_39.pdf" in text)
        assert re.search(rf"Lease of Shop 39[ .]*{first + 1}\b", contents), contents[-400:]
        words = [word for page in pages for word in page.get_text("words")]
        assert all(word[0] >= 0 and word[2] <= 842 for word in words)


def test_what_a_person_rejected_or_put_in_has_no_quotation(table: ExportTable) -> None:
    for verdict, shown in (("rejected", "rejected"), ("corrected", "AUD 9")):
        value = None if verdict == "rejected" else {"type": "money", "text": "AUD 9"}
        given = {"verdict": verdict, "value": value, "note": "", "by": None, "at": "2026-11-01", "current": True}
        judged = cell("c2", "found", {"type": "money", "text": "AUD 1"}, "one dollar", given)
        document = table.rows[0][0]
        review = {"name": "R", "matter_number": "M-1", "columns": COLUMNS[1:2]}
        made = export_table(
            ReviewTable(cast(Any, review), cast(Any, [{"document": document, "cells": [judged]}]), 1),
            "a@b.c",
            datetime.now(UTC),
        )
        sheet = load_workbook(io.BytesIO(workbook(made)))["Cells"]
        assert (sheet["E3"].value, sheet["G3"].value) == (shown, None)


def one_cell(judged: dict[str, Any], document: Any) -> Any:
    review = {"name": "R", "matter_number": "M-1", "columns": COLUMNS[1:2]}
    rows = cast(Any, [{"document": document, "cells": [judged]}])
    made = export_table(ReviewTable(cast(Any, review), rows, 1), "a@b.c", datetime.now(UTC))
    return load_workbook(io.BytesIO(workbook(made)))["Cells"]


def test_an_accepted_absence_is_shown_as_one_and_a_correction_has_no_note_of_the_answer(table: ExportTable) -> None:
    document = table.rows[0][0]
    given = {"verdict": "accepted", "value": None, "note": "", "by": None, "at": "2026-11-01", "current": True}
    absent = cell("c2", "not_found", None, verdict=given)
    assert one_cell(absent, document)["E3"].value == "nothing found"
    assert cell_text(cast(Any, absent)).startswith("nothing found [accepted]")
    corrected = {**given, "verdict": "corrected", "value": {"type": "money", "text": "AUD 9"}}
    noted = {
        **cell("c2", "found", {"type": "money", "text": "AUD 1"}, "one dollar", corrected),
        "note": "Two sums stand there.",
    }
    assert "Two sums" not in str(one_cell(noted, document)["O3"].value) and "Two sums" not in cell_text(cast(Any, noted))


def test_a_period_is_a_number_of_days_that_is_shown_as_the_document_counts_it() -> None:
    column = {"id": "c1", "title": "Notice", "question": "How long?", "answer_type": "duration"}
    value = {"type": "duration", "text": "12 months", "iso": "P12M", "number": 365}
    unlimited = {"type": "duration", "text": "perpetual", "perpetual": True}
    document = {"id": "d1", "filename": "a.pdf", "status": "ready", "status_reason": "", "current_revision_id": "r1"}
    rows = [
        {"document": document, "cells": [cell("c1", "found", value, "twelve months")]},
        {"document": {**document, "id": "d2"}, "cells": [cell("c1", "candidate", value, "twelve months")]},
        {"document": {**document, "id": "d3"}, "cells": [cell("c1", "found", unlimited, "for ever")]},
    ]
    review = {"id": "r", "name": "Notices", "matter_number": "M-2026-001", "columns": [column]}
    made = export_table(ReviewTable(cast(Any, review), cast(Any, rows), 3), "a@b.c", datetime(2026, 11, 1, tzinfo=UTC))
    sheet = load_workbook(io.BytesIO(workbook(made)))["Review"]
    found = [(sheet.cell(row, 2).value, sheet.cell(row, 2).number_format) for row in (3, 4, 5)]
    assert found == [(365, '"12 months"'), (365, '"? ""12 months"'), ("perpetual", "General")]
