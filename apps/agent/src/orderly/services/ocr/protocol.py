"""The protocol of OCR engines, and their results."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from orderly.models import Box

DOUBTFUL_CONFIDENCE = 60.0
"""Mean word confidence below which a page is retried in other orientations: upright pages score about 95, inverted 34."""

PAGE_SECONDS = 120.0
"""Default time limit for drawing or recognising one page."""


@dataclass(frozen=True, slots=True)
class OcrWord:
    """One word: `text[start:end]` of the page."""

    start: int
    end: int
    box: Box
    """In pixels of the original picture, independent of the text's orientation."""
    confidence: float
    """0 to 100."""


@dataclass(frozen=True, slots=True)
class OcrPage:
    """Text of one picture: lines end in one line feed, paragraphs in two. Empty if there is no text."""

    text: str
    words: tuple[OcrWord, ...] = ()
    confidence: float | None = None
    """Mean word confidence, 0 to 100; None if the engine gives none."""


class Ocr(Protocol):
    @property
    def name(self) -> str:
        """Name and version recorded with each page, e.g. "tesseract 5.5.4"."""
        ...

    async def recognise(self, png: bytes, *, language: str = "en") -> OcrPage:
        """Recognises a page. Raises OcrFailed if the engine gives no answer; an empty page is an answer."""
        ...
