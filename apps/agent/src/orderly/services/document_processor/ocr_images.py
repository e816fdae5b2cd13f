"""Draws PDF pages for OCR."""

from __future__ import annotations

from math import sqrt
from pathlib import Path

import pymupdf

from orderly.services.document_processor.drafts import DPI, OcrRequest, Picture
from orderly.services.document_processor.ink_detection import draw_pictures
from orderly.services.document_processor.mupdf import open_pdf

MAX_PIXELS = 40_000_000
"""Larger pages are drawn at a lower resolution, so that a page takes at most 40 MB."""


def draw_page_for_ocr(path: Path, request: OcrRequest) -> Picture:
    """Draws the requested page, or the pictures of the requested area. Blocking. Raises Damaged."""
    with open_pdf(path) as document:
        page = document[request.page - 1]
        area = pymupdf.Rect(request.clip) if request.clip else page.rect
        zoom = min(DPI / 72, sqrt(MAX_PIXELS / max(area.width * area.height, 1.0)))
        if request.clip:
            # Letters drawn upon a picture are in the page's own text already.
            drawn = draw_pictures(page, area, zoom)
        else:
            drawn = page.get_pixmap(matrix=pymupdf.Matrix(zoom, zoom), colorspace=pymupdf.csGRAY, alpha=False, annots=True)
        dpi = round(72 * zoom)
        drawn.set_dpi(dpi, dpi)
        return Picture(drawn.tobytes("png"), 1 / zoom, area.x0, area.y0)
