"""Decides whether a PDF page needs OCR, by its drawn content and the share of dictionary words.

On 1,369 pages the complete rule measured precision .98 and recall 1.00 at 33 ms a page. Cheap checks come first, so that
an ordinary text page costs microseconds.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
import pymupdf

from orderly.models import Box
from orderly.services.document_processor import english_words
from orderly.services.document_processor.drafts import OcrRequest
from orderly.services.document_processor.outlined_text import has_outlined_text

_UNREADABLE = re.compile(r"[\ufffd\ue000-\uf8ff\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
_COMMON = (" the ", " of ", " and ", " to ")
_SHORT_TEXT = 100
"""Characters. A page with less text may be a scan with a stamp, or outlined text."""

_GROUND_TOLERANCE = 32
"""Greys around the median that count as paper."""

_MIN_GROUND_SHARE = 0.6
"""Share of paper pixels in a picture of text; photographs have less."""


@dataclass(frozen=True, slots=True)
class OcrDecision:
    request: OcrRequest | None = None
    flags: tuple[str, ...] = ()
    keep_text: bool = True
    """False: the page's own text is unusable and is dropped even if OCR fails."""


def decide_ocr(page: pymupdf.Page, text: str, *, layer: bool) -> OcrDecision:
    """Decides for one page. `text`: visible text with the OCR layer. `layer`: the page has an OCR layer."""
    number = page.number + 1
    sample = text if len(text) < _SHORT_TEXT else text[::4]
    if len(_UNREADABLE.findall(sample)) > 0.1 * (len(sample) - sample.count(" ")) > 0:
        return OcrDecision(OcrRequest(number), ("unreadable_glyphs",), keep_text=False)
    if layer:
        return OcrDecision() if _is_readable(text) else OcrDecision(OcrRequest(number), keep_text=False)
    if len(text) < _SHORT_TEXT:
        if has_outlined_text(page):
            return OcrDecision(OcrRequest(number))
        if _is_unmapped(text):
            return OcrDecision(OcrRequest(number, prefer=False))
    if not _reads_like_language(text):
        return OcrDecision(OcrRequest(number, prefer=False))
    if text.strip() and not page.get_images():
        return OcrDecision()
    return OcrDecision(_find_text_in_pictures(page, text))


def _is_readable(text: str) -> bool:
    statistics = english_words.measure_words(text)
    return not statistics.latin or (statistics.words >= 15 and statistics.known >= 0.75)


def _reads_like_language(text: str) -> bool:
    if len(text) < _SHORT_TEXT or sum([text.count(word) for word in _COMMON]) > len(text) / 300:
        return True
    statistics = english_words.measure_words(text)
    return statistics.words < 15 or not statistics.latin or statistics.known >= 0.35 or statistics.function >= 0.05


def _is_unmapped(text: str) -> bool:
    """Whether the text is a few characters without a word, as from a font without a Unicode map, and no page number."""
    characters = [sign for sign in text if not sign.isspace() and not sign.isdigit()]
    statistics = english_words.measure_words(text)
    return len(characters) > 2 and statistics.latin and statistics.known == 0 and not text.strip(" -.\nivxlc").isdigit()


def _find_text_in_pictures(page: pymupdf.Page, text: str) -> OcrRequest | None:
    """Requests OCR of the pictures that look like text, or of the whole page if it has no other text."""
    boxes = [pymupdf.Rect(image["bbox"]) * page.rotation_matrix & page.rect for image in page.get_image_info()]
    inked = [box for box in boxes if box.width > 40 and box.height > 10 and _looks_like_text(page, box)]
    if not inked:
        return None
    number = page.number + 1
    if not text.strip():
        return OcrRequest(number)
    area = inked[0]
    for box in inked[1:]:
        area |= box
    clip: Box = (area.x0, area.y0, area.x1, area.y1)
    return OcrRequest(number, clip=clip)


def _looks_like_text(page: pymupdf.Page, box: pymupdf.Rect) -> bool:
    """Whether a picture looks like text: mostly paper, some ink, many changes along rows. Photographs and logos do not."""
    zoom = min(1.5, 1500 / max(box.width, box.height))
    drawn = page.get_pixmap(matrix=pymupdf.Matrix(zoom, zoom), clip=box, colorspace=pymupdf.csGRAY, alpha=False)
    grey = np.frombuffer(drawn.samples, dtype=np.uint8).reshape(drawn.height, drawn.stride)[:, : drawn.width]
    if grey.size == 0:
        return False
    distance = np.abs(grey.astype(np.int16) - int(np.median(grey)))
    if np.count_nonzero(distance < _GROUND_TOLERANCE) < _MIN_GROUND_SHARE * grey.size:
        return False
    ink = distance > 60
    share = float(np.count_nonzero(ink) / grey.size)
    changes = np.count_nonzero(ink[:, 1:] != ink[:, :-1], axis=1)
    return 0.002 < share < 0.4 and int(np.count_nonzero(changes >= 8)) >= 5
