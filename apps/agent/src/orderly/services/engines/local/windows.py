"""Divides a text into spans that fit the embedding window."""

from __future__ import annotations

import math
from collections.abc import Sequence

OVERLAP = 20
"""Word pieces shared by adjacent windows, so that one window holds a whole phrase at the boundary."""


def cover(words: Sequence[tuple[int, int, int]], size: int, overlap: int = OVERLAP) -> list[tuple[int, int]]:
    """Spans of about equal length with at most `size` word pieces that cover every word. Words are never split.

    `words`: (start, end, number of word pieces). `size` must be at least 100, the tokenizer's limit per word.
    """
    total = sum(pieces for _, _, pieces in words)
    if total <= size:
        return [(words[0][0], words[-1][1])] if words else []
    count = math.ceil((total - overlap) / (size - overlap))
    wanted = math.ceil((total + (count - 1) * overlap) / count)
    spans: list[tuple[int, int]] = []
    first = 0
    while True:
        last = _reach(words, first, wanted, size)
        spans.append((words[first][0], words[last - 1][1]))
        if last == len(words):
            return spans
        first = _step_back(words, first, last, overlap)


def _reach(words: Sequence[tuple[int, int, int]], first: int, wanted: int, size: int) -> int:
    """Index after the last word of the window that begins at `first`."""
    pieces, last = words[first][2], first + 1
    while last < len(words) and pieces < wanted and pieces + words[last][2] <= size:
        pieces += words[last][2]
        last += 1
    return last


def _step_back(words: Sequence[tuple[int, int, int]], first: int, last: int, overlap: int) -> int:
    """Index of the first word of the next window: up to `overlap` pieces before `last`, but after `first`."""
    start, shared = last, 0
    while start - 1 > first and shared + words[start - 1][2] <= overlap:
        start -= 1
        shared += words[start][2]
    return start
