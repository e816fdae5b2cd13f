"""Text turned into outlines: many filled shapes of the size of a letter."""

from __future__ import annotations

from typing import Any

import pymupdf
from pymupdf import mupdf

ENOUGH = 20


def has_drawn_letters(page: pymupdf.Page) -> bool:
    """Stops drawing as soon as it is known: a page of outlines holds thousands."""
    cookie = mupdf.FzCookie()
    shapes = _LetterSizedFills(cookie, lying=page.rotation in (90, 270))
    # Not the page's display list, which would be made to its end first.
    mupdf.fz_run_page(page.this, shapes, mupdf.FzMatrix(), cookie)
    if not cookie.abort():
        mupdf.fz_close_device(shapes)
    return shapes.found >= ENOUGH


class _LetterSizedFills(mupdf.FzDevice2):  # type: ignore[misc]
    """MuPDF calls `fill_path` for every filled shape."""

    def __init__(self, cookie: Any, *, lying: bool) -> None:
        """`lying`: the page is shown turned on its side, and so are its letters."""
        super().__init__()
        self._lying = lying
        self.found = 0
        self._cookie = cookie
        self.use_virtual_fill_path()

    def fill_path(self, context: Any, path: Any, even_odd: Any, ctm: Any, *colour: Any) -> None:
        box = mupdf.ll_fz_bound_path(path, None, ctm)
        width, height = box.x1 - box.x0, box.y1 - box.y0
        if self._lying:
            width, height = height, width
        if 0.5 < width < 40 and 2 < height < 40:
            self.found += 1
            if self.found >= ENOUGH:
                self._cookie.set_abort()
