"""Excerpts of documents without pages, drawn as pictures."""

from __future__ import annotations

from dataclasses import dataclass

MOST_AROUND, MOST_LINES = 900, 14
"""Characters and lines on each side of the marked words. A higher picture is too small to read on a printed page."""
CUT = "… "


@dataclass(frozen=True, slots=True)
class Excerpt:
    """Part of a text without pages. `marked`: the highlighted span in `text`."""

    title: str
    text: str
    marked: tuple[int, int] | None

    def around_mark(self) -> Excerpt:
        """The excerpt without what stands far from the marked words; dots show where it is cut."""
        if self.marked is None:
            return self
        start, end = self.marked
        before = _nearest(self.text[:start][::-1])[::-1]
        after = _nearest(self.text[end:])
        before = CUT + before.lstrip() if len(before) < start else before
        after = f"{after.rstrip()} {CUT.strip()}" if len(after) < len(self.text) - end else after
        marked = len(before), len(before) + end - start
        return Excerpt(self.title, before + self.text[start:end] + after, marked)


def _nearest(text: str) -> str:
    """The beginning of a text: whole words, at most MOST_LINES lines."""
    lines = text.split("\n")
    near = "\n".join(lines[:MOST_LINES])
    if len(near) <= MOST_AROUND:
        return near
    cut = near[:MOST_AROUND]
    return cut[: max(cut.rfind(" "), cut.rfind("\n"), 0)] or cut
