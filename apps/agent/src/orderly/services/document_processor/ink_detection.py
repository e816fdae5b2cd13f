"""In whose place the drawn page has ink. Drawing is the dearest part of judging a page, so as little as will do is drawn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pymupdf
from pymupdf import mupdf

from orderly.services.document_processor.covered_text import Boxes, Span, boxes

Greys = np.ndarray[Any, np.dtype[np.uint8]]

_SEEN = 12
"""Least difference between the lightest and the darkest of 256 greys that shows letters on their ground."""


def shown(page: pymupdf.Page, spans: Sequence[Span]) -> frozenset[int]:
    """Ids of the spans in whose place the drawn page has ink."""
    return _inked(page, spans, _drawn(page, letters=True))


def shown_beneath(page: pymupdf.Page, spans: Sequence[Span]) -> frozenset[int]:
    """The same of spans beneath a picture: its ink tells, so letters are drawn only if some of the spans lie beneath none.

    A picture may be clipped, and what seemed to lie beneath it be seen.
    """
    inked = _inked(page, spans, _drawn(page, letters=False))
    missing = [span for span in spans if id(span) not in inked]
    return inked | shown(page, missing) if missing else inked


def _drawn(page: pymupdf.Page, *, letters: bool) -> Greys:
    """At 72 dpi, as the page is shown. Straight from the page: a display list would be made to its end first."""
    bounds = mupdf.fz_round_rect(mupdf.fz_bound_page(page.this))
    drawn = mupdf.fz_new_pixmap_with_bbox(mupdf.fz_device_gray(), bounds, mupdf.FzSeparations(), 0)
    mupdf.fz_clear_pixmap_with_value(drawn, 255)
    device = mupdf.fz_new_draw_device(mupdf.FzMatrix(), drawn)
    if not letters:
        # MuPDF passes over what a device has no function for.
        device.m_internal.fill_text = device.m_internal.stroke_text = None
    mupdf.fz_run_page(page.this, device, mupdf.FzMatrix(), mupdf.FzCookie())
    mupdf.fz_close_device(device)
    pixmap = pymupdf.Pixmap("raw", drawn)
    return np.frombuffer(pixmap.samples, dtype=np.uint8).reshape(pixmap.height, pixmap.stride)


def _inked(page: pymupdf.Page, spans: Sequence[Span], grey: Greys) -> frozenset[int]:
    places = _turned(boxes([span["bbox"] for span in spans]), page.rotation_matrix)
    first, last = np.maximum(places[:, :2], 0).astype(int), np.maximum(places[:, 2:], 0).astype(int) + 1
    return frozenset(
        id(span)
        for span, (x0, y0), (x1, y1) in zip(spans, first.tolist(), last.tolist(), strict=True)
        if _contrast(grey[y0:y1, x0:x1]) > _SEEN
    )


def _turned(places: Boxes, matrix: pymupdf.Matrix) -> Boxes:
    """Boxes as the page is shown: by right angles, so corners stay corners."""
    a, b, c, d, e, f = matrix
    x, y = places[:, 0::2], places[:, 1::2]
    across, down = a * x + c * y + e, b * x + d * y + f
    return np.stack([across.min(axis=1), down.min(axis=1), across.max(axis=1), down.max(axis=1)], axis=1)


def _contrast(area: Greys) -> int:
    return int(area.max()) - int(area.min()) if area.size else 0
