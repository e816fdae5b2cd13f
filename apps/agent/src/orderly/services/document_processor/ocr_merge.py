"""Merges recognised text into draft pages."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from orderly.models import Box
from orderly.services.document_processor import english_words
from orderly.services.document_processor.drafts import Draft, OcrRequest, PageDraft, RawLine, Recognised, has_text
from orderly.services.document_processor.office_pictures import place_pictures
from orderly.services.ocr import DOUBTFUL_CONFIDENCE, OcrPage


def merge_recognised(draft: Draft, pages: Sequence[Recognised], failed: Sequence[int], notes: Sequence[str]) -> None:
    """Merges recognised pages into the draft. `failed`: pages that no engine could read; they keep their own text."""
    requests = {request.page: request for request in draft.ocr}
    for recognised in pages:
        _merge_page(draft.pages[recognised.page - 1], requests[recognised.page], recognised)
    for number in failed:
        draft.pages[number - 1].flags.append("ocr_failed")
    draft.notes += notes
    place_pictures(draft, failed)


def _merge_page(page: PageDraft, request: OcrRequest, recognised: Recognised) -> None:
    found = recognised.found
    if _agree(page.doubtful_text, found.text) and not _has_more_words(found.text, page.doubtful_text):
        _restore_doubtful_text(page)
        return
    if not has_text(found.text) or not _is_better(page, request, found):
        return
    lines = _lines(recognised)
    text = found.text
    if request.clip is not None:
        # Only an area was recognised: append its text to the page's own.
        before = page.text + "\n\n"
        lines = page.lines + [(start + len(before), end + len(before), box) for start, end, box in lines]
        text = before + text
    page.text, page.lines = text, lines
    page.source, page.ocr_engine, page.confidence = "ocr", recognised.engine, found.confidence
    page.flags = [flag for flag in page.flags if flag != "unreadable_glyphs"]
    if found.confidence is not None and found.confidence < DOUBTFUL_CONFIDENCE:
        page.flags.append("low_confidence")


def _restore_doubtful_text(page: PageDraft) -> None:
    """Puts the doubtful text before what was added to the page, such as form fields."""
    before = page.doubtful_text + ("\n\n" if page.text else "")
    page.lines = page.doubtful_lines + [(start + len(before), end + len(before), box) for start, end, box in page.lines]
    page.text = before + page.text


def _is_better(page: PageDraft, request: OcrRequest, found: OcrPage) -> bool:
    sure = found.confidence is None or found.confidence >= DOUBTFUL_CONFIDENCE
    if request.clip is not None:
        # Logos and photographs yield a few letters of low confidence; a paragraph in a picture yields words.
        return sure
    if request.prefer:
        return True
    if not has_text(page.text):
        return sure
    if _agree(page.text, found.text):
        # The own text is right, but it may be no more than the page number, or one of several fonts.
        return sure and (len(found.text.strip()) > 2 * len(page.text.strip()) or _has_more_words(found.text, page.text))
    return _has_more_words(found.text, page.text)


def _has_more_words(recognised: str, own: str) -> bool:
    """Whether the recognised text has clearly more dictionary words, by share or by number."""
    found, stored = english_words.measure_words(recognised), english_words.measure_words(own)
    return found.known > stored.known + 0.1 or found.known * found.words > 1.3 * stored.known * stored.words + 2


def _agree(own: str, recognised: str) -> bool:
    """Whether at least half of a page's own words stand in its recognised text. Accents do not count: OCR may miss them."""
    words, seen = _bare_words(own), set(_bare_words(recognised))
    return bool(words) and sum(word in seen for word in words) >= 0.5 * len(words)


def _bare_words(text: str) -> list[str]:
    bare = "".join(sign for sign in unicodedata.normalize("NFKD", text.lower()) if not unicodedata.combining(sign))
    return re.findall(r"[^\W_]+", bare)


def _lines(recognised: Recognised) -> list[RawLine]:
    """Unites the words' boxes line by line, in points."""
    found = recognised.found
    lines: list[RawLine] = []
    for word in found.words:
        x0, y0, x1, y1 = (value * recognised.points_per_pixel for value in word.box)
        box: Box = (x0 + recognised.left, y0 + recognised.top, x1 + recognised.left, y1 + recognised.top)
        if lines and "\n" not in found.text[lines[-1][1] : word.start]:
            start, _, before = lines[-1]
            lines[-1] = (start, word.end, _union(before, box))
        else:
            lines.append((word.start, word.end, box))
    return lines


def _union(one: Box, other: Box) -> Box:
    return (min(one[0], other[0]), min(one[1], other[1]), max(one[2], other[2]), max(one[3], other[3]))
