"""Passages cut to the words that are nearest to a query."""

from __future__ import annotations

import re

CUT_CHARACTERS = 200
"""Characters of a cut passage."""

_WORD = re.compile(r"[^\W_]{3,}")
_STEM = 5
"""Letters by which words are compared."""
_BEGINS = re.compile(r"\n\s*|[.;:]\s+(?=\S)")
"""What stands before a sentence, a line or an item."""


def cut_to(query: str, text: str, size: int = CUT_CHARACTERS) -> str:
    """The `size` characters of `text` that hold most words of `query`, from word to word; "…" marks what is left out."""
    if len(text) <= size:
        return text
    wanted = {_stem(word) for word in _WORD.findall(query)}
    words = [(m.start(), _stem(m[0])) for m in _WORD.finditer(text)]
    starts = [0, *(start for start, stem in words if stem in wanted)]
    begin = max(starts, key=lambda at: (len({s for p, s in words if at <= p < at + size and s in wanted}), -at))
    end = begin + size
    if end >= len(text):
        begin, end = len(text) - size, len(text)
    begin = begin if begin == 0 else text.rfind(" ", 0, begin + 1) + 1
    end = end if end == len(text) else max(text.rfind(" ", begin, end), begin + size // 2)
    return f"{'… ' if begin else ''}{text[begin:end].strip()}{' …' if end < len(text) else ''}"


def telling_beginning(query: str, text: str, size: int) -> str:
    """At most `size` characters of `text`, from the sentence or line on with which most words of `query` are shown; "..." marks
    what is left out behind them.
    """
    if len(text) <= size:
        return text
    wanted = {_stem(word) for word in _WORD.findall(query)}
    starts = [0, *(match.end() for match in _BEGINS.finditer(text))]
    held = [len(wanted & {_stem(word) for word in _WORD.findall(text, at, at + size)}) for at in starts]
    first = held.index(max(held))
    if first:  # from where the words are, so that what follows them is shown too
        first = max(n for n, at in enumerate(starts) if held[n] == held[first] and at < starts[first] + size)
    shown = text[starts[first] :]
    return shown if len(shown) <= size else shown[:size].rsplit(" ", 1)[0] + "..."


def _stem(word: str) -> str:
    return word.lower()[:_STEM]
