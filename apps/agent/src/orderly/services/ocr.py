"""Text from pictures of pages. Tesseract serves offline; a vision endpoint (deepseek_ocr) may stand before it."""

from __future__ import annotations

import asyncio
import io
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from importlib.resources import files
from typing import Any, Protocol

import tesserocr
from PIL import Image, UnidentifiedImageError

from orderly.errors import OcrFailed
from orderly.models import Box

DOUBTFUL = 60.0
"""Mean word confidence below which a page is tried the other ways up: upright ones score about 95, inverted 34."""


@dataclass(frozen=True, slots=True)
class OcrWord:
    """`text[start:end]` of the page's text is the word."""

    start: int
    end: int
    box: Box
    """In pixels of the picture as it was given, whichever way up the text stands."""
    confidence: float
    """0 to 100."""


@dataclass(frozen=True, slots=True)
class OcrPage:
    """What was recognised in one picture: lines end in a line feed, paragraphs in two. Empty text: nothing found."""

    text: str
    words: tuple[OcrWord, ...] = ()
    confidence: float | None = None
    """Mean word confidence, 0 to 100; None where the engine gives none."""


class Ocr(Protocol):
    @property
    def name(self) -> str:
        """Shown beside the pages it read, e.g. "tesseract 5.5.4"."""
        ...

    async def recognise(self, png: bytes, *, language: str = "en") -> OcrPage:
        """Raises OcrFailed when the engine gives no answer; an empty page is an answer."""
        ...


class TesseractOcr:
    """The offline engine. English only: no other model is shipped."""

    def __init__(self, *, threads: int = 2) -> None:
        self._local = threading.local()
        self._pool = ThreadPoolExecutor(max_workers=threads, thread_name_prefix="ocr")

    @property
    def name(self) -> str:
        return f"tesseract {tesserocr.tesseract_version().split()[1]}"

    async def recognise(self, png: bytes, *, language: str = "en") -> OcrPage:
        if language.partition("-")[0] != "en":
            raise OcrFailed(f"The offline OCR reads English only, not {language!r}.")
        return await asyncio.get_running_loop().run_in_executor(self._pool, self._recognise, png)

    def close(self) -> None:
        """Waits for pictures in work, then frees the engines."""
        self._pool.shutdown()

    def _recognise(self, png: bytes) -> OcrPage:
        try:
            image = Image.open(io.BytesIO(png)).convert("L")
        except (UnidentifiedImageError, OSError) as exc:
            raise OcrFailed("The page's picture could not be decoded.") from exc
        page = self._read(image, 0)
        if page.words and (page.confidence or 0.0) < DOUBTFUL:
            page = max([page, *(self._read(image, turn) for turn in (180, 90, 270))], key=_quality)
        return page

    def _read(self, image: Image.Image, turn: int) -> OcrPage:
        """Recognise after turning the picture `turn` degrees anticlockwise; boxes are turned back."""
        api = self._engine()
        api.SetImage(image.rotate(turn, expand=True) if turn else image)
        if not api.Recognize():
            raise OcrFailed("Tesseract could not read the page's picture.")
        page = _page_of(api, turn, image.size)
        api.Clear()
        return page

    def _engine(self) -> Any:
        """One engine per thread: an API object holds the picture it works on."""
        if not hasattr(self._local, "api"):
            model = files("orderly.services") / "data"
            try:
                self._local.api = tesserocr.PyTessBaseAPI(path=str(model), lang="eng")
            except RuntimeError as exc:
                raise OcrFailed("The OCR model that belongs to the package could not be loaded.") from exc
        return self._local.api


def _page_of(api: Any, turn: int, size: tuple[int, int]) -> OcrPage:
    pieces: list[str] = []
    words: list[OcrWord] = []
    at = 0
    for found in tesserocr.iterate_level(api.GetIterator(), tesserocr.RIL.WORD):
        if found.Empty(tesserocr.RIL.WORD):
            continue
        text = found.GetUTF8Text(tesserocr.RIL.WORD).strip()
        if not text:
            continue
        gap = _gap(found) if pieces else ""
        at += len(gap)
        box = _turned_back(found.BoundingBox(tesserocr.RIL.WORD), turn, size)
        words.append(OcrWord(at, at + len(text), box, float(found.Confidence(tesserocr.RIL.WORD))))
        pieces += (gap, text)
        at += len(text)
    mean = sum(word.confidence for word in words) / len(words) if words else None
    return OcrPage("".join(pieces), tuple(words), mean)


def _gap(found: Any) -> str:
    if found.IsAtBeginningOf(tesserocr.RIL.PARA):
        return "\n\n"
    return "\n" if found.IsAtBeginningOf(tesserocr.RIL.TEXTLINE) else " "


def _turned_back(box: tuple[int, int, int, int], turn: int, size: tuple[int, int]) -> Box:
    x0, y0, x1, y1 = (float(value) for value in box)
    width, height = size
    if turn == 90:
        return (width - y1, x0, width - y0, x1)
    if turn == 180:
        return (width - x1, height - y1, width - x0, height - y0)
    if turn == 270:
        return (y0, height - x1, y1, height - x0)
    return (x0, y0, x1, y1)


def _quality(page: OcrPage) -> float:
    """Sure and much beats sure and little: three confident specks are no page."""
    return sum(max(word.confidence - 30.0, 0.0) * (word.end - word.start) for word in page.words)
