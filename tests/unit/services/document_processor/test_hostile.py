"""Small files that expand to a huge size or depth when read without limits."""

from __future__ import annotations

import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path

import openpyxl
import pymupdf
import pytest

from orderly.errors import Damaged, Unsupported
from orderly.services.document_processor import READER, DocumentProcessor, Limits
from orderly.services.documents.health import incomplete_because
from orderly.services.isolation.pool import ProcessPool
from orderly.services.isolation.process_limits import ProcessLimits
from support.hostile_files import WORD, claiming_pdf, laughing, looping_pdf, lying_zip, rewritten
from support.process_time import children_seconds

Files = Callable[[str], Path]


@pytest.mark.parametrize("name", ["own_tracked_changes.docx", "unstructured__fake-power-point.pptx", "fees.xlsx"])
async def test_an_archive_that_declares_gigabytes_is_not_unpacked(
    processor: DocumentProcessor, fixture_file: Files, tmp_path: Path, name: str
) -> None:
    path = tmp_path / name
    if name == "fees.xlsx":
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("xl/workbook.xml", "<workbook/>")
    else:
        shutil.copy(fixture_file(name), path)
    with pytest.raises(Damaged, match=r"unpacks to more than (512|1024) MB"):
        await processor.extract(lying_zip(path, 2_000_000_000), name)


async def test_a_huge_mimetype_entry_is_not_unpacked(processor: DocumentProcessor, tmp_path: Path) -> None:
    path = tmp_path / "bundle.odt"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        archive.writestr("mimetype", b"application/vnd.oasis.opendocument.text" + b" " * (300 << 20))
    (tmp_path / "first.txt").write_text("The process starts.")
    await processor.detect(tmp_path / "first.txt", "first.txt")
    start = children_seconds()
    assert await processor.detect(path, path.name) == "application/vnd.oasis.opendocument.text"
    assert children_seconds() - start < 0.3, "unpacking takes longer"
    with pytest.raises(Unsupported, match="OpenDocument"):
        await processor.extract(path, path.name)


async def test_a_picture_as_large_as_memory_is_not_unpacked_for_the_text_beside_it(fixture_file: Files, tmp_path: Path) -> None:
    """python-docx's package unpacks every part that anything refers to: this one of 400 MB is twice in memory then."""
    source, path = fixture_file("own_tracked_changes.docx"), tmp_path / "picture.docx"
    with zipfile.ZipFile(source) as whole:
        relations = whole.read("word/_rels/document.xml.rels")
    kind = b"http://schemas.openxmlformats.org/officeDocument/2006/relationships/image"
    picture = b'<Relationship Id="rX" Type="%s" Target="media/image1.jpeg"/></Relationships>' % kind
    parts = {
        "word/_rels/document.xml.rels": relations.replace(b"</Relationships>", picture),
        "word/media/image1.jpeg": bytes(400 << 20),
    }
    processes = ProcessPool(READER, ProcessLimits(processes=1, memory_mb=512))
    try:
        extracted = await DocumentProcessor(None, processes=processes).extract(rewritten(source, path, parts), path.name)
    finally:
        processes.close()
    assert extracted.reader == "ooxml"
    assert "sixty (60) days" in extracted.text


@pytest.mark.parametrize("kind", ["xml", "docx"])
async def test_nested_xml_entities_are_not_expanded(
    processor: DocumentProcessor, fixture_file: Files, tmp_path: Path, kind: str
) -> None:
    path = tmp_path / f"laughs.{kind}"
    if kind == "xml":
        path.write_bytes(laughing("<r>&j;</r>"))
        extracted = await processor.extract(path, path.name)
        assert len(extracted.text) < 1000
        assert "not well-formed" in extracted.notes[0]
        return
    document = laughing(f"<w:document {WORD}><w:body><w:p><w:r><w:t>&j;</w:t></w:r></w:p></w:body></w:document>")
    rewritten(fixture_file("own_tracked_changes.docx"), path, {"word/document.xml": document})
    with pytest.raises(Damaged):
        await processor.extract(path, path.name)


async def test_deeply_nested_html_is_refused_instead_of_truncated(processor: DocumentProcessor, tmp_path: Path) -> None:
    path = tmp_path / "deep.html"
    path.write_text("<div>" * 300 + "The clause stands deep." + "</div>" * 300)
    assert (await processor.extract(path, path.name)).text == "The clause stands deep."
    path.write_text("<div>" * 100_000 + "The clause stands deeper." + "</div>" * 100_000)
    with pytest.raises(Damaged, match="nested too deeply"):
        await processor.extract(path, path.name)


async def test_deeply_nested_json_is_read_as_plain_text(processor: DocumentProcessor, tmp_path: Path) -> None:
    path = tmp_path / "deep.json"
    path.write_text("[" * 100_000 + "]" * 100_000)
    extracted = await processor.extract(path, path.name)
    assert len(extracted.text) == 200_000
    assert "not well-formed" in extracted.notes[0]


async def test_deeply_nested_rtf_groups_are_read(processor: DocumentProcessor, tmp_path: Path) -> None:
    path = tmp_path / "deep.rtf"
    path.write_text("{\\rtf1 " + "{" * 50_000 + "Deep." + "}" * 50_000 + "}")
    assert (await processor.extract(path, path.name)).text == "Deep."


async def test_deeply_nested_mail_is_refused(processor: DocumentProcessor, tmp_path: Path) -> None:
    path = tmp_path / "nested.eml"
    head = "From: a@firm.example\nTo: b@firm.example\nSubject: x\nMIME-Version: 1.0\n"
    parts = "".join(f"Content-Type: multipart/mixed; boundary=b{n}\n\n--b{n}\n" for n in range(5000))
    path.write_text(head + parts + "Content-Type: text/plain\n\nhello\n")
    with pytest.raises(Damaged, match="nested too deeply"):
        await processor.extract(path, path.name)


@pytest.mark.parametrize("form", ["a", "i"])
async def test_a_list_that_starts_at_a_billion_is_numbered_in_digits(
    processor: DocumentProcessor, tmp_path: Path, form: str
) -> None:
    path = tmp_path / "list.html"
    path.write_text(f"<ol start=1000000000 type={form}><li>Term</li></ol>")
    assert (await processor.extract(path, path.name)).text == "1000000000. Term"


async def test_a_hundred_thousand_pages_are_read_up_to_the_limit(tmp_path: Path) -> None:
    path = claiming_pdf(tmp_path / "many.pdf", 100_000)
    extracted = await DocumentProcessor(None, limits=Limits(pages=100)).extract(path, path.name)
    assert len(extracted.pages) == 100
    assert "it has 100,000 pages, and only the first 100 were read" in incomplete_because(extracted)[0]


async def test_a_cyclic_page_tree_is_damaged(processor: DocumentProcessor, tmp_path: Path) -> None:
    path = looping_pdf(tmp_path / "loop.pdf")
    with pytest.raises(Damaged, match="none of its pages"):
        await processor.extract(path, path.name)


@pytest.mark.parametrize(
    "line", ["1." * 100_000, "(" * 200_000, " " * 200_000 + "x", "ARTICLE " + "I" * 200_000, "\n" * 200_000 + "x"]
)
async def test_lines_that_provoke_regex_backtracking_are_read_quickly(
    processor: DocumentProcessor, tmp_path: Path, line: str
) -> None:
    path = tmp_path / "trap.txt"
    path.write_text(line)
    start = children_seconds()
    assert (await processor.extract(path, path.name)).text == line
    assert children_seconds() - start < 5


@pytest.mark.parametrize(
    ("before", "after", "read"),
    [
        (b'r="2"', b'r="99999999"', False),
        (b'r="A2"', b'r="A4294967296"', False),
        (b'ref="A2:B2"', b'ref="A2:XFD1048576"', True),
        (b'max="2"', b'max="99999999999"', True),
    ],
)
async def test_far_rows_and_wide_ranges_of_a_workbook_take_no_time(
    processor: DocumentProcessor, tmp_path: Path, before: bytes, after: bytes, *, read: bool
) -> None:
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.append(["Seen", 1])
    sheet.append(["Next"])
    sheet.merge_cells("A2:B2")
    sheet.column_dimensions["B"].hidden = True
    book.save(tmp_path / "usual")
    with zipfile.ZipFile(tmp_path / "usual") as usual, zipfile.ZipFile(tmp_path / "odd", "w") as odd:
        for name in usual.namelist():
            content = usual.read(name)
            assert before in content or not name.endswith("sheet1.xml")
            odd.writestr(name, content.replace(before, after) if name.endswith("sheet1.xml") else content)
    if read:
        assert "Seen" in (await processor.extract(tmp_path / "odd", "a.xlsx")).text
        return
    with pytest.raises(Damaged, match="a row beyond the last one"):
        await processor.extract(tmp_path / "odd", "a.xlsx")


async def test_a_font_file_of_an_unknown_kind_costs_no_page(processor: DocumentProcessor, tmp_path: Path) -> None:
    document = pymupdf.open()
    page = document.new_page()
    page.insert_text((72, 72), "The rent is $900 a week.")
    font, file = page.get_fonts()[0][0], document.get_new_xref()
    document.update_object(file, "<</Subtype/Odd>>")
    document.update_stream(file, b"odd")
    document.xref_set_key(font, "FontDescriptor", f"<</Type/FontDescriptor/FontName/Odd/Flags 4/FontFile3 {file} 0 R>>")
    document.save(tmp_path / "a.pdf")
    assert (await processor.extract(tmp_path / "a.pdf", "a.pdf")).text == "The rent is $900 a week."
