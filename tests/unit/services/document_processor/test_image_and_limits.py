from __future__ import annotations

from pathlib import Path

import pymupdf
import pytest
from PIL import Image, ImageDraw, ImageFont

from orderly.errors import Damaged, Empty
from orderly.services.document_processor import DocumentProcessor, Limits
from orderly.services.documents.health import incomplete_because
from orderly.services.ocr.tesseract import TesseractOcr
from support.hostile_files import monstrous_picture


def drawn(text: str, *, mode: str = "L", size: tuple[int, int] = (1000, 220)) -> Image.Image:
    picture = Image.new(mode, size, "white" if mode == "L" else (0, 0, 0, 0))
    ImageDraw.Draw(picture).text((40, 60), text, fill=0 if mode == "L" else (0, 0, 0, 255), font=ImageFont.load_default(48))
    return picture


async def test_every_frame_of_a_tiff_is_a_page_read_by_ocr(tesseract: TesseractOcr, tmp_path: Path) -> None:
    path = tmp_path / "scan.tif"
    first, second = drawn("Deed of Release"), drawn("Second page")
    first.save(path, save_all=True, append_images=[second], dpi=(200, 200))
    extracted = await DocumentProcessor(tesseract).extract(path, "scan.tif")
    assert [extracted.text[page.start : page.end].strip() for page in extracted.pages] == ["Deed of Release", "Second page"]
    page = extracted.pages[0]
    assert (page.source, page.width, page.height) == ("ocr", 360.0, pytest.approx(79.2))
    (line,) = page.lines
    assert 10 < line.box[0] < 25
    assert line.box[3] < 79.2


async def test_black_letters_on_a_transparent_background_are_read(tesseract: TesseractOcr, tmp_path: Path) -> None:
    path = tmp_path / "stamp.png"
    drawn("Received", mode="RGBA").save(path)
    extracted = await DocumentProcessor(tesseract).extract(path, "stamp.png")
    assert extracted.text.strip() == "Received"


async def test_an_image_without_ocr_is_never_a_success(processor: DocumentProcessor, tmp_path: Path) -> None:
    path = tmp_path / "scan.png"
    drawn("Deed").save(path)
    with pytest.raises(Empty, match="could not be recognised"):
        await processor.extract(path, "scan.png")


async def test_a_broken_or_oversized_image_is_damaged(processor: DocumentProcessor, tmp_path: Path) -> None:
    path = tmp_path / "scan.png"
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + b"\0" * 50)
    with pytest.raises(Damaged):
        await processor.extract(path, "scan.png")
    monstrous_picture(path)
    with pytest.raises(Damaged, match="more than 500 million dots"):
        await processor.extract(path, "scan.png")


async def test_a_document_over_the_character_limit_is_partial_and_says_so(tmp_path: Path) -> None:
    path = tmp_path / "long.txt"
    path.write_text("word " * 100)
    extracted = await DocumentProcessor(None, limits=Limits(characters=50)).extract(path, "long.txt")
    assert extracted.text == ("word " * 10)
    assert extracted.pages[0].flags == ("truncated",)
    reasons = incomplete_because(extracted)
    assert any("500 characters, and only the first 50" in reason for reason in reasons)


async def test_a_document_over_the_page_limit_is_partial_and_says_so(tmp_path: Path) -> None:
    with pymupdf.open() as document:
        for number in range(5):
            document.new_page().insert_text((72, 72), f"Page {number}")
        document.save(tmp_path / "long.pdf")
    extracted = await DocumentProcessor(None, limits=Limits(pages=2)).extract(tmp_path / "long.pdf", "long.pdf")
    assert len(extracted.pages) == 2
    assert any("5 pages, and only the first 2" in reason for reason in incomplete_because(extracted))
