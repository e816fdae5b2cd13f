"""Areas covered by a page's opaque pictures, and whether text is drawn after them."""

from __future__ import annotations

from typing import Any

import pymupdf
from pymupdf import mupdf

from orderly.models import Box


def picture_covers(page: pymupdf.Page) -> tuple[list[Box | None], bool]:
    """Returns the area of each picture in drawing order, and whether text is drawn after the first opaque picture.

    Boxes are unrotated and clipped; None for transparent pictures.
    """
    device = _Pictures()
    mupdf.fz_run_page(page.this, device, mupdf.FzMatrix(*page.derotation_matrix), mupdf.FzCookie())
    mupdf.fz_close_device(device)
    return device.covers, device.letters_later


class _Pictures(mupdf.FzDevice2):  # type: ignore[misc]
    """A MuPDF device. A callback costs as much as drawing a word, so text callbacks are enabled only while needed."""

    def __init__(self) -> None:
        super().__init__()
        self.covers: list[Box | None] = []
        self.letters_later = False
        self._first = True
        self.use_virtual_fill_image()

    def fill_image(self, context: Any, image: Any, ctm: Any, alpha: float, *colour: Any) -> None:
        if image.mask or alpha < 1:
            self.covers.append(None)
            return
        if self._first:
            self._first = False
            self._enable_text_callbacks(True)
        whole = mupdf.fz_transform_rect(mupdf.FzRect(mupdf.FzRect.Fixed_UNIT), mupdf.FzMatrix(ctm))
        box = mupdf.fz_intersect_rect(whole, mupdf.fz_device_current_scissor(self))
        self.covers.append((box.x0, box.y0, box.x1, box.y1))

    def _enable_text_callbacks(self, on: bool) -> None:
        self.use_virtual_fill_text(on)
        self.use_virtual_stroke_text(on)
        self.use_virtual_ignore_text(on)

    def fill_text(self, *drawn: Any) -> None:
        self.letters_later = True
        self._enable_text_callbacks(False)

    stroke_text = ignore_text = fill_text
