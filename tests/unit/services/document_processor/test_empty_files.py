"""Files of every format that open and hold no text: none is a success."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path

import docx
import openpyxl
import pptx
import pymupdf
import pytest

from orderly.errors import Empty
from orderly.services.document_processor import DocumentProcessor


def picture() -> io.BytesIO:
    with pymupdf.open() as document:
        document.new_page().insert_text((72, 72), "Scanned words of a lease.")
        return io.BytesIO(document[0].get_pixmap(dpi=72).tobytes("png"))


def word(path: Path, *, pictured: bool) -> None:
    document = docx.Document()
    if pictured:
        document.add_picture(picture())
    document.save(str(path))


def slides(path: Path, *, pictured: bool) -> None:
    presentation = pptx.Presentation()
    slide = presentation.slides.add_slide(presentation.slide_layouts[6])
    if pictured:
        slide.shapes.add_picture(picture(), 0, 0)
    presentation.save(str(path))


EMPTY: dict[str, Callable[[Path], object]] = {
    "blank.docx": lambda path: word(path, pictured=False),
    "pictures.docx": lambda path: word(path, pictured=True),
    "blank.pptx": lambda path: slides(path, pictured=False),
    "pictures.pptx": lambda path: slides(path, pictured=True),
    "blank.xlsx": lambda path: openpyxl.Workbook().save(path),
    "blank.rtf": lambda path: path.write_text(r"{\rtf1 }"),
    "picture.html": lambda path: path.write_text("<html><body><img src=scan.png></body></html>"),
    "no width.txt": lambda path: path.write_text("\u200b\u2060\u200b"),
    "spaces.csv": lambda path: path.write_text("  \n\t\n"),
    "spaces.md": lambda path: path.write_text("\n \n"),
    "soft hyphens.html": lambda path: path.write_text("<html><body><p>&shy;&zwnj;&nbsp;</p></body></html>"),
    "marks.json": lambda path: path.write_text("\ufeff\u200e\u200f"),
    "replaced.txt": lambda path: path.write_text("\ufffd\ufffd"),
    "zeros.txt": lambda path: path.write_bytes(b"\x0c\n\x0c\n"),
    "elements.xml": lambda path: path.write_text("<a><b/></a>"),
    "head.eml": lambda path: path.write_text("MIME-Version: 1.0\n\n"),
}


@pytest.mark.parametrize("name", EMPTY)
async def test_a_file_without_a_visible_character_fails(processor: DocumentProcessor, tmp_path: Path, name: str) -> None:
    EMPTY[name](tmp_path / name)
    with pytest.raises(Empty):
        await processor.extract(tmp_path / name, name)


@pytest.mark.parametrize("name", ["pictures.docx", "pictures.pptx"])
async def test_the_reason_tells_how_pictures_are_read(processor: DocumentProcessor, tmp_path: Path, name: str) -> None:
    EMPTY[name](tmp_path / name)
    with pytest.raises(Empty, match="save it as PDF"):
        await processor.extract(tmp_path / name, name)
