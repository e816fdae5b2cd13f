"""Which opaque pictures a page lays down, and whether letters follow: cheap, for letters before them are passed over."""

from __future__ import annotations

from typing import Any

import pymupdf
from pymupdf import mupdf

from orderly.models import Box


def opaque_pictures(page: pymupdf.Page) -> tuple[list[Box], bool]:
    """Their boxes, as if the page had no /Rotate; and whether any letters are drawn after the first of them."""
    seen = _Pictures()
    mupdf.fz_run_page(page.this, seen, mupdf.FzMatrix(*page.derotation_matrix), mupdf.FzCookie())
    mupdf.fz_close_device(seen)
    return seen.boxes, seen.letters_later


class _Pictures(mupdf.FzDevice2):  # type: ignore[misc]
    """MuPDF calls the methods that are switched on; a call costs as much as drawing a word, so none is on without need."""

    def __init__(self) -> None:
        super().__init__()
        self.boxes: list[Box] = []
        self.letters_later = False
        self.use_virtual_fill_image()

    def fill_image(self, context: Any, image: Any, ctm: Any, alpha: float, *colour: Any) -> None:
        if image.mask or alpha < 1:
            return
        box = mupdf.fz_transform_rect(mupdf.FzRect(mupdf.FzRect.Fixed_UNIT), mupdf.FzMatrix(ctm))
        if not self.boxes:
            self._watch_letters(True)
        self.boxes.append((box.x0, box.y0, box.x1, box.y1))

    def _watch_letters(self, on: bool) -> None:
        self.use_virtual_fill_text(on)
        self.use_virtual_stroke_text(on)
        self.use_virtual_ignore_text(on)

    def fill_text(self, *drawn: Any) -> None:
        self.letters_later = True
        self._watch_letters(False)

    stroke_text = ignore_text = fill_text
