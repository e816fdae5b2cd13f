from __future__ import annotations

import io

import pytest
from PIL import Image, ImageDraw, ImageFont

from orderly.errors import OcrFailed
from orderly.services.document_processor import READER
from orderly.services.isolation.pool import shared_pool
from orderly.services.isolation.process_limits import ProcessLimits
from orderly.services.ocr.protocol import OcrPage
from orderly.services.ocr.tesseract import TesseractOcr

LINES = (
    "This Agreement shall commence on the Effective Date.",
    "Either party may terminate upon thirty days notice.",
    "The Supplier shall indemnify the Customer in full.",
)


@pytest.fixture
def tesseract() -> TesseractOcr:
    return TesseractOcr(shared_pool(READER, ProcessLimits()))


def picture(turn: int = 0) -> bytes:
    image = Image.new("L", (1200, 600), 255)
    draw = ImageDraw.Draw(image)
    for row, line in enumerate(LINES):
        draw.text((60, 80 + 120 * row), line, fill=0, font=ImageFont.load_default(40))
    data = io.BytesIO()
    image.rotate(turn, expand=True, fillcolor=255).save(data, "png", dpi=(200, 200))
    return data.getvalue()


def recognised_words(page: OcrPage) -> list[str]:
    return [line for line in page.text.split("\n") if line]


async def test_words_carry_offsets_boxes_and_confidence(tesseract: TesseractOcr) -> None:
    page = await tesseract.recognise(picture())
    assert recognised_words(page) == list(LINES)
    assert page.confidence is not None and page.confidence > 80
    assert [page.text[word.start : word.end] for word in page.words] == page.text.split()
    first = page.words[0]
    assert 50 < first.box[0] < 80 and 70 < first.box[1] < 110
    assert first.box[2] > first.box[0] and first.box[3] > first.box[1]


@pytest.mark.parametrize("turn", [90, 180, 270])
async def test_a_turned_page_is_read_and_its_boxes_refer_to_the_given_image(tesseract: TesseractOcr, turn: int) -> None:
    page = await tesseract.recognise(picture(turn))
    assert recognised_words(page) == list(LINES)
    with Image.open(io.BytesIO(picture(turn))) as image:
        width, height = image.size
        for word in page.words:
            x0, y0, x1, y1 = word.box
            assert 0 <= x0 < x1 <= width and 0 <= y0 < y1 <= height
            assert image.crop((int(x0), int(y0), int(x1), int(y1))).getextrema()[0] < 100


async def test_a_blank_page_gives_an_empty_result(tesseract: TesseractOcr) -> None:
    data = io.BytesIO()
    Image.new("L", (600, 400), 255).save(data, "png")
    assert await tesseract.recognise(data.getvalue()) == OcrPage("")


async def test_a_file_that_is_no_image_fails(tesseract: TesseractOcr) -> None:
    with pytest.raises(OcrFailed, match="decoded"):
        await tesseract.recognise(b"no picture")


async def test_unsupported_languages_are_refused(tesseract: TesseractOcr) -> None:
    with pytest.raises(OcrFailed, match="English only"):
        await tesseract.recognise(picture(), language="ja")
