"""Finds pictures, drawings, tables, signatures and stamps on pages, with their captions. Blocking."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, Literal

import pymupdf

from orderly.models import Box, Page
from orderly.services.document_processor import media_types as kinds
from orderly.services.document_processor.detection import detect_type
from orderly.services.document_processor.mupdf import PDF_ERRORS, open_pdf
from orderly.services.document_processor.page_words import PageWords
from orderly.store.functions.visuals import Visual as StoredVisual

Shape = Literal["picture", "drawing", "table"]
VisualKind = Literal[Shape, "signature", "stamp"]

TERMS: dict[VisualKind, str] = {
    "picture": "picture image photograph photo figure illustration logo",
    "drawing": "drawing diagram figure plan chart graph map illustration sketch",
    "table": "table grid columns rows figures",
    "signature": "signature signed signatory signing execution handwriting initials",
    "stamp": "stamp stamped seal sealed received filed certified",
}
"""Synonyms of each kind, for search."""

MIN_SIZE = 24.0
"""Least width in points; the least height is half of it. Smaller shapes are bullets, rules or icons."""

WHOLE_PAGE_SHARE = 0.6
"""Share of the page's area above which a picture is a scan of the page."""

MAX_STROKES = 3_000
"""Vector strokes above which the page counts as one drawing, such as a CAD plan."""

MIN_STROKES = 3
"""Strokes of a drawing or table; fewer are a rule or a frame."""

MAX_PER_PAGE = 20

_PATH_OPERATOR = re.compile(rb"[\d.]\s+(?:l|re|c|v|y)\s")
"""A path construction operator of a PDF content stream."""

_PAGE_ERRORS = (*PDF_ERRORS, TypeError, KeyError, AttributeError)
"""Errors raised by PyMuPDF for malformed pages and annotations."""


@dataclass(frozen=True, slots=True)
class Visual:
    page: int
    kind: VisualKind
    box: Box
    caption: str
    words: str
    """Text inside the visual; for signatures and stamps also beside it."""

    def record(self, heading: str) -> StoredVisual:
        """The record for the store. `heading`: first line of the page."""
        return {
            "page": self.page,
            "kind": self.kind,
            "box": [round(value, 1) for value in self.box],
            "caption": self.caption,
            "words": self.words,
            "terms": f"{TERMS[self.kind]} {heading}",
        }


@dataclass(frozen=True, slots=True)
class VisualFindings:
    records: Sequence[StoredVisual]
    unseen: Sequence[int]
    """Numbers of pages that could not be inspected."""


def find_visuals(path: Path, text: str, pages: Sequence[Page]) -> VisualFindings:
    """Finds the visuals of a PDF or image; other formats have none.

    Raises:
        Unreadable: the file cannot be opened.
    """
    kind = detect_type(path, path.name)
    if kind in kinds.IMAGES:
        return VisualFindings([_whole_page_record(PageWords(text, page)) for page in pages], ())
    if kind != kinds.PDF:
        return VisualFindings((), ())
    records: list[StoredVisual] = []
    unseen: list[int] = []
    with open_pdf(path) as document:
        for page in pages:
            words = PageWords(text, page)
            try:
                found = list(_find_on_page(document[page.number - 1], page, words))
            except _PAGE_ERRORS:
                unseen.append(page.number)
                continue
            records += [visual.record(words.heading) for visual in found[:MAX_PER_PAGE]]
    return VisualFindings(records, unseen)


def _whole_page_record(words: PageWords) -> StoredVisual:
    box = (0.0, 0.0, words.page.width or 0.0, words.page.height or 0.0)
    return Visual(words.page.number, "picture", box, "", words.inside(box)).record(words.heading)


def _find_on_page(page: pymupdf.Page, read: Page, words: PageWords) -> Iterator[Visual]:
    rotation = page.rotation_matrix
    area = page.rect.get_area()
    for box, kind in [*_pictures(page), *_drawings(page)]:
        seen = (pymupdf.Rect(box) * rotation).normalize() & page.rect
        if seen.is_empty or seen.width < MIN_SIZE or seen.height < MIN_SIZE / 2:
            continue
        if kind == "picture" and seen.get_area() > WHOLE_PAGE_SHARE * area and read.source == "ocr":
            continue  # the scan of the page itself
        place: Box = (seen.x0, seen.y0, seen.x1, seen.y1)
        yield _describe(read.number, words.kind_beside(place, kind), place, words)
    for box, mark in _annotations(page):
        seen = (pymupdf.Rect(box) * rotation).normalize()
        yield _describe(read.number, mark, (seen.x0, seen.y0, seen.x1, seen.y1), words)
    for place in words.signature_lines():
        yield _describe(read.number, "signature", place, words)


def _describe(number: int, kind: VisualKind, box: Box, words: PageWords) -> Visual:
    written = words.beside(box) if kind in ("signature", "stamp") else words.inside(box)
    return Visual(number, kind, box, words.caption(box, loose=kind in ("picture", "drawing")), written)


def _pictures(page: pymupdf.Page) -> list[tuple[Any, Shape]]:
    if not page.get_images() and b"BI" not in page.read_contents():
        return []  # skips `get_image_info`, which costs as much as reading the page
    return [(image["bbox"], "picture") for image in page.get_image_info()]


def _drawings(page: pymupdf.Page) -> list[tuple[Any, Shape]]:
    if not _may_hold_drawings(page.read_contents()):
        return []
    strokes = [{**stroke, "rect": pymupdf.Rect(stroke["rect"])} for stroke in page.get_cdrawings()]
    if len(strokes) < MIN_STROKES:
        return []
    if len(strokes) > MAX_STROKES:
        area = pymupdf.Rect()
        for stroke in strokes:
            area |= stroke["rect"]
        return [(area, "drawing")]
    found: list[tuple[Any, Shape]] = []
    for cluster in page.cluster_drawings(drawings=strokes):
        within = [stroke for stroke in strokes if stroke["rect"] in cluster]
        if len(within) >= MIN_STROKES:
            found.append((cluster, "table" if _is_grid(within) else "drawing"))
    return found


def _may_hold_drawings(contents: bytes) -> bool:
    """Cheap check of the content stream: it has path operators or draws an external object."""
    if b" Do" in contents:
        return True
    return sum(1 for _ in islice(_PATH_OPERATOR.finditer(contents), MIN_STROKES)) == MIN_STROKES


def _is_grid(strokes: Sequence[dict[str, Any]]) -> bool:
    """Whether strokes form a table: horizontal and vertical lines and little else, or cells drawn as boxes."""
    across = down = boxes = other = 0
    for stroke in strokes:
        for item in stroke["items"]:
            if item[0] == "l":
                (x0, y0), (x1, y1) = item[1], item[2]
                across += abs(y1 - y0) < 1 <= abs(x1 - x0)
                down += abs(x1 - x0) < 1 <= abs(y1 - y0)
                other += abs(x1 - x0) >= 1 and abs(y1 - y0) >= 1
            elif item[0] == "re":
                x0, y0, x1, y1 = item[1]
                thin = min(abs(x1 - x0), abs(y1 - y0)) < 2
                across += thin and abs(x1 - x0) > abs(y1 - y0)
                down += thin and abs(x1 - x0) <= abs(y1 - y0)
                boxes += not thin
            else:
                other += 1
    return other <= (across + down + boxes) / 10 and ((across >= 3 and down >= 2) or boxes >= 4)


def _annotations(page: pymupdf.Page) -> Iterator[tuple[Any, VisualKind]]:
    for annotation in page.annots(types=(pymupdf.PDF_ANNOT_INK, pymupdf.PDF_ANNOT_STAMP)):
        yield annotation.rect, "stamp" if annotation.type[0] == pymupdf.PDF_ANNOT_STAMP else "signature"
    for field in page.widgets(types=(pymupdf.PDF_WIDGET_TYPE_SIGNATURE,)):
        yield field.rect, "signature"
