from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pymupdf

from orderly.models import Extracted
from orderly.services.document_processor import DocumentProcessor
from orderly.services.documents.health import health_report, incomplete_because
from orderly.services.text.passages import RevisionView
from orderly.services.text.quote_matching import find_occurrences

Files = Callable[[str], Path]


def made(folder: Path, draw: Callable[[pymupdf.Document], None]) -> Path:
    with pymupdf.open() as document:
        draw(document)
        document.save(folder / "made.pdf", deflate=True)
    return folder / "made.pdf"


def running(extracted: Extracted) -> list[str]:
    return [extracted.text[line.start : line.end] for page in extracted.pages for line in page.lines if line.running]


async def test_running_heads_and_page_numbers_are_marked_at_the_page_edges(
    processor: DocumentProcessor, tmp_path: Path
) -> None:
    def draw(document: pymupdf.Document) -> None:
        for number in range(1, 5):
            page = document.new_page()
            page.insert_text((280, 810), f"- {number} -")
            page.insert_text((72, 200), f"Body {number} begins here")
            page.insert_text((72, 214), "and goes on.")
            page.insert_text((72, 40), f"Supply Agreement v{number}")

    extracted = await processor.extract(made(tmp_path, draw), "made.pdf")
    assert len(extracted.details["running_lines"]) == 5  # type: ignore[arg-type]  # a foot and the next head are one
    assert running(extracted) == [text for n in range(1, 5) for text in (f"Supply Agreement v{n}", f"- {n} -")]
    second = extracted.pages[1]
    text = extracted.text[second.start : second.end]
    assert text == "Supply Agreement v2\n\nBody 2 begins here\nand goes on.\n\n- 2 -"
    for line in second.lines:
        assert extracted.text[line.start : line.end] in ("Supply Agreement v2", "Body 2 begins here", "and goes on.", "- 2 -")
    assert second.lines[0].box[3] < 50


async def test_a_line_that_differs_from_page_to_page_is_no_running_head(processor: DocumentProcessor, tmp_path: Path) -> None:
    def draw(document: pymupdf.Document) -> None:
        for number, words in enumerate(("Alpha beta", "Gamma delta", "Epsilon zeta", "Eta theta")):
            page = document.new_page()
            page.insert_text((72, 40), words)
            page.insert_text((72, 60 + 9 * number), f"Section {number}")

    extracted = await processor.extract(made(tmp_path, draw), "made.pdf")
    assert running(extracted) == []


async def test_line_numbers_of_a_transcript_are_removed_from_its_sentences(
    processor: DocumentProcessor, fixture_file: Files
) -> None:
    extracted = await processor.extract(fixture_file("pdfplumber__scotus-transcript-p1.pdf"), "transcript.pdf")
    assert "came on for oral\nargument before the Supreme Court of the United States\nat 1:01 p.m." in extracted.text
    assert "24" not in extracted.text
    assert extracted.details["line_numbers"] == [1]


async def test_numbers_of_a_list_are_no_line_numbers(processor: DocumentProcessor, tmp_path: Path) -> None:
    def draw(document: pymupdf.Document) -> None:
        page = document.new_page()
        for number in range(1, 26):
            page.insert_text((72, 60 + 28 * number), str(number))
            page.insert_text((100, 60 + 28 * number), f"Item of plant number {number}")

    extracted = await processor.extract(made(tmp_path, draw), "made.pdf")
    assert "24 Item of plant number 24" in extracted.text
    assert "line_numbers" not in extracted.details


async def test_a_word_hyphenated_at_a_line_end_is_joined_and_keeps_both_boxes(
    processor: DocumentProcessor, tmp_path: Path
) -> None:
    def draw(document: pymupdf.Document) -> None:
        page = document.new_page()
        lines = (
            "Either party may give notice of termi-",
            "nation of this non-",
            "exclusive licence to Mirza-",
            "yance at will.",
        )
        for row, text in enumerate(lines):
            page.insert_text((72, 100 + 14 * row), text)

    extracted = await processor.extract(made(tmp_path, draw), "made.pdf")
    assert extracted.text == (
        "Either party may give notice of termination of this non-exclusive licence to Mirza-\nyance at will."
    )
    lines = extracted.pages[0].lines
    assert [extracted.text[line.start : line.end] for line in lines[:2]] == [
        "Either party may give notice of termi", "nation of this non-",
    ]  # fmt: skip
    assert lines[1].box[1] > lines[0].box[1]


async def test_values_of_form_fields_are_read(processor: DocumentProcessor, fixture_file: Files) -> None:
    extracted = await processor.extract(fixture_file("sample-files__libreoffice-form.pdf"), "form.pdf")
    form = extracted.text[extracted.text.index("[Form fields]") :]
    assert "First Name: Alice" in form
    assert "gdpr: ☐" in form
    (line,) = [line for line in extracted.pages[0].lines if "Alice" in extracted.text[line.start : line.end]]
    assert line.box[2] > line.box[0] > 0


async def test_free_text_annotations_are_read_and_comments_are_listed(processor: DocumentProcessor, tmp_path: Path) -> None:
    def draw(document: pymupdf.Document) -> None:
        page = document.new_page()
        page.insert_text((72, 100), "The fee is ten dollars.")
        page.add_freetext_annot((72, 120, 300, 140), "Received 20 November")
        page.add_text_annot((300, 100), "Is that right?")

    extracted = await processor.extract(made(tmp_path, draw), "made.pdf")
    assert extracted.text == "The fee is ten dollars.\nReceived 20 November"
    comments = extracted.details["comments"]
    assert isinstance(comments, list)
    assert [(comment["page"], comment["text"]) for comment in comments] == [(1, "Is that right?")]


async def test_files_embedded_in_a_pdf_are_passed_on(processor: DocumentProcessor, fixture_file: Files, tmp_path: Path) -> None:
    extracted = await processor.extract(fixture_file("sample-files__with-attachment.pdf"), "outer.pdf")
    (picture,) = extracted.attachments
    assert (picture.name, picture.data[:4]) == ("image.png", b"\x89PNG")
    assert any("image.png" in note for note in extracted.notes)

    def draw(document: pymupdf.Document) -> None:
        page = document.new_page()
        page.insert_text((72, 100), "See the deed.")
        page.add_file_annot((72, 120), b"the deed", "deed.txt")

    extracted = await processor.extract(made(tmp_path, draw), "made.pdf")
    assert [(file.name, file.data) for file in extracted.attachments] == [("deed.txt", b"the deed")]


async def test_a_page_with_broken_data_is_named(processor: DocumentProcessor, tmp_path: Path) -> None:
    def draw(document: pymupdf.Document) -> None:
        for number in range(3):
            page = document.new_page()
            for row in range(40):
                page.insert_text((72, 60 + 14 * row), f"Page {number} row {row} with words enough to fill a stream of text")

    path = made(tmp_path, draw)
    with pymupdf.open(path) as document:
        raw = document.xref_stream_raw(document[1].get_contents()[0])
    half = raw[: len(raw) // 2]
    whole = path.read_bytes()
    assert whole.count(raw) == 1
    (tmp_path / "broken.pdf").write_bytes(whole.replace(raw, half + bytes(len(raw) - len(half))))
    extracted = await processor.extract(tmp_path / "broken.pdf", "broken.pdf")
    assert [page.number for page in extracted.pages if "damaged" in page.flags] == [2]
    assert any(reason.endswith("page 2") for reason in incomplete_because(extracted))


async def test_a_sentence_across_pages_is_found_despite_running_lines(processor: DocumentProcessor, tmp_path: Path) -> None:
    def draw(document: pymupdf.Document) -> None:
        for number, body in enumerate(("The Customer shall pay the Fee", "within thirty days of the invoice.", "The end."), 1):
            page = document.new_page()
            page.insert_text((72, 40), "Supply Agreement")
            page.insert_text((72, 400), body)
            page.insert_text((280, 810), f"Page {number} of 3")

    extracted = await processor.extract(made(tmp_path, draw), "made.pdf")
    revision = {"id": "r", "paged": True, "health": health_report(extracted)}
    document = {
        "id": "d",
        "filename": "made.pdf",
        "matter_id": "m",
        "status": "ready",
        "status_reason": "",
        "revision": revision,
    }
    view = RevisionView({"document": document, "text": extracted.text, "pages": [], "sections": []})
    quote = "The Customer shall pay the Fee within thirty days of the invoice."
    assert not list(find_occurrences(quote, view.text))
    span = next(find_occurrences(quote, view.flowing_text), None)
    assert span is not None
    assert view.text[span[0] : span[1]] == (
        "The Customer shall pay the Fee\n\nPage 1 of 3\nSupply Agreement\n\nwithin thirty days of the invoice."
    )


async def test_only_running_lines_are_skipped(processor: DocumentProcessor, tmp_path: Path) -> None:
    def draw(document: pymupdf.Document) -> None:
        for body in ("Alpha", "Beta", "Gamma"):
            page = document.new_page()
            page.insert_text((72, 40), "Supply Agreement")
            page.insert_text((72, 400), body)

    extracted = await processor.extract(made(tmp_path, draw), "made.pdf")
    spans = extracted.details["running_lines"]
    assert isinstance(spans, list)
    assert [extracted.text[start:end] for start, end in spans] == ["Supply Agreement"] * 3


async def test_numbers_beside_the_rule_of_pleading_paper_are_line_numbers(processor: DocumentProcessor, tmp_path: Path) -> None:
    def draw(document: pymupdf.Document) -> None:
        page = document.new_page()
        page.draw_line((70, 0), (70, page.rect.height))
        for number in range(1, 29):
            page.insert_text((50, 60 + 24 * number), str(number))
        for number, words in ((3, "SUPERIOR COURT"), (5, "1. Plaintiff paid $75,000."), (6, "2. Defendant kept 12 units.")):
            page.insert_text((85, 60 + 24 * number), words)

    extracted = await processor.extract(made(tmp_path, draw), "made.pdf")
    assert "SUPERIOR COURT\n1. Plaintiff paid $75,000.\n2. Defendant kept 12 units." in extracted.text
    assert extracted.details["line_numbers"] == [1]
