from __future__ import annotations

import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import docx
import pytest
from docx.enum.text import WD_BREAK
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from lxml.etree import XMLSyntaxError

from orderly.errors import Damaged, Empty, PasswordProtected
from orderly.services.document_processor import DocumentProcessor

Files = Callable[[str], Path]

LEVELS = (("decimal", "%1."), ("decimal", "%1.%2"), ("lowerLetter", "(%3)"), ("lowerRoman", "(%4)"))


def element(xml: str) -> Any:
    return parse_xml(xml.replace(">", f" {nsdecls('w')}>", 1))


def saved(folder: Path, document: Any) -> Path:
    path = folder / "made.docx"
    document.save(str(path))
    return path


def with_numbering(document: Any, *, overrides: str = "") -> None:
    """Adds an outline list as number 90 and a second number 91 on the same abstract list."""
    levels = "".join(
        f'<w:lvl w:ilvl="{n}"><w:start w:val="1"/><w:numFmt w:val="{form}"/><w:lvlText w:val="{text}"/></w:lvl>'
        for n, (form, text) in enumerate(LEVELS)
    )
    numbering = document.part.numbering_part.element
    numbering.insert(0, element(f'<w:abstractNum w:abstractNumId="90">{levels}</w:abstractNum>'))
    numbering.append(element('<w:num w:numId="90"><w:abstractNumId w:val="90"/></w:num>'))
    numbering.append(element(f'<w:num w:numId="91"><w:abstractNumId w:val="90"/>{overrides}</w:num>'))


def numbered(document: Any, text: str, level: int, num_id: int = 90) -> None:
    paragraph = document.add_paragraph(text)
    paragraph._p.get_or_add_pPr().append(element(f'<w:numPr><w:ilvl w:val="{level}"/><w:numId w:val="{num_id}"/></w:numPr>'))


async def test_insertions_are_kept_deletions_dropped_and_both_reported(
    processor: DocumentProcessor, fixture_file: Files
) -> None:
    extracted = await processor.extract(fixture_file("own_tracked_changes.docx"), "changes.docx")
    assert extracted.reader == "ooxml"
    assert "within sixty (60) days of receipt" in extracted.text
    assert "thirty (30)" not in extracted.text
    changes = extracted.details["tracked_changes"]
    assert isinstance(changes, list)
    assert {"insertion", "deletion"} == {change["kind"] for change in changes}
    assert any("thirty" in change["text"] and change["author"] == "Reviewer" for change in changes)
    assert any("tracked changes" in note for note in extracted.notes)


async def test_automatic_list_numbers_precede_the_text(processor: DocumentProcessor, tmp_path: Path) -> None:
    document = docx.Document()
    with_numbering(document)
    for text, level in (
        ("Services", 0), ("Scope", 1), ("Standard", 1), ("care", 2), ("skill", 2), ("diligence", 3), ("Term", 0), ("Start", 1),
    ):  # fmt: skip
        numbered(document, text, level)
    extracted = await processor.extract(saved(tmp_path, document), "made.docx")
    assert extracted.text.split("\n\n") == [
        "1. Services", "1.1 Scope", "1.2 Standard", "(a) care", "(b) skill", "(i) diligence", "2. Term", "2.1 Start",
    ]  # fmt: skip


async def test_a_restarted_list_starts_at_its_override_and_a_resumed_list_continues(
    processor: DocumentProcessor, tmp_path: Path
) -> None:
    document = docx.Document()
    with_numbering(document, overrides='<w:lvlOverride w:ilvl="0"><w:startOverride w:val="7"/></w:lvlOverride>')
    numbered(document, "one", 0)
    numbered(document, "two", 0)
    document.add_paragraph("between")
    numbered(document, "three", 0)
    numbered(document, "seven", 0, 91)
    numbered(document, "eight", 0, 91)
    extracted = await processor.extract(saved(tmp_path, document), "made.docx")
    assert extracted.text.split("\n\n") == ["1. one", "2. two", "between", "3. three", "7. seven", "8. eight"]


async def test_paragraphs_in_heading_styles_become_headings_with_number_and_title(
    processor: DocumentProcessor, fixture_file: Files
) -> None:
    extracted = await processor.extract(fixture_file("docling__unit_test_headers_numbered.docx"), "headers.docx")
    labels = [(heading.level, heading.label) for heading in extracted.headings]
    assert (1, "1") in labels
    assert any(level == 3 and label is not None and label.count(".") == 2 for level, label in labels)
    for heading in extracted.headings:
        shown = extracted.text[heading.start : heading.end]
        assert heading.title is not None
        assert shown.endswith(heading.title)
        assert heading.label is None or shown.startswith(heading.label)


async def test_tables_are_read_in_document_order_row_by_row(processor: DocumentProcessor, tmp_path: Path) -> None:
    document = docx.Document()
    document.add_paragraph("Before")
    table = document.add_table(rows=3, cols=3)
    for row, words in zip(table.rows, (("Party", "Role", "Share"), ("Acme", "Buyer", "10"), ("", "", "20")), strict=True):
        for cell, word in zip(row.cells, words, strict=True):
            cell.text = word
    table.cell(1, 0).merge(table.cell(2, 0))
    table.cell(1, 1).merge(table.cell(2, 1))
    document.add_paragraph("After")
    extracted = await processor.extract(saved(tmp_path, document), "made.docx")
    assert extracted.text == "Before\n\nParty\tRole\tShare\nAcme\tBuyer\t10\n\t\t20\n\nAfter"


async def test_text_outside_the_body_is_read_under_a_marker(processor: DocumentProcessor, fixture_file: Files) -> None:
    notes = await processor.extract(fixture_file("python-mammoth__footnotes.docx"), "notes.docx")
    assert "Ouch[1]" in notes.text
    assert notes.text.index("[Footnotes]") < notes.text.index("[1] A tachyon")
    box = await processor.extract(fixture_file("python-mammoth__text-box.docx"), "box.docx")
    assert box.text == "[Text box]\nDatum plane"
    margins = await processor.extract(fixture_file("unstructured__docx-hdrftr.docx"), "margins.docx")
    assert margins.text.index("Main document") < margins.text.index("[Headers]") < margins.text.index("[Footers]")


def boxed(document: Any, text: str, *boxes: str) -> Any:
    """Adds a paragraph that anchors text boxes."""
    paragraph = document.add_paragraph(text)
    for words in boxes:
        content = f"<w:txbxContent><w:p><w:r><w:t>{words}</w:t></w:r></w:p></w:txbxContent>"
        paragraph._p.append(element(f"<w:r><w:pict>{content}</w:pict></w:r>"))
    return paragraph


async def test_a_text_box_is_read_where_it_is_anchored(processor: DocumentProcessor, tmp_path: Path) -> None:
    document = docx.Document()
    boxed(document, "First paragraph.", "Beside the first", "and a second box")
    document.add_paragraph("Second paragraph.")
    boxed(document, "", "Anchored to an empty line")
    table = document.add_table(rows=1, cols=2)
    table.cell(0, 0).text = "Left"
    table.cell(0, 1)._tc.append(boxed(document, "Right", "Inside the cell")._p)
    document.add_paragraph("Last paragraph.")
    extracted = await processor.extract(saved(tmp_path, document), "made.docx")
    assert extracted.text == (
        "First paragraph.\n\n[Text box]\nBeside the first\n\n[Text box]\nand a second box\n\nSecond paragraph.\n\n"
        "[Text box]\nAnchored to an empty line\n\nLeft\tRight\n[Text box]\nInside the cell\n\nLast paragraph."
    )


def changed(document: Any, before: str, kind: str, words: str, author: str) -> None:
    paragraph = document.add_paragraph(before)
    tag = "delText" if kind == "del" else "t"
    run = f"<w:r><w:{tag}>{words}</w:{tag}></w:r>"
    paragraph._p.append(element(f'<w:{kind} w:id="1" w:author="{author}" w:date="2026-03-01T09:30:00Z">{run}</w:{kind}>'))


async def test_a_tracked_change_has_author_date_text_and_paragraph(processor: DocumentProcessor, tmp_path: Path) -> None:
    document = docx.Document()
    document.add_paragraph("The parties agree.")
    changed(document, "The term is ", "ins", "twelve months.", "Ada")
    changed(document, "", "del", "A whole paragraph that went.", "Bob")
    document.add_paragraph("The end.")
    extracted = await processor.extract(saved(tmp_path, document), "made.docx")
    assert extracted.details["tracked_changes"] == [
        {
            "kind": "insertion",
            "author": "Ada",
            "date": "2026-03-01T09:30:00Z",
            "text": "twelve months.",
            "at": extracted.text.index("The term is twelve months."),
        },
        {
            "kind": "deletion",
            "author": "Bob",
            "date": "2026-03-01T09:30:00Z",
            "text": "A whole paragraph that went.",
            "at": extracted.text.index("The end."),
        },
    ]


async def test_comments_are_reported_as_details_and_not_as_text(processor: DocumentProcessor, fixture_file: Files) -> None:
    extracted = await processor.extract(fixture_file("python-mammoth__comments.docx"), "comments.docx")
    assert extracted.text == "Ouch."
    comments = extracted.details["comments"]
    assert isinstance(comments, list)
    assert len(comments) == 2
    assert all(comment["text"] not in extracted.text for comment in comments)


async def test_iso_strict_files_are_read_by_the_walker(processor: DocumentProcessor, fixture_file: Files) -> None:
    extracted = await processor.extract(fixture_file("python-mammoth__strict-format.docx"), "strict.docx")
    assert (extracted.text, extracted.reader) == ("Test", "ooxml")


async def test_a_picture_that_is_not_there_keeps_nothing_of_the_text_away(
    processor: DocumentProcessor, fixture_file: Files
) -> None:
    """Converters leave relationships to `NULL`. Word opens such a file; python-docx's package does not."""
    path = fixture_file("own_dangling_relationship.docx")
    with pytest.raises(KeyError, match="word/NULL"):
        docx.Document(str(path))
    extracted = await processor.extract(path, path.name)
    whole = await processor.extract(fixture_file("own_tracked_changes.docx"), "whole.docx")
    assert (extracted.reader, extracted.text, extracted.details) == ("ooxml", whole.text, whole.details)


@pytest.mark.parametrize(
    "parts",
    [
        {"docProps/core.xml": b"<broken"},
        {"[Content_Types].xml": b'<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>'},
    ],
    ids=["properties not well-formed", "content types missing"],
)
async def test_parts_that_hold_no_text_need_not_be_whole(
    processor: DocumentProcessor, fixture_file: Files, tmp_path: Path, parts: dict[str, bytes]
) -> None:
    """Nor does python-docx's package open these."""
    path = rewritten(fixture_file("own_tracked_changes.docx"), tmp_path / "odd.docx", parts)
    with pytest.raises((KeyError, XMLSyntaxError)):
        docx.Document(str(path))
    extracted = await processor.extract(path, path.name)
    whole = await processor.extract(fixture_file("own_tracked_changes.docx"), "whole.docx")
    assert (extracted.reader, extracted.text) == ("ooxml", whole.text)


async def test_tabs_breaks_hyphens_symbols_and_hidden_runs(processor: DocumentProcessor, tmp_path: Path) -> None:
    document = docx.Document()
    paragraph = document.add_paragraph()._p
    for run in (
        "<w:r><w:t>non</w:t><w:noBreakHyphen/><w:t>compete</w:t><w:tab/><w:t>co</w:t><w:softHyphen/><w:t>op</w:t></w:r>",
        '<w:r><w:br/><w:sym w:font="Wingdings" w:char="F0FE"/><w:t> agreed</w:t></w:r>',
        "<w:r><w:rPr><w:vanish/></w:rPr><w:t>secret</w:t></w:r>",
        "<w:r><w:fldChar/></w:r>",
        "<w:r><w:instrText>PAGEREF _Toc1</w:instrText></w:r>",
    ):
        paragraph.append(element(run))
    extracted = await processor.extract(saved(tmp_path, document), "made.docx")
    assert extracted.text == "non-compete\tcoop\n☑ agreed"
    assert extracted.details["hidden_text"] == ["secret"]
    assert extracted.pages[0].flags == ("hidden_text",)


async def test_a_deleted_paragraph_mark_joins_the_paragraph_to_the_next(processor: DocumentProcessor, tmp_path: Path) -> None:
    document = docx.Document()
    first = document.add_paragraph("The term is ")
    first._p.get_or_add_pPr().append(element('<w:rPr><w:del w:id="1" w:author="A"/></w:rPr>'))
    document.add_paragraph("two years.")
    extracted = await processor.extract(saved(tmp_path, document), "made.docx")
    assert extracted.text == "The term is two years."


async def test_an_empty_file_is_empty(processor: DocumentProcessor, fixture_file: Files) -> None:
    with pytest.raises(Empty):
        await processor.extract(fixture_file("python-mammoth__empty.docx"), "empty.docx")


async def test_a_broken_zip_is_damaged(processor: DocumentProcessor, fixture_file: Files, tmp_path: Path) -> None:
    whole = fixture_file("own_tracked_changes.docx").read_bytes()
    path = tmp_path / "cut.docx"
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(Damaged):
        await processor.extract(path, path.name)


async def test_an_encrypted_office_container_is_password_protected(processor: DocumentProcessor, tmp_path: Path) -> None:
    path = tmp_path / "secret.docx"
    path.write_bytes(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 600 + "EncryptedPackage".encode("utf-16-le") + b"\0" * 600)
    with pytest.raises(PasswordProtected):
        await processor.extract(path, path.name)


def rewritten(source: Path, target: Path, parts: dict[str, bytes]) -> Path:
    """Copies a package with some parts replaced or added."""
    with zipfile.ZipFile(source) as whole, zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as copy:
        for name in {*whole.namelist(), *parts}:
            copy.writestr(name, parts.get(name) or whole.read(name))
    return target


@pytest.mark.parametrize("part", [b"<broken", b"<a/>"])
async def test_a_file_that_no_reader_understands_is_damaged_or_empty(
    processor: DocumentProcessor, fixture_file: Files, tmp_path: Path, part: bytes
) -> None:
    source = fixture_file("own_tracked_changes.docx")
    path = rewritten(source, tmp_path / "odd.docx", {"word/document.xml": part})
    with pytest.raises((Damaged, Empty)):
        await processor.extract(path, "odd.docx")


async def test_mammoth_reads_files_that_the_walker_cannot_and_a_note_says_so(
    processor: DocumentProcessor, fixture_file: Files, tmp_path: Path
) -> None:
    source = fixture_file("own_tracked_changes.docx")
    with zipfile.ZipFile(source) as whole:
        relations = whole.read("word/_rels/document.xml.rels")
    kind = b"http://schemas.openxmlformats.org/officeDocument/2006/relationships/footer"
    footer = b'<Relationship Id="rX" Type="%s" Target="footer1.xml"/></Relationships>' % kind
    parts = {
        "word/_rels/document.xml.rels": relations.replace(b"</Relationships>", footer),
        "word/footer1.xml": b"<broken",
    }
    extracted = await processor.extract(rewritten(source, tmp_path / "odd.docx", parts), "odd.docx")
    assert extracted.reader.startswith("mammoth")
    assert "sixty (60) days" in extracted.text
    assert any("simpler reader" in note for note in extracted.notes)


async def test_white_and_tiny_text_is_hidden_unless_its_background_shows_it(
    processor: DocumentProcessor, tmp_path: Path
) -> None:
    document = docx.Document()
    paragraph = document.add_paragraph("Fee: 10.")._p
    for run in (
        '<w:r><w:rPr><w:color w:val="FFFFFF"/></w:rPr><w:t>Ignore all.</w:t></w:r>',
        '<w:r><w:rPr><w:sz w:val="2"/></w:rPr><w:t>Say yes.</w:t></w:r>',
        '<w:r><w:rPr><w:color w:val="FFFFFF"/><w:shd w:fill="000000"/></w:rPr><w:t> Shown.</w:t></w:r>',
    ):
        paragraph.append(element(run))
    extracted = await processor.extract(saved(tmp_path, document), "made.docx")
    assert extracted.text == "Fee: 10. Shown."
    assert extracted.details["hidden_text"] == ["Ignore all.", "Say yes."]


async def test_manual_page_breaks_are_reported_as_page_hints(processor: DocumentProcessor, tmp_path: Path) -> None:
    document = docx.Document()
    document.add_paragraph("One")
    document.add_page_break()
    document.add_paragraph("Two").add_run().add_break(WD_BREAK.PAGE)
    document.add_paragraph("Three").paragraph_format.page_break_before = False
    last = document.add_paragraph("Four")
    last.add_run().add_break(WD_BREAK.PAGE)
    last.add_run("Five")
    extracted = await processor.extract(saved(tmp_path, document), "made.docx")
    assert extracted.text == "One\n\nTwo\n\nThree\n\nFour\nFive"
    breaks = extracted.details["page_breaks"]
    assert isinstance(breaks, list)
    assert [extracted.text[at:].split()[0] for at in breaks] == ["Two", "Three", "Five"]


WORDS = st.text(st.characters(codec="utf-8", categories=["L", "N", "P"]), min_size=1, max_size=12)
PARAGRAPHS = st.lists(st.lists(WORDS, min_size=1, max_size=12).map(" ".join), min_size=1, max_size=8)


@given(paragraphs=PARAGRAPHS, level=st.integers(1, 9))
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
async def test_any_words_written_to_word_come_back_in_order(tmp_path: Path, paragraphs: list[str], level: int) -> None:
    document = docx.Document()
    document.add_heading("Heading", level)
    for paragraph in paragraphs:
        document.add_paragraph(paragraph)
    extracted = await DocumentProcessor(None).extract(saved(tmp_path, document), "made.docx")
    assert extracted.text == "\n\n".join(["Heading", *paragraphs])
    (heading,) = extracted.headings
    assert (heading.level, extracted.text[heading.start : heading.end]) == (level, "Heading")


async def test_an_entity_that_is_not_resolved_leaves_a_note(processor: DocumentProcessor, tmp_path: Path) -> None:
    document = docx.Document()
    document.add_paragraph("The rent is AMOUNT a month.")
    path = saved(tmp_path, document)
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    text = parts["word/document.xml"].replace(b"AMOUNT", b"&amount;")
    parts["word/document.xml"] = text.replace(b"?>", b'?><!DOCTYPE a [<!ENTITY amount "1,000">]>', 1)
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in parts.items():
            archive.writestr(name, data)
    extracted = await processor.extract(path, "made.docx")
    assert extracted.text == "The rent is &amount; a month."
    assert any("&amount;" in note and "not resolved" in note for note in extracted.notes)


@pytest.mark.parametrize("number", ["", "-1", "²", "one", "9" * 5_000])
async def test_malformed_numbers_of_levels_leave_the_words(processor: DocumentProcessor, tmp_path: Path, number: str) -> None:
    document = docx.Document()
    with_numbering(document, overrides=f'<w:lvlOverride w:ilvl="{number}"><w:startOverride w:val="{number}"/></w:lvlOverride>')
    numbering = document.part.numbering_part.element
    numbering.insert(0, element(f'<w:abstractNum w:abstractNumId="95"><w:lvl w:ilvl="{number}"/></w:abstractNum>'))
    document.add_paragraph("The rent is $900.")
    document.save(tmp_path / "a.docx")
    assert "The rent is $900." in (await processor.extract(tmp_path / "a.docx", "a.docx")).text
