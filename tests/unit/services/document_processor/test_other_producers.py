"""Files as other programs than Office write them: symbol fonts, run-in headings, one XML file, saved pages, old mail."""

from __future__ import annotations

import binascii
import re
import zipfile
from collections.abc import Callable
from pathlib import Path

import openpyxl
import pytest
from lxml import etree
from pptx import Presentation

from orderly.errors import Damaged, Unsupported
from orderly.services.document_processor import DocumentProcessor
from support.office_parts import p, part, r, word_file

WINGDINGS = '<w:rFonts w:ascii="Wingdings" w:hAnsi="Wingdings"/>'
SYMBOL = '<w:rFonts w:ascii="Symbol" w:hAnsi="Symbol"/>'


async def test_letters_of_a_symbol_font_are_the_signs_that_word_draws(processor: DocumentProcessor, tmp_path: Path) -> None:
    sign = '<w:r><w:sym w:font="Symbol" w:char="F061"/></w:r>'
    body = p(r("þ", WINGDINGS), r(" Loss "), r("£", SYMBOL), r(" £500 \uf0fc "), sign, '<w:r><w:sym w:char="zz"/></w:r>')
    extracted = await processor.extract(word_file(tmp_path / "a", body), "a.docx")
    assert extracted.text == "☑ Loss ≤ £500 ✓ α\ufffd"


async def test_a_style_may_give_the_symbol_font(processor: DocumentProcessor, tmp_path: Path) -> None:
    style = f'<w:style w:styleId="Tick" w:type="character"><w:rPr>{WINGDINGS}</w:rPr></w:style>'
    body = p(r("o", '<w:rStyle w:val="Tick"/>'), r(" No"))
    file = word_file(tmp_path / "a", body, {"styles styles.xml": part("w:styles", style)})
    assert (await processor.extract(file, "a.docx")).text == "☐ No"


@pytest.mark.parametrize(
    ("name", "source", "text"),
    [
        ("a.html", '<p>A <span style="font-family:Symbol">&pound;</span> 5 <font face="Wingdings">J</font></p>', "A ≤ 5 ☺"),
        ("a.rtf", r"{\rtf1{\fonttbl{\f0 Arial;}{\f3\fcharset2 Symbol;}}\f0 A {\f3\'a3} 5 {\f3\u-3917\'b3} 4}", "A ≤ 5 ≥ 4"),
    ],
)
async def test_letters_of_a_symbol_font_in_html_and_rtf(
    processor: DocumentProcessor, tmp_path: Path, name: str, source: str, text: str
) -> None:
    (tmp_path / name).write_text(source)
    assert (await processor.extract(tmp_path / name, name)).text == text


async def test_raised_numbers_and_symbols_of_a_slide(processor: DocumentProcessor, tmp_path: Path) -> None:
    made = Presentation()
    slide = made.slides.add_slide(made.slide_layouts[6])
    paragraph = slide.shapes.add_textbox(0, 0, 10, 10).text_frame.paragraphs[0]
    for words in ("$5,000", "12", " à "):
        paragraph.add_run().text = words
    runs = paragraph.runs
    runs[1]._r.get_or_add_rPr().set("baseline", "30000")
    runs[2].font.name = "Wingdings"
    made.save(tmp_path / "a.pptx")
    assert (await processor.extract(tmp_path / "a.pptx", "a.pptx")).text == "$5,000¹² →"


async def test_a_heading_whose_paragraph_mark_is_hidden_runs_into_its_paragraph(
    processor: DocumentProcessor, tmp_path: Path
) -> None:
    hidden = '<w:outlineLvl w:val="1"/><w:rPr><w:vanish/><w:specVanish/></w:rPr>'
    body = p(r("Term."), properties=hidden) + p(r(" The term is five years.")) + p(r("Next.")) + p(r("Last"), properties=hidden)
    extracted = await processor.extract(word_file(tmp_path / "a", body), "a.docx")
    assert extracted.text == "Term. The term is five years.\n\nNext.\n\nLast"
    assert [extracted.text[one.start : one.end] for one in extracted.headings] == ["Term.", "Last"]


PACKAGE = '<pkg:package xmlns:pkg="http://schemas.microsoft.com/office/2006/xmlPackage">{}</pkg:package>'


async def test_a_word_file_in_one_xml_file_is_read_as_word_shows_it(processor: DocumentProcessor, tmp_path: Path) -> None:
    deleted = '<w:del w:author="A"><w:r><w:delText>$850</w:delText></w:r></w:del>'
    file = word_file(tmp_path / "a.docx", p(r("The rent is "), deleted, r("$900")))
    with zipfile.ZipFile(file) as archive:
        parts = {name: archive.read(name).decode() for name in archive.namelist() if name != "[Content_Types].xml"}
    whole = "".join(
        f'<pkg:part pkg:name="/{name}"><pkg:xmlData>{content}</pkg:xmlData></pkg:part>' for name, content in parts.items()
    )
    picture = '<pkg:part pkg:name="/word/media/a.png"><pkg:binaryData>iVBORw0KGgo=</pkg:binaryData></pkg:part>'
    (tmp_path / "a.xml").write_text(PACKAGE.format(whole + picture))
    extracted = await processor.extract(tmp_path / "a.xml", "a.xml")
    assert extracted.text == "The rent is $900"
    assert extracted.details["tracked_changes"]


@pytest.mark.parametrize(
    ("source", "advice"),
    [
        ('<Workbook xmlns="urn:schemas-microsoft-com:office:spreadsheet"/>', "save it as XLSX"),
        ('<w:wordDocument xmlns:w="http://schemas.microsoft.com/office/word/2003/wordml"/>', "save it as DOCX"),
        ('<o:document xmlns:o="urn:oasis:names:tc:opendocument:xmlns:office:1.0"/>', "Save it as DOCX"),
        (PACKAGE.format('<p pkg:name="/xl/workbook.xml"/>'), "XLSX"),
    ],
)
async def test_other_notations_of_office_in_xml_are_refused_with_advice(
    processor: DocumentProcessor, tmp_path: Path, source: str, advice: str
) -> None:
    (tmp_path / "a.xls").write_text(f'<?xml version="1.0"?>{source}')
    with pytest.raises(Unsupported, match=advice):
        await processor.extract(tmp_path / "a.xls", "a.xls")


async def test_hidden_rows_without_numbers_are_kept_apart(processor: DocumentProcessor, tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    assert book.active is not None
    for word in ("Vendor", "Dropped", "Last"):
        book.active.append([word])
    book.save(tmp_path / "whole.xlsx")
    changed(tmp_path, _without_numbers, "xl/worksheets/sheet1.xml")
    extracted = await processor.extract(tmp_path / "a.xlsx", "a.xlsx")
    assert extracted.text == "[Sheet: Sheet]\nVendor\nLast"
    assert extracted.details["hidden_text"] == [{"page": 1, "text": "Sheet, row 2: Dropped"}]


async def test_a_workbook_with_an_empty_fill_is_read(processor: DocumentProcessor, tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    assert book.active is not None
    book.active["A1"] = "Rent"
    book.save(tmp_path / "whole.xlsx")
    changed(tmp_path, lambda data: re.sub(rb"<fill>.*?</fill>", b"<fill />", data, count=1), "xl/styles.xml")
    assert (await processor.extract(tmp_path / "a.xlsx", "a.xlsx")).text == "[Sheet: Sheet]\nRent"


async def test_a_number_of_a_style_beyond_all_bounds_is_damage(processor: DocumentProcessor, tmp_path: Path) -> None:
    openpyxl.Workbook().save(tmp_path / "whole.xlsx")
    changed(tmp_path, lambda data: data.replace(b'fontId="0"', b'fontId="4294967295"'), "xl/styles.xml")
    with pytest.raises(Damaged):
        await processor.extract(tmp_path / "a.xlsx", "a.xlsx")


def changed(folder: Path, change: Callable[[bytes], bytes], part_name: str) -> None:
    """Writes "a.xlsx": "whole.xlsx" with one part changed."""
    with zipfile.ZipFile(folder / "whole.xlsx") as old, zipfile.ZipFile(folder / "a.xlsx", "w") as new:
        for name in old.namelist():
            data = old.read(name)
            new.writestr(name, change(data) if name == part_name else data)


def _without_numbers(sheet: bytes) -> bytes:
    root = etree.fromstring(sheet)
    for number, row in enumerate(root.iterfind(".//{*}row"), 1):
        for node in (row, *row):
            del node.attrib["r"]
        if number == 2:
            row.set("ht", "0")
    return etree.tostring(root)


SAVED_PAGE = """From: <Saved by Blink>
Subject: Limits
MIME-Version: 1.0
Content-Type: multipart/related; type="text/html"; boundary=B

--B
Content-Type: text/html

<p>The limit is 60 km/h</p><div class="ad">Buy now</div>
--B
Content-Type: text/css

.ad { display: none; color: red }
--B--
"""


async def test_style_sheets_of_a_saved_page_hide_words_and_are_no_text(processor: DocumentProcessor, tmp_path: Path) -> None:
    (tmp_path / "a.mhtml").write_text(SAVED_PAGE)
    extracted = await processor.extract(tmp_path / "a.mhtml", "a.mhtml")
    assert extracted.text.endswith("\n\nThe limit is 60 km/h")
    assert extracted.details["hidden_text"] == ["Buy now"]


HEAD = b"From: a@x.au\nTo: b@x.au\nSubject: S\nContent-Type: text/plain; charset=us-ascii\n\n"


async def test_files_in_uuencode_are_files(processor: DocumentProcessor, tmp_path: Path) -> None:
    data = b"The rent is $900 a week.\n"
    file = b"begin 644 lease.txt\n" + binascii.b2a_uu(data) + b"`\nend\n"
    (tmp_path / "a.eml").write_bytes(HEAD + b"See the file.\n\n" + file + b"\nbegin 644 of nothing\n")
    extracted = await processor.extract(tmp_path / "a.eml", "a.eml")
    assert [(one.name, one.data) for one in extracted.attachments] == [("lease.txt", data)]
    assert (
        "See the file." in extracted.text
        and "begin 644 of nothing" in extracted.text
        and "begin 644 lease" not in extracted.text
    )


async def test_text_that_calls_itself_ascii_may_be_utf_8(processor: DocumentProcessor, tmp_path: Path) -> None:
    (tmp_path / "a.eml").write_bytes(HEAD + "A naïve “reading”".encode())
    assert (await processor.extract(tmp_path / "a.eml", "a.eml")).text.endswith("A naïve “reading”")


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("<ol style='list-style-type: lower-alpha'><li>Rent</li><li>Bond</li></ol>", "a. Rent\n\nb. Bond"),
        ("<style>li {list-style: upper-roman inside}</style><ul><li>Rent</li></ul>", "I. Rent"),
        ("<style>.plain {list-style: none}</style><ol class=plain><li>12A Rent</li></ol>", "12A Rent"),
        ("<ol style='list-style: disc'><li>Rent</li></ol>", "- Rent"),
        ("<p>He said <q>no</q>.</p>", "He said “no”."),
    ],
)
async def test_lists_and_quotations_look_as_in_a_browser(
    processor: DocumentProcessor, tmp_path: Path, source: str, text: str
) -> None:
    (tmp_path / "a.html").write_text(source)
    assert (await processor.extract(tmp_path / "a.html", "a.html")).text == text


async def test_numbers_that_a_style_sheet_writes_are_told(processor: DocumentProcessor, tmp_path: Path) -> None:
    sheet = "<style>li {list-style: none} li::before {content: counter(n) '. '}</style>"
    (tmp_path / "a.html").write_text(f"{sheet}<ol><li>Rent</li></ol>")
    extracted = await processor.extract(tmp_path / "a.html", "a.html")
    assert extracted.text == "Rent"
    assert any("numbers or words of its own" in note for note in extracted.notes)


async def test_a_table_of_text_may_be_named_as_a_workbook(processor: DocumentProcessor, tmp_path: Path) -> None:
    (tmp_path / "a.xls").write_text("Creditor\tNumber\nAlder\t0000104711\n", encoding="utf-16")
    extracted = await processor.extract(tmp_path / "a.xls", "a.xls")
    assert extracted.text == "Creditor\tNumber\nAlder\t0000104711\n"


async def test_the_end_of_a_file_in_dos_is_no_text(processor: DocumentProcessor, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"Rent: \xa35\r\n\x1a")
    assert (await processor.extract(tmp_path / "a.txt", "a.txt")).text == "Rent: £5\n"


async def test_the_status_of_a_message_that_was_not_delivered_is_a_file(processor: DocumentProcessor, tmp_path: Path) -> None:
    head = b"From: a@x.au\nSubject: Undelivered\nContent-Type: multipart/report; boundary=B\n\n"
    parts = (b"text/plain\n\nNot delivered.", b"message/delivery-status\n\nReporting-MTA: dns; x.au\n\nStatus: 5.1.1")
    (tmp_path / "a.eml").write_bytes(head + b"".join(b"--B\nContent-Type: " + part + b"\n" for part in parts) + b"--B--\n")
    extracted = await processor.extract(tmp_path / "a.eml", "a.eml")
    assert extracted.text.endswith("Not delivered.")
    assert [(one.name, one.data) for one in extracted.attachments] == [
        ("delivery status.txt", b"Reporting-MTA: dns; x.au\nStatus: 5.1.1")
    ]
