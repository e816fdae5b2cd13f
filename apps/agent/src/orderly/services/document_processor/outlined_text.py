"""Detects text converted to outlines: many filled shapes of the size of letters."""

from __future__ import annotations

from typing import Any

import pymupdf
from pymupdf import mupdf

MIN_SHAPES = 20
"""Letter-sized shapes from which a page counts as outlined text."""


def has_outlined_text(page: pymupdf.Page) -> bool:
    """Whether the page has outlined text. Interprets the page only until enough shapes are found."""
    cookie = mupdf.FzCookie()
    shapes = _LetterSizedFills(cookie, sideways=page.rotation in (90, 270))
    # Run the page directly: a display list would be built completely first.
    mupdf.fz_run_page(page.this, shapes, mupdf.FzMatrix(), cookie)
    if not cookie.abort():
        mupdf.fz_close_device(shapes)
    return shapes.found >= MIN_SHAPES


class _LetterSizedFills(mupdf.FzDevice2):  # type: ignore[misc]
    """A MuPDF device that counts filled shapes; MuPDF calls `fill_path` for each of them."""

    def __init__(self, cookie: Any, *, sideways: bool) -> None:
        """`sideways`: the page is displayed rotated by 90 degrees, so width and height are swapped."""
        super().__init__()
        self._sideways = sideways
        self.found = 0
        self._cookie = cookie
        self.use_virtual_fill_path()

    def fill_path(self, context: Any, path: Any, even_odd: Any, ctm: Any, *colour: Any) -> None:
        box = mupdf.ll_fz_bound_path(path, None, ctm)
        width, height = box.x1 - box.x0, box.y1 - box.y0
        if self._sideways:
            width, height = height, width
        if 0.5 < width < 40 and 2 < height < 40:
            self.found += 1
            if self.found >= MIN_SHAPES:
                self._cookie.set_abort()
