"""Builds text block by block, for formats without page layout."""

from __future__ import annotations

from dataclasses import dataclass, field

from orderly.models import Heading
from orderly.services.text import drop_break_hints


@dataclass(slots=True)
class Blocks:
    headings: list[Heading] = field(default_factory=list)
    _pieces: list[str] = field(default_factory=list)
    _length: int = 0

    @property
    def text(self) -> str:
        return "".join(self._pieces)

    def write(self, text: str, gap: str = "\n\n") -> None:
        """Appends a block after `gap`. Blank blocks are skipped."""
        text = drop_break_hints(text).strip(" \n").replace("\xa0", " ")
        if not text.strip():
            return
        if self._pieces:
            self._pieces.append(gap)
            self._length += len(gap)
        self._pieces.append(text)
        self._length += len(text)

    def write_heading(self, text: str, level: int) -> None:
        before = self._length
        self.write(text)
        if self._length > before:
            title = drop_break_hints(text).strip()
            self.headings.append(Heading(self._length - len(title), self._length, level, None, title))
