"""The offline OCR engine, Tesseract. English only, as no other model is shipped."""

from __future__ import annotations

import io
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from pydantic import TypeAdapter

from orderly.errors import OcrFailed, Unreadable
from orderly.models import Box
from orderly.services.isolation import ProcessPool
from orderly.services.ocr.protocol import DOUBTFUL_CONFIDENCE, PAGE_SECONDS, OcrPage, OcrWord

if TYPE_CHECKING:
    from PIL import Image

# Functions import tesserocr and Pillow on first use: they take about 70 ms and 10 MB, and only scans need them.

_PAGE = TypeAdapter(OcrPage)


class TesseractOcr:
    """Implements `Ocr`. Runs in the isolated reader processes, since a picture can be hostile."""

    def __init__(self, processes: ProcessPool, page_seconds: float = PAGE_SECONDS) -> None:
        self._processes, self._page_seconds = processes, page_seconds

    @property
    def name(self) -> str:
        import tesserocr  # noqa: PLC0415

        return f"tesseract {tesserocr.tesseract_version().split()[1]}"

    async def recognise(self, png: bytes, *, language: str = "en") -> OcrPage:
        if language.partition("-")[0] != "en":
            raise OcrFailed(f"The offline OCR reads English only, not {language!r}.")
        try:
            return await self._processes.call("recognise", png, _PAGE.validate_python, seconds=self._page_seconds)
        except Unreadable as exc:  # the process was stopped or crashed
            raise OcrFailed(exc.message) from exc


def recognise(png: bytes) -> OcrPage:
    """Recognises a page, in other orientations too if the confidence is low. Raises OcrFailed.

    Blocking; runs in the isolated reader processes.
    """
    from PIL import Image, UnidentifiedImageError  # noqa: PLC0415

    try:
        image = Image.open(io.BytesIO(png)).convert("L")
    except (UnidentifiedImageError, OSError) as exc:
        raise OcrFailed("The page's picture could not be decoded.") from exc
    page = _recognise_rotated(image, 0)
    if page.words and (page.confidence or 0.0) < DOUBTFUL_CONFIDENCE:
        page = max([page, *(_recognise_rotated(image, rotation) for rotation in (180, 90, 270))], key=_quality_score)
    return page


def _recognise_rotated(image: Image.Image, rotation: int) -> OcrPage:
    """Recognises the picture rotated by `rotation` degrees anticlockwise; boxes are rotated back."""
    api = _engine()
    api.SetImage(image.rotate(rotation, expand=True) if rotation else image)
    if not api.Recognize():
        raise OcrFailed("Tesseract could not read the page's picture.")
    page = _collect_page(api, rotation, image.size)
    api.Clear()
    return page


@cache
def _engine() -> Any:
    import tesserocr  # noqa: PLC0415

    model = files("orderly.services.ocr") / "data"
    try:
        return tesserocr.PyTessBaseAPI(path=str(model), lang="eng")
    except RuntimeError as exc:
        raise OcrFailed("The OCR model that belongs to the package could not be loaded.") from exc


def _collect_page(api: Any, rotation: int, size: tuple[int, int]) -> OcrPage:
    import tesserocr  # noqa: PLC0415

    level = tesserocr.RIL
    pieces: list[str] = []
    words: list[OcrWord] = []
    at = 0
    for found in tesserocr.iterate_level(api.GetIterator(), level.WORD):
        if found.Empty(level.WORD):
            continue
        text = found.GetUTF8Text(level.WORD).strip()
        if not text:
            continue
        gap = _separator(found, level) if pieces else ""
        at += len(gap)
        box = _rotate_box_back(found.BoundingBox(level.WORD), rotation, size)
        words.append(OcrWord(at, at + len(text), box, float(found.Confidence(level.WORD))))
        pieces += (gap, text)
        at += len(text)
    mean = sum(word.confidence for word in words) / len(words) if words else None
    return OcrPage("".join(pieces), tuple(words), mean)


def _separator(found: Any, level: Any) -> str:
    if found.IsAtBeginningOf(level.PARA):
        return "\n\n"
    return "\n" if found.IsAtBeginningOf(level.TEXTLINE) else " "


def _rotate_box_back(box: tuple[int, int, int, int], rotation: int, size: tuple[int, int]) -> Box:
    x0, y0, x1, y1 = (float(value) for value in box)
    width, height = size
    if rotation == 90:
        return (width - y1, x0, width - y0, x1)
    if rotation == 180:
        return (width - x1, height - y1, width - x0, height - y0)
    if rotation == 270:
        return (y0, height - x1, y1, height - x0)
    return (x0, y0, x1, y1)


def _quality_score(page: OcrPage) -> float:
    """Confidence weighted by word length, so that a few confident specks do not outweigh a page of text."""
    return sum(max(word.confidence - 30.0, 0.0) * (word.end - word.start) for word in page.words)
