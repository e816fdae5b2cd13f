"""Property test: spans of the PDF reader against the lines that were written."""

from __future__ import annotations

from pathlib import Path

import pymupdf
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from orderly.services.document_processor import DocumentProcessor
from orderly.services.text.chunking import chunk
from orderly.services.text.sections import find_sections

WORD = st.text(st.sampled_from("abcdefghijklmnopqrstuvwxyzABCDEFGXYZéüßñ0123456789.,;:()§&-"), min_size=1, max_size=14)
# No line ends in a hyphen: the reader joins divided words, which test_pdf_margins.py covers.
PAGES = st.lists(
    st.lists(
        st.lists(WORD, min_size=1, max_size=7).map(" ".join).filter(lambda line: line[-1] != "-"), min_size=1, max_size=12
    ),
    min_size=1,
    max_size=4,
)


@given(pages=PAGES)
@example(pages=[["0", "AA 0 0 0 0"], ["0", "AA 0 0 0 0"]])
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
async def test_every_line_of_a_pdf_is_read_as_written(tmp_path: Path, pages: list[list[str]]) -> None:
    document = pymupdf.open()
    for lines in pages:
        page = document.new_page()
        for row, line in enumerate(lines):
            page.insert_text((50, 80 + 16 * row), line, fontsize=8)
    path = tmp_path / "made.pdf"
    document.save(path)
    extracted = await DocumentProcessor(None).extract(path, "made.pdf")
    for lines, page_read in zip(pages, extracted.pages, strict=True):
        text = extracted.text[page_read.start : page_read.end]
        assert text.split() == " ".join(lines).split()
        spans = [extracted.text[line.start : line.end] for line in page_read.lines]
        assert " ".join(spans).split() == text.split()
        for row, line in enumerate(lines):
            boxes = [span.box for span in page_read.lines if abs(span.box[3] - (82 + 16 * row)) < 6]
            assert boxes, line
    sections = find_sections(extracted.text, extracted.headings, extracted.pages)
    for piece in chunk(extracted.text, sections, extracted.pages):
        first, last = extracted.pages[piece.page_first - 1], extracted.pages[piece.page_last - 1]
        assert first.start <= piece.start < piece.end <= last.end
