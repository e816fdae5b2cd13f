"""Workbooks as a person sees them: numbers as formatted, what is hidden or struck, comments, drawings, escapes, notations."""

from __future__ import annotations

import zipfile
from collections.abc import Mapping
from datetime import datetime, time, timedelta
from pathlib import Path

import openpyxl
import pytest
from openpyxl.cell.rich_text import CellRichText, TextBlock
from openpyxl.cell.text import InlineFont
from openpyxl.chart import BarChart, Reference
from openpyxl.formatting.rule import CellIsRule
from openpyxl.styles import Font, PatternFill
from openpyxl.utils.datetime import CALENDAR_MAC_1904

from orderly.services.document_processor import DocumentProcessor
from orderly.services.document_processor.xlsx_cells import format_cell

ACCOUNTING = '_-"$"* #,##0.00_-;-"$"* #,##0.00_-;_-"$"* "-"??_-;_-@_-'


@pytest.mark.parametrize(
    ("value", "form", "shown"),
    [
        (62000, "000-000", "062-000"),
        (12345678901, "00 000 000 000", "12 345 678 901"),
        (491570006, "0000 000 000", "0491 570 006"),
        (61234567890, '"+"00 0 0000 0000', "+61 2 3456 7890"),
        (800, "0000", "0800"),
        (123, '"F-"00000', "F-00123"),
        (5551234, "(###) ###-####", "() 555-1234"),
        (-1234.5, '#,##0.00;(#,##0.00);"nil"', "(1,234.50)"),
        (0, '#,##0.00;(#,##0.00);"nil"', "nil"),
        (1234.5, ACCOUNTING, "$1,234.50"),
        (0, ACCOUNTING, "$-"),
        (-5, ACCOUNTING, "-$5.00"),
        (1234.5, "#,##0.00 [$€-407]", "1,234.50 €"),
        (1500000, '0.0,,"m"', "1.5m"),
        (0.155, "0.0%", "15.5%"),
        (2.5, "0", "3"),
        (1.2, "0.0##", "1.2"),
        (1.5, "# ?/?", "1 1/2"),
        (0.375, "?/8", "3/8"),
        (12345, "0.00E+00", "1.23E+04"),
        (150, '[>=100]"large "0;0', "large 150"),
        (7, 'General" units"', "7 units"),
        ("x", '"Re: "@', "Re: x"),
        ("a_x000D_\nb_x005F_x000D_", "General", "a b_x000D_"),
        (datetime(2026, 11, 20), "dd/mm/yyyy", "20/11/2026"),
        (datetime(2026, 11, 20), "d mmmm yyyy", "20 November 2026"),
        (datetime(2026, 3, 2), "[$-407]d. mmmm yyyy", "2. März 2026"),
        (datetime(2026, 3, 2), "[$-F800]dddd, mmmm dd, yyyy", "2026-03-02"),
        (datetime(2026, 11, 20), "mm-dd-yy", "2026-11-20"),
        (datetime(2026, 11, 20, 14, 5), "d/mm/yy h:mm AM/PM", "20/11/26 2:05 PM"),
        (time(9, 30), "hh:mm", "09:30"),
        (timedelta(days=1.5), "[h]:mm", "36:00"),
        (timedelta(minutes=90), "[mm]:ss", "90:00"),
        (timedelta(days=1, seconds=1.25), "[h]:mm:ss.00", "24:00:01.25"),
    ],
)
def test_a_value_is_written_as_its_format_shows_it(value: object, form: str, shown: str) -> None:
    assert format_cell(value, form) == shown


async def test_dates_of_the_other_epoch_are_the_same_days(processor: DocumentProcessor, tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    book.epoch = CALENDAR_MAC_1904
    sheet = book.active
    assert sheet is not None
    sheet["A1"] = datetime(2026, 11, 20)
    sheet["A1"].number_format = "d/mm/yyyy"
    book.save(tmp_path / "a.xlsx")
    assert (await processor.extract(tmp_path / "a.xlsx", "a.xlsx")).text == "[Sheet: Sheet]\n20/11/2026"


def claims(path: Path) -> Path:
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.title = "Claims"
    for row in (("Creditor", "Claim", "Reserve"), ("Alder", 100, 60), ("Birch", 200, 10), ("Cedar", 300, 0), ("Dogwood", 1, 5)):
        sheet.append(row)
    sheet.column_dimensions["C"].hidden = True
    sheet.row_dimensions[3].hidden = True
    sheet["B5"].font = Font(strike=True)
    book.save(path)
    return path


async def test_hidden_rows_and_columns_stand_apart_and_are_told_with_their_place(
    processor: DocumentProcessor, tmp_path: Path
) -> None:
    extracted = await processor.extract(claims(tmp_path / "a.xlsx"), "a.xlsx")
    assert extracted.text == "[Sheet: Claims]\nCreditor\tClaim\nAlder\t100\nCedar\t300\nDogwood"
    assert [entry["text"] for entry in extracted.details["hidden_text"]] == [  # type: ignore[attr-defined]
        "Claims, row 1, column C: Reserve",
        "Claims, row 2, column C: 60",
        "Claims, row 3: Birch\t200\t10",
        "Claims, row 4, column C: 0",
        "Claims, row 5, column C: 5",
    ]
    assert "hidden_cells" in extracted.pages[0].flags
    assert any("hidden: column C, row 3" in note for note in extracted.notes)
    struck = extracted.details["tracked_changes"]
    assert isinstance(struck, list)
    assert [(one["kind"], one["text"], one["place"]) for one in struck] == [("struck", "1", "Claims!B5")]


async def test_values_under_merged_cells_and_in_formats_that_show_nothing_are_kept_apart(
    processor: DocumentProcessor, tmp_path: Path
) -> None:
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.append(["2025", "x", "End"])
    sheet.append(["Secret", 7])
    sheet["B2"].number_format = ";;;"
    book.save(tmp_path / "whole.xlsx")
    merge = {"xl/worksheets/sheet1.xml": ("</sheetData>", '</sheetData><mergeCells><mergeCell ref="A1:B1"/></mergeCells>')}
    extracted = await processor.extract(changed(tmp_path / "whole.xlsx", merge), "a.xlsx")
    assert extracted.text == "[Sheet: Sheet]\n2025\t\tEnd\nSecret"
    assert extracted.details["hidden_text"] == ["Sheet!B1: x", "Sheet!B2: 7"]
    assert any("Sheet!B1" in note for note in extracted.notes)


def changed(path: Path, replaced: Mapping[str, tuple[str, str]], added: Mapping[str, str] | None = None) -> Path:
    """A copy of the file with words of its parts replaced, and parts added."""
    target = path.with_name("changed.xlsx")
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(target, "w") as new:
        for name in old.namelist():
            text = old.read(name)
            new.writestr(name, text.replace(*(words.encode() for words in replaced[name])) if name in replaced else text)
        for name, text in (added or {}).items():
            new.writestr(name, text)
    return target


DRAWING = """<xdr:wsDr xmlns:xdr="http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing"
 xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"
 xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"
 xmlns:a14="http://schemas.microsoft.com/office/drawing/2010/main"><xdr:twoCellAnchor>
 <mc:AlternateContent><mc:Choice Requires="a14">{0}</mc:Choice><mc:Fallback>{0}</mc:Fallback></mc:AlternateContent>
 <xdr:sp><xdr:nvSpPr><xdr:cNvPr id="3" hidden="1"/></xdr:nvSpPr><xdr:txBody><a:p><a:r><a:t>Unseen</a:t></a:r></a:p></xdr:txBody></xdr:sp>
 </xdr:twoCellAnchor></xdr:wsDr>"""
BOX = '<xdr:sp><xdr:nvSpPr><xdr:cNvPr id="2"/></xdr:nvSpPr><xdr:txBody><a:p>{}</a:p></xdr:txBody></xdr:sp>'.format(
    '<a:r><a:t>Subject to </a:t></a:r><a:r><a:rPr strike="sngStrike"/><a:t>board </a:t></a:r><a:r><a:t>audit</a:t></a:r>'
)
THREADS = """<ThreadedComments xmlns="http://schemas.microsoft.com/office/spreadsheetml/2018/threadedcomments">
 <threadedComment ref="A1" dT="2026-01-02T00:00:00" personId="p1" id="t1"><text>Is this final?</text></threadedComment>
 </ThreadedComments>"""
LEGACY = """<comments xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><authors><author>tc=t1</author></authors>
 <commentList><comment ref="A1" authorId="0"><text><t>[Threaded comment] Your version … Comment: Is this final?</t></text></comment>
 </commentList></comments>"""
PEOPLE = """<personList xmlns="http://schemas.microsoft.com/office/spreadsheetml/2018/threadedcomments">
 <person id="p1" displayName="Ann"/></personList>"""
KIND = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"


async def test_text_boxes_and_threaded_comments_are_read_once(processor: DocumentProcessor, tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    assert book.active is not None
    book.active["A1"] = "Price"
    book.save(tmp_path / "whole.xlsx")
    links = "".join(
        f'<Relationship Id="r{n}" Type="{kind}" Target="{target}"/>'
        for n, (kind, target) in enumerate(
            (
                (f"{KIND}/drawing", "../drawings/drawing1.xml"),
                (f"{KIND}/comments", "../comments1.xml"),
                ("http://schemas.microsoft.com/office/2017/10/relationships/threadedComment", "../threads/t1.xml"),
            )
        )
    )
    relations = f'<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">{links}</Relationships>'
    parts = {
        "xl/worksheets/_rels/sheet1.xml.rels": relations,
        "xl/drawings/drawing1.xml": DRAWING.format(BOX),
        "xl/comments1.xml": LEGACY,
        "xl/threads/t1.xml": THREADS,
        "xl/persons/person.xml": PEOPLE,
    }
    extracted = await processor.extract(changed(tmp_path / "whole.xlsx", {}, parts), "a.xlsx")
    assert extracted.text == "[Sheet: Sheet]\nPrice\n\n[Text box]\nSubject to audit"
    assert extracted.details["hidden_text"] == ["Unseen"]
    comment = {"author": "Ann", "date": "2026-01-02T00:00:00", "text": "Is this final?", "place": "Sheet!A1"}
    assert extracted.details["comments"] == [comment]
    assert any("Struck-out words" in note for note in extracted.notes)


async def test_charts_are_read_on_their_sheets_and_on_sheets_of_their_own(processor: DocumentProcessor, tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.append(["Year", "Fees"])
    sheet.append(["2025", 10])
    for place in (sheet, book.create_chartsheet("Picture")):
        chart = BarChart()
        chart.title = "Fees by year"
        chart.add_data(Reference(sheet, min_col=2, min_row=1, max_row=2), titles_from_data=True)
        place.add_chart(chart)
    book.save(tmp_path / "a.xlsx")
    extracted = await processor.extract(tmp_path / "a.xlsx", "a.xlsx")
    assert [page.label for page in extracted.pages] == ["Sheet", "Picture"]
    assert extracted.text.count("[Chart]\nFees by year") == 2


async def test_workbooks_of_the_strict_notation_are_read(processor: DocumentProcessor, tmp_path: Path) -> None:
    path = claims(tmp_path / "a.xlsx")
    usual, strict = "http://schemas.openxmlformats.org/{}/2006/", "http://purl.oclc.org/ooxml/{}/"
    target = tmp_path / "strict.xlsx"
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(target, "w") as new:
        for name in old.namelist():
            text = old.read(name).decode()
            for kind in ("spreadsheetml", "officeDocument", "drawingml") if name != "[Content_Types].xml" else ():
                text = text.replace(usual.format(kind), strict.format(kind))
            new.writestr(name, text)
    whole, found = await processor.extract(path, "a.xlsx"), await processor.extract(target, "b.xlsx")
    assert (found.text, found.notes) == (whole.text, whole.notes)


async def test_struck_words_inside_a_cell_are_kept_apart(processor: DocumentProcessor, tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    old, new = TextBlock(InlineFont(strike=True), "fourteen "), TextBlock(InlineFont(b=True), "sixty")
    sheet["A1"] = CellRichText("Days: ", old, new)
    book.save(tmp_path / "whole.xlsx")
    path = shared_strings(tmp_path / "whole.xlsx")
    extracted = await processor.extract(path, "a.xlsx")
    assert extracted.text == "[Sheet: Sheet]\nDays: sixty"
    assert extracted.details["tracked_changes"] == [{"kind": "struck", "author": "", "date": "", "text": "fourteen "}]


def shared_strings(path: Path) -> Path:
    """Moves the string of the first cell to the shared strings, where Excel writes it."""
    with zipfile.ZipFile(path) as archive:
        sheet = archive.read("xl/worksheets/sheet1.xml").decode()
        kinds, links = archive.read("[Content_Types].xml").decode(), archive.read("xl/_rels/workbook.xml.rels").decode()
    start, end = sheet.index("<is>") + 4, sheet.index("</is>")
    namespace = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    kind = "application/vnd.openxmlformats-officedocument.spreadsheetml.sharedStrings+xml"
    cell = sheet[sheet.index("<c ") : sheet.index("</c>")]
    shared = '<c r="A1" t="s"><v>0</v>'
    override = f'<Override PartName="/xl/sharedStrings.xml" ContentType="{kind}"/></Types>'
    link = f'<Relationship Id="rS" Type="{KIND}/sharedStrings" Target="sharedStrings.xml"/></Relationships>'
    replaced = {
        "xl/worksheets/sheet1.xml": (cell, shared),
        "[Content_Types].xml": ("</Types>", override),
        "xl/_rels/workbook.xml.rels": ("</Relationships>", link),
    }
    assert "sharedStrings" not in kinds + links
    return changed(path, replaced, {"xl/sharedStrings.xml": f'<sst xmlns="{namespace}"><si>{sheet[start:end]}</si></sst>'})


async def test_white_on_white_is_kept_apart_unless_something_colours_the_ground(
    processor: DocumentProcessor, tmp_path: Path
) -> None:
    book = openpyxl.Workbook()
    plain, coloured = book.active, book.create_sheet("Coloured")
    assert plain is not None
    for sheet in (plain, coloured):
        sheet.append(["Seen", "Pale", "Head"])
        sheet["B1"].font, sheet["C1"].font = Font(color="FFFEFEFE"), Font(color="FFFFFFFF")
        sheet["C1"].fill = PatternFill("solid", fgColor="FF000080")
    coloured.conditional_formatting.add(
        "B1", CellIsRule(operator="notEqual", formula=['""'], fill=PatternFill(bgColor="FF0000"))
    )
    book.save(tmp_path / "a.xlsx")
    extracted = await processor.extract(tmp_path / "a.xlsx", "a.xlsx")
    assert extracted.text == "[Sheet: Sheet]\nSeen\t\tHead\n[Sheet: Coloured]\nSeen\tPale\tHead"
    assert extracted.details["hidden_text"] == ["Sheet!B1: Pale"]
    assert "white on white" in " ".join(extracted.notes)


async def test_struck_words_of_a_string_in_its_cell_are_kept_apart(processor: DocumentProcessor, tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    assert book.active is not None
    book.active["A1"] = "text"
    book.save(tmp_path / "a.xlsx")
    rich = "<is><r><rPr><strike/></rPr><t>$800 </t></r><r><t>$900</t></r></is>"
    path = changed(tmp_path / "a.xlsx", {"xl/worksheets/sheet1.xml": ("<is><t>text</t></is>", rich)})
    extracted = await processor.extract(path, "a.xlsx")
    assert extracted.text == "[Sheet: Sheet]\n$900"
    assert [entry["text"] for entry in extracted.details["tracked_changes"]] == ["$800 "]  # type: ignore[attr-defined]


async def test_zeros_that_a_sheet_does_not_show_are_empty(processor: DocumentProcessor, tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.append(["Rent", 0, 0.0, False, "0", 12.5])
    sheet.sheet_view.showZeros = False
    book.save(tmp_path / "a.xlsx")
    extracted = await processor.extract(tmp_path / "a.xlsx", "a.xlsx")
    assert extracted.text.splitlines()[-1] == "Rent\t\t\tFALSE\t0\t12.5"
