"""Words of a page by position: captions, text inside a box, signature lines."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal

from orderly.models import Box, Page

CAPTION_DISTANCE = 36.0
"""Most points between a figure and its caption."""

MAX_WORDS_CHARS = 1_000
"""Most characters returned for a box."""

_CAPTION = re.compile(
    r"\s*(fig(ure|\.)|table|plan|map|diagram|drawing|chart|graph|exhibit|schedule|annexure|photo(graph)?|plate|sheet|image)\b",
    re.IGNORECASE,
)
_SIGNATURE = re.compile(r"/s/|^\s*(signed|signature|by:|name:|witness(ed)?\b|executed by|in witness whereof)", re.IGNORECASE)
_STAMP = re.compile(r"\b(received|filed|certified|stamp|seal|notary|duty paid|lodged)\b", re.IGNORECASE)


class PageWords:
    """Looks up the lines of one page by position."""

    def __init__(self, text: str, page: Page) -> None:
        self.page = page
        self._lines = [(line.box, text[line.start : line.end].strip(), line.running) for line in page.lines]

    @property
    def heading(self) -> str:
        """The first line of the page that is no page header."""
        return next((words for _, words, running in self._lines if words and not running), "")[:200]

    def inside(self, box: Box) -> str:
        return " ".join(words for place, words, _ in self._lines if _contains_centre(box, place))[:MAX_WORDS_CHARS]

    def beside(self, box: Box) -> str:
        """Text inside the box or within `CAPTION_DISTANCE` of it."""
        x0, y0, x1, y1 = box
        return self.inside((x0 - CAPTION_DISTANCE, y0 - CAPTION_DISTANCE, x1 + CAPTION_DISTANCE, y1 + CAPTION_DISTANCE))

    def caption(self, box: Box, *, loose: bool) -> str:
        """The caption near the box. `loose`: accepts any short line directly below if no line begins like a caption."""
        x0, y0, x1, y1 = box
        near = [
            (place, words)
            for place, words, running in self._lines
            if words
            and not running
            and place[0] < x1
            and place[2] > x0
            and y0 - CAPTION_DISTANCE <= place[3]
            and place[1] <= y1 + CAPTION_DISTANCE
        ]
        outside = [(place, words) for place, words in near if not _contains_centre(box, place)]
        named = [words for _, words in [*outside, *near] if _CAPTION.match(words)]
        below = [words for place, words in outside if loose and 0 <= place[1] - y1 <= CAPTION_DISTANCE / 2 and len(words) < 120]
        return (named or below or [""])[0][:300]

    def kind_beside(
        self, box: Box, kind: Literal["picture", "drawing", "table"]
    ) -> Literal["picture", "drawing", "table", "signature", "stamp"]:
        """Reclassifies a small picture or drawing as signature or stamp by the words in and near it."""
        if kind == "table" or box[2] - box[0] > 220 or box[3] - box[1] > 160:
            return kind
        around = self.beside(box)
        if _STAMP.search(self.inside(box)):
            return "stamp"
        if _SIGNATURE.search(around) or any(
            _SIGNATURE.search(words) for place, words, _ in self._lines if _is_near(box, place)
        ):
            return "signature"
        return "stamp" if _STAMP.search(around) else kind

    def signature_lines(self) -> Iterator[Box]:
        """Yields one box around all lines that belong to a signature block, if any."""
        places = [place for place, words, _ in self._lines if _SIGNATURE.search(words)]
        if places:
            yield (
                min(p[0] for p in places),
                min(p[1] for p in places),
                max(p[2] for p in places),
                max(p[3] for p in places),
            )


def _contains_centre(box: Box, place: Box) -> bool:
    """Whether the centre of `place` lies in `box`."""
    x, y = (place[0] + place[2]) / 2, (place[1] + place[3]) / 2
    return box[0] <= x <= box[2] and box[1] <= y <= box[3]


def _is_near(box: Box, place: Box) -> bool:
    return place[3] >= box[1] - CAPTION_DISTANCE and place[1] <= box[3] + CAPTION_DISTANCE
