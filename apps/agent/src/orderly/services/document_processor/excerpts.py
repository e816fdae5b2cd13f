"""Part of a text without pages, to be set on a page of its own."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Excerpt:
    """Part of a text without pages. `marked`: (start, end) in `text`."""

    title: str
    text: str
    marked: tuple[int, int] | None
