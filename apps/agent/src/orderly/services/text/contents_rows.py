"""Rows of a table of contents: a heading with its page number behind dots or a gap."""

from __future__ import annotations

import re

from orderly.services.text.heading_titles import LONG_TITLE

_ROW_CHARS = 250
_LEADERS = ("....", ". . . .")
"""Dots between a heading and its page number."""
_PAGE_NUMBER = re.compile(r"(?:\.[ .]{3,}\d{0,3}|…+ *\d{0,3}|(?:\t|[ ]{2,})[ \t]*\d{1,3}|\t[ivx]{1,6})[ \t]*$")


def is_contents_row(text: str, start: int) -> bool:
    """Whether the line ends in a page number after dots or a gap."""
    end = text.find("\n", start)
    end = len(text) if end < 0 else end
    return end - start <= _ROW_CHARS and _PAGE_NUMBER.search(text, max(start, end - 12), end) is not None


def has_leaders(text: str, start: int) -> bool:
    """Whether dots follow within the length of a title."""
    return any(text.find(dots, start, start + LONG_TITLE) >= 0 for dots in _LEADERS)
