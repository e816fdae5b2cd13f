"""Excerpts of documents without pages, drawn as pictures."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Excerpt:
    """Part of a text without pages. `marked`: the highlighted span in `text`."""

    title: str
    text: str
    marked: tuple[int, int] | None
