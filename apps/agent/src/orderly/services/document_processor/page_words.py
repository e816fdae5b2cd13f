"""The words of a page by their place: captions, what stands inside a box, and lines for signatures."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal

from orderly.models import Box, Page

NEAR = 36.0
"""Points from a figure to its caption."""

MOST_WORDS = 1_000
"""Characters kept of what stands inside a box."""

_CAPTION = re.compile(
    r"\s*(fig(ure|\.)|table|plan|map|diagram|drawing|chart|graph|exhibit|schedule|annexure|photo(graph)?|plate|sheet|image)\b",
    re.IGNORECASE,
)
_SIGNING = re.compile(r"/s/|^\s*(signed|signature|by:|name:|witness(ed)?\b|executed by|in witness whereof)", re.IGNORECASE)
_STAMPED = re.compile(r"\b(received|filed|certified|stamp|seal|notary|duty paid|lodged)\b", re.IGNORECASE)


class PageWords:
    def __init__(self, text: str, page: Page) -> None:
        self.page = page
        self._lines = [(line.box, text[line.start : line.end].strip(), line.running) for line in page.lines]

    @property
    def heading(self) -> str:
        """The first line of the page that is not a running head."""
        return next((words for _, words, running in self._lines if words and not running), "")[:200]

    def inside(self, box: Box) -> str:
        return " ".join(words for place, words, _ in self._lines if _holds(box, place))[:MOST_WORDS]

    def beside(self, box: Box) -> str:
        """Inside the box or next to it."""
        x0, y0, x1, y1 = box
        return self.inside((x0 - NEAR, y0 - NEAR, x1 + NEAR, y1 + NEAR))

    def caption(self, box: Box, *, loose: bool) -> str:
        """A line that begins like a caption, below the box or above it; `loose`: else the short line right below it."""
        x0, y0, x1, y1 = box
        near = [
            (place, words)
            for place, words, running in self._lines
            if words and not running and place[0] < x1 and place[2] > x0 and y0 - NEAR <= place[3] and place[1] <= y1 + NEAR
        ]
        outside = [(place, words) for place, words in near if not _holds(box, place)]
        named = [words for _, words in [*outside, *near] if _CAPTION.match(words)]
        below = [words for place, words in outside if loose and 0 <= place[1] - y1 <= NEAR / 2 and len(words) < 120]
        return (named or below or [""])[0][:300]

    def kind_beside(
        self, box: Box, kind: Literal["picture", "drawing", "table"]
    ) -> Literal["picture", "drawing", "table", "signature", "stamp"]:
        """A small picture or drawing among the lines for signing is a signature; one that says received or seal, a stamp."""
        if kind == "table" or box[2] - box[0] > 220 or box[3] - box[1] > 160:
            return kind
        around = self.beside(box)
        if _STAMPED.search(self.inside(box)):
            return "stamp"
        if _SIGNING.search(around) or any(_SIGNING.search(words) for place, words, _ in self._lines if _near(box, place)):
            return "signature"
        return "stamp" if _STAMPED.search(around) else kind

    def signature_lines(self) -> Iterator[Box]:
        """Where the page is signed, or is to be: the lines that say so as one box."""
        places = [place for place, words, _ in self._lines if _SIGNING.search(words)]
        if places:
            yield (
                min(p[0] for p in places),
                min(p[1] for p in places),
                max(p[2] for p in places),
                max(p[3] for p in places),
            )


def _holds(box: Box, place: Box) -> bool:
    """Whether the middle of `place` lies in `box`."""
    x, y = (place[0] + place[2]) / 2, (place[1] + place[3]) / 2
    return box[0] <= x <= box[2] and box[1] <= y <= box[3]


def _near(box: Box, place: Box) -> bool:
    return place[3] >= box[1] - NEAR and place[1] <= box[3] + NEAR
