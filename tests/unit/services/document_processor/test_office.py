from __future__ import annotations

import zipfile
from collections.abc import Callable
from datetime import date
from pathlib import Path

import docx
import openpyxl
import pymupdf
import pytest
from openpyxl.comments import Comment
from openpyxl.drawing.image import Image as SheetImage
from PIL import Image
from pptx import Presentation
from pptx.util import Inches

from orderly.errors import Damaged, PasswordProtected, Unsupported
from orderly.services.document_processor import DocumentProcessor
from orderly.services.documents.health import incomplete_because
from orderly.services.ocr.tesseract import TesseractOcr

Files = Callable[[str], Path]


async def test_slides_are_pages_with_tables_groups_and_notes(processor: DocumentProcessor, tmp_path: Path) -> None:
    deck = Presentation()
    first = deck.slides.add_slide(deck.slide_layouts[5])
    first.shapes.title.text = "Settlement"
    first.shapes.add_group_shape().shapes.add_textbox(0, 0, 10, 10).text_frame.text = "In a group"
    table = first.shapes.add_table(2, 2, 0, 0, Inches(4), Inches(1)).table
    for at, word in enumerate(("Party", "Fee", "Acme", "5")):
        table.cell(at // 2, at % 2).text = word
    first.notes_slide.notes_text_frame.text = "Say it slowly"
    second = deck.slides.add_slide(deck.slide_layouts[5])
    second.shapes.title.text = "Hidden"
    second._element.set("show", "0")
    path = tmp_path / "deck.pptx"
    deck.save(str(path))
    extracted = await processor.extract(path, "deck.pptx")
    one, two = (extracted.text[page.start : page.end] for page in extracted.pages)
    assert one == "Settlement\n\nIn a group\n\nParty\tFee\nAcme\t5\n\n[Notes]\nSay it slowly"
    assert (two, extracted.pages[1].flags) == ("[Hidden slide]", ("hidden_slide", "hidden_text"))
    assert extracted.details["hidden_text"] == [{"page": 2, "text": "Hidden"}]
    assert any("slide 2" in note for note in extracted.notes)


async def test_a_real_presentation_is_read(processor: DocumentProcessor, fixture_file: Files) -> None:
    extracted = await processor.extract(fixture_file("unstructured__fake-power-point.pptx"), "deck.pptx")
    assert "Here is some text in a text box" in extracted.text


def workbook(path: Path) -> Path:
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.title = "Fees"
    sheet.append(["Party", "Fee", "Share", "Due"])
    sheet.append(["Acme", 1250000, 0.155, date(2026, 11, 20)])
    sheet["B2"].number_format = '"A$"#,##0.00'
    sheet["C2"].number_format = "0.0%"
    sheet["A1"].comment = Comment("check this", "Ann")
    hidden = book.create_sheet("Margins")
    hidden.append(["secret", 3])
    hidden.sheet_state = "hidden"
    book.save(path)
    return path


async def test_sheets_are_pages_and_numbers_appear_as_excel_shows_them(processor: DocumentProcessor, tmp_path: Path) -> None:
    """The path has no extension: so are files called while they are read from storage."""
    extracted = await processor.extract(workbook(tmp_path / "file"), "fees.xlsx")
    fees, margins = extracted.pages
    assert extracted.text[fees.start : fees.end] == (
        "[Sheet: Fees]\nParty\tFee\tShare\tDue\nAcme\tA$1,250,000.00\t15.5%\t2026-11-20"
    )
    assert [page.label for page in extracted.pages] == ["Fees", "Margins"]
    assert (extracted.text[margins.start : margins.end], margins.flags) == ("[Hidden sheet: Margins]", ("hidden_sheet",))
    assert extracted.details["hidden_text"] == [{"page": 2, "text": "Hidden sheet Margins: secret\t3"}]
    assert extracted.details["comments"] == [{"author": "Ann", "date": "", "text": "check this", "place": "Fees!A1"}]
    assert incomplete_because(extracted) == ()


async def test_formulas_that_were_never_calculated_make_a_workbook_partial(
    processor: DocumentProcessor, tmp_path: Path
) -> None:
    book = openpyxl.Workbook()
    assert book.active is not None
    book.active.append(["Total", "=1+1"])
    book.save(tmp_path / "sum.xlsx")
    extracted = await processor.extract(tmp_path / "sum.xlsx", "sum.xlsx")
    assert any("formulas" in reason for reason in incomplete_because(extracted))


@pytest.mark.parametrize("name", ["a.pptx", "a.xlsx"])
async def test_broken_office_files_are_damaged_and_encrypted_ones_say_so(
    processor: DocumentProcessor, tmp_path: Path, name: str
) -> None:
    path = tmp_path / name
    path.write_bytes(b"PK\x03\x04" + b"\0" * 400)
    with pytest.raises(Damaged):
        await processor.extract(path, name)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("ppt/x.xml" if name == "a.pptx" else "xl/x.xml", "<a/>")
    with pytest.raises(Damaged):
        await processor.extract(path, name)
    path.write_bytes(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 600 + "EncryptedPackage".encode("utf-16-le") + b"\0" * 600)
    with pytest.raises(PasswordProtected):
        await processor.extract(path, name)


async def test_an_unsupported_format_is_refused_with_reason_and_remedy(
    processor: DocumentProcessor, fixture_file: Files, tmp_path: Path
) -> None:
    with pytest.raises(Unsupported, match=r"old binary Word format.*save it as DOCX"):
        await processor.extract(fixture_file("unstructured__simple.doc"), "simple.doc")
    with pytest.raises(Unsupported, match="old binary Word format"):
        await processor.extract(fixture_file("unstructured__simple.doc"), "unnamed")
    path = tmp_path / "bundle.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a.txt", "a")
    with pytest.raises(Unsupported, match="Unpack it"):
        await processor.extract(path, path.name)


@pytest.mark.parametrize("kind", ["docx", "xlsx", "pptx", "pptx in a group"])
async def test_pictures_in_office_files_are_told_as_not_read(processor: DocumentProcessor, tmp_path: Path, kind: str) -> None:
    picture = tmp_path / "schedule.png"
    Image.new("RGB", (40, 20), "white").save(picture)
    path = tmp_path / f"file.{kind[:4]}"
    if kind == "docx":
        letter = docx.Document()
        letter.add_paragraph("The schedule follows.")
        letter.add_picture(str(picture))
        letter.save(str(path))
    elif kind == "xlsx":
        book = openpyxl.Workbook()
        book.worksheets[0]["A1"] = "The schedule follows."
        book.worksheets[0].add_image(SheetImage(str(picture)), "B2")
        book.save(path)
    else:
        deck = Presentation()
        slide = deck.slides.add_slide(deck.slide_layouts[5])
        slide.shapes.title.text = "The schedule follows."
        within = slide.shapes.add_group_shape().shapes if "group" in kind else slide.shapes
        within.add_picture(str(picture), 0, 0)
        deck.save(str(path))
    extracted = await processor.extract(path, path.name)
    assert "The schedule follows." in extracted.text
    assert any("Text inside pictures was not read" in note for note in extracted.notes)


def scanned_letter(path: Path) -> None:
    with pymupdf.open() as document:
        document.new_page().insert_text((60, 90), ["Dear tenant,", "The rent rises to 3,200 dollars on 1 March."], fontsize=16)
        document[0].get_pixmap(dpi=110).save(str(path))


def pasted(kind: str, path: Path, picture: Path, words: str) -> None:
    if kind == "docx":
        letter = docx.Document()
        letter.add_paragraph(words)
        letter.add_picture(str(picture))
        letter.save(str(path))
    elif kind == "xlsx":
        book = openpyxl.Workbook()
        book.worksheets[0]["A1"] = words or None
        book.create_sheet("Other")["A1"] = "Nothing here."
        book.worksheets[0].add_image(SheetImage(str(picture)), "B2")
        book.save(path)
    else:
        deck = Presentation()
        for title in (words, "A last slide."):
            deck.slides.add_slide(deck.slide_layouts[5]).shapes.title.text = title
        deck.slides[0].shapes.add_picture(str(picture), 0, 0)
        deck.save(str(path))


@pytest.mark.parametrize("kind", ["docx", "xlsx", "pptx"])
async def test_a_scanned_letter_in_an_office_file_is_read_by_ocr(tesseract: TesseractOcr, tmp_path: Path, kind: str) -> None:
    scanned_letter(tmp_path / "letter.png")
    path = tmp_path / f"file.{kind}"
    pasted(kind, path, tmp_path / "letter.png", "The letter follows.")
    extracted = await DocumentProcessor(tesseract).extract(path, path.name)
    at = extracted.text.index("rent rises to 3,200")
    page = next(page for page in extracted.pages if page.start <= at < page.end)
    assert (page.source, page.ocr_engine is not None) == ("ocr", True)
    assert extracted.pages[0].source == ("native" if kind == "docx" else "ocr")
    assert [note for note in extracted.notes if "picture" in note.lower()] == [
        "Text inside pictures was read by OCR, at “[Picture 1]” and on: 1 in all."
    ]
    assert len(extracted.pages) == 2


async def test_a_word_file_that_is_only_a_scan_is_read(tesseract: TesseractOcr, tmp_path: Path) -> None:
    scanned_letter(tmp_path / "letter.png")
    pasted("docx", tmp_path / "scan.docx", tmp_path / "letter.png", "")
    extracted = await DocumentProcessor(tesseract).extract(tmp_path / "scan.docx", "scan.docx")
    assert "rent rises" in extracted.text
    assert [(page.number, page.source) for page in extracted.pages] == [(1, "ocr")]


async def test_large_pictures_are_told_as_not_read_without_ocr_and_photographs_leave_no_trace(
    processor: DocumentProcessor, tesseract: TesseractOcr, tmp_path: Path
) -> None:
    scanned_letter(tmp_path / "letter.png")
    pasted("docx", tmp_path / "a.docx", tmp_path / "letter.png", "The letter follows.")
    extracted = await processor.extract(tmp_path / "a.docx", "a.docx")
    assert [page.number for page in extracted.pages] == [1]
    assert any("Text inside large pictures was not read: 1" in note for note in extracted.notes)
    Image.effect_noise((900, 700), 90).save(tmp_path / "photo.png")
    pasted("pptx", tmp_path / "b.pptx", tmp_path / "photo.png", "The photograph follows.")
    extracted = await DocumentProcessor(tesseract).extract(tmp_path / "b.pptx", "b.pptx")
    assert [page.source for page in extracted.pages] == ["native", "native"]
    assert extracted.pages[0].flags == ()
