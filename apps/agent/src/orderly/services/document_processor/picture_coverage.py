"""What a page's pictures cover, and whether letters follow: cheap, for letters before the pictures are passed over."""

from __future__ import annotations

from typing import Any

import pymupdf
from pymupdf import mupdf

from orderly.models import Box


def covers(page: pymupdf.Page) -> tuple[list[Box | None], bool]:
    """What each picture covers, in the order of drawing, and whether letters are drawn after the first that covers anything.

    Boxes are as if the page had no /Rotate, and end where the picture is cropped; None: what lies beneath is seen through it.
    """
    seen = _Pictures()
    mupdf.fz_run_page(page.this, seen, mupdf.FzMatrix(*page.derotation_matrix), mupdf.FzCookie())
    mupdf.fz_close_device(seen)
    return seen.covers, seen.letters_later


class _Pictures(mupdf.FzDevice2):  # type: ignore[misc]
    """MuPDF calls the methods that are switched on; a call costs as much as drawing a word, so none is on without need."""

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
            self._watch_letters(True)
        whole = mupdf.fz_transform_rect(mupdf.FzRect(mupdf.FzRect.Fixed_UNIT), mupdf.FzMatrix(ctm))
        box = mupdf.fz_intersect_rect(whole, mupdf.fz_device_current_scissor(self))
        self.covers.append((box.x0, box.y0, box.x1, box.y1))

    def _watch_letters(self, on: bool) -> None:
        self.use_virtual_fill_text(on)
        self.use_virtual_stroke_text(on)
        self.use_virtual_ignore_text(on)

    def fill_text(self, *drawn: Any) -> None:
        self.letters_later = True
        self._watch_letters(False)

    stroke_text = ignore_text = fill_text
