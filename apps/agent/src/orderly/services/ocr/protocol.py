"""Text from pictures of pages: what an engine gives. Tesseract serves offline; a vision endpoint may stand before it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from orderly.models import Box

DOUBTFUL = 60.0
"""Mean word confidence below which a page is tried the other ways up: upright ones score about 95, inverted 34."""

PAGE_SECONDS = 120.0
"""Default time limit for drawing or recognising one page."""


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
