"""The standing of a quotation in an answer, read from the words under which it is shown.

A line that says "likely, not confirmed" or "nearest, not confirmed" gives its quotations that standing; if a colon ends it,
the list or quotation below it too. Every other quotation is shown as the answer. So the record says what the reader sees.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

Standing = Literal["answer", "likely", "nearest"]

ORDER: tuple[Standing, ...] = ("answer", "likely", "nearest")
"""Strongest first."""

LIKELY_HEADING = "Likely, not confirmed:"
NEAREST_HEADING = "Nearest passages, not confirmed as an answer:"
"""The headings of tool results and reports; below them, quotations have that standing."""

_MARK = re.compile(r"\b(?P<standing>likely|nearest)\b[^.:“”\"\n]{0,40}\bnot confirmed\b", re.IGNORECASE)
_HEADING_END = re.compile(r":[*_ \t]*\Z")
_BELONGS_TO_HEADING = re.compile(r"[ \t]*(?:[-*•|>“\"«]|\d{1,3}[.)]\s|\Z)|[ \t]{2,}")
"""Beginning of a line that continues what a heading introduced: list item, table row, quotation, indented or empty line."""


@dataclass(slots=True)
class StandingReader:
    """Follows an answer from piece to piece. Stateful."""

    _held: Standing = "answer"
    """Standing by the last heading."""
    _line: str = ""
    """Beginning of the line that the next piece continues."""

    def at(self, piece: str, offset: int) -> Standing:
        """The standing of a quotation that begins at `offset` of the next piece."""
        held, line = self._after(piece[:offset])
        return _of_line(line, held)

    def add(self, piece: str) -> None:
        """Moves on behind a piece."""
        self._held, self._line = self._after(piece)

    def _after(self, piece: str) -> tuple[Standing, str]:
        *complete, line = (self._line + piece).split("\n")
        held = self._held
        for earlier in complete:
            marked = _marked(earlier)
            if marked and _HEADING_END.search(earlier):
                held = marked
            elif not _BELONGS_TO_HEADING.match(earlier):
                held = "answer"
        return held, line


def _of_line(line: str, held: Standing) -> Standing:
    return _marked(line) or (held if _BELONGS_TO_HEADING.match(line) else "answer")


def _marked(line: str) -> Standing | None:
    match = _MARK.search(line)
    if match is None:
        return None
    return "likely" if match["standing"].lower() == "likely" else "nearest"


def stronger(one: Standing, other: Standing) -> Standing:
    """The stronger of two standings: words shown as the answer and again below are the answer."""
    return min(one, other, key=ORDER.index)
