"""Finds spans that are visible as ink in the drawn page. Draws as little as possible, since drawing is expensive."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pymupdf
from pymupdf import mupdf

from orderly.services.document_processor.covered_text import Boxes, TextSpan, box_array

Greys = np.ndarray[Any, np.dtype[np.uint8]]

_MIN_CONTRAST = 12
"""Least difference between the lightest and darkest grey, of 256, at which text is visible."""


def has_ink(page: pymupdf.Page) -> bool:
    """Whether anything is visible on the page."""
    return _contrast(_as_array(_render_grey(page, letters=True))) > _MIN_CONTRAST


def draw_pictures(page: pymupdf.Page, area: pymupdf.Rect, zoom: float) -> pymupdf.Pixmap:
    """Draws an area of the page in grey as displayed, without the page's letters."""
    return _render_grey(page, letters=False, zoom=zoom, area=area)


def spans_with_ink(page: pymupdf.Page, spans: Sequence[TextSpan]) -> frozenset[int]:
    """Ids (`id()`) of the spans in whose box the drawn page has ink."""
    return _select_inked(page, spans, _as_array(_render_grey(page, letters=True)))


def spans_with_ink_under_pictures(page: pymupdf.Page, spans: Sequence[TextSpan]) -> frozenset[int]:
    """Ids of the spans under pictures in whose box the page has ink.

    Draws pictures only. Spans without ink are checked again with text drawn, since a clipped picture may leave them visible.
    """
    inked = _select_inked(page, spans, _as_array(_render_grey(page, letters=False)))
    missing = [span for span in spans if id(span) not in inked]
    return inked | spans_with_ink(page, missing) if missing else inked


def grounds(page: pymupdf.Page, spans: Sequence[TextSpan]) -> list[tuple[int, int]]:
    """The darkest and the lightest grey in the boxes of the spans, on the page drawn without letters."""
    grey = _as_array(_render_grey(page, letters=False))
    areas = [grey[y0:y1, x0:x1] for x0, y0, x1, y1 in _pixels(page, spans)]
    return [(int(area.min()), int(area.max())) if area.size else (0, 255) for area in areas]


def _render_grey(page: pymupdf.Page, *, letters: bool, zoom: float = 1.0, area: pymupdf.Rect | None = None) -> pymupdf.Pixmap:
    """Draws the page in grey at 72 dpi times `zoom`. Without a display list, which would be built completely first."""
    whole = mupdf.FzRect(*area) if area else mupdf.fz_bound_page(page.this)
    scale = mupdf.fz_scale(zoom, zoom)
    bounds = mupdf.fz_round_rect(mupdf.fz_transform_rect(whole, scale))
    drawn = mupdf.fz_new_pixmap_with_bbox(mupdf.fz_device_gray(), bounds, mupdf.FzSeparations(), 0)
    mupdf.fz_clear_pixmap_with_value(drawn, 255)
    device = mupdf.fz_new_draw_device(scale, drawn)
    if not letters:
        # MuPDF skips operations that a device does not implement.
        device.m_internal.fill_text = device.m_internal.stroke_text = None
    mupdf.fz_run_page(page.this, device, mupdf.FzMatrix(), mupdf.FzCookie())
    mupdf.fz_close_device(device)
    return pymupdf.Pixmap("raw", drawn)


def _as_array(pixmap: pymupdf.Pixmap) -> Greys:
    return np.frombuffer(pixmap.samples, dtype=np.uint8).reshape(pixmap.height, pixmap.stride)


def _select_inked(page: pymupdf.Page, spans: Sequence[TextSpan], grey: Greys) -> frozenset[int]:
    return frozenset(
        id(span)
        for span, (x0, y0, x1, y1) in zip(spans, _pixels(page, spans), strict=True)
        if _contrast(grey[y0:y1, x0:x1]) > _MIN_CONTRAST
    )


def _pixels(page: pymupdf.Page, spans: Sequence[TextSpan]) -> list[tuple[int, int, int, int]]:
    """The pixels of the spans in the page drawn at 72 dpi."""
    places = _rotate_boxes(box_array([span["bbox"] for span in spans]), page.rotation_matrix)
    first, last = np.maximum(places[:, :2], 0).astype(int), np.maximum(places[:, 2:], 0).astype(int) + 1
    return [(x0, y0, x1, y1) for (x0, y0), (x1, y1) in zip(first.tolist(), last.tolist(), strict=True)]


def _rotate_boxes(places: Boxes, matrix: pymupdf.Matrix) -> Boxes:
    """Rotates boxes by the page's rotation, a multiple of 90 degrees."""
    a, b, c, d, e, f = matrix
    x, y = places[:, 0::2], places[:, 1::2]
    across, down = a * x + c * y + e, b * x + d * y + f
    return np.stack([across.min(axis=1), down.min(axis=1), across.max(axis=1), down.max(axis=1)], axis=1)


def _contrast(area: Greys) -> int:
    return int(area.max()) - int(area.min()) if area.size else 0
