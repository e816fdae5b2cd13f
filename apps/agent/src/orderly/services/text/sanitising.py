"""Replaces characters that databases and JSON messages cannot hold."""

from __future__ import annotations

import re

_UNSTORABLE = re.compile("[\0\ud800-\udfff]")


_BREAK_HINTS = re.compile("[\u00ad\u200b\u2060\ufeff]")
"""Soft hyphen, space of no width, word joiner."""


def sanitise_text(text: str) -> str:
    """Replaces NUL and lone surrogates by U+FFFD, one for one, so that offsets stay."""
    if "\0" in text or not _is_encodable(text):
        return _UNSTORABLE.sub("\ufffd", text)
    return text


def drop_break_hints(text: str) -> str:
    """Leaves out signs that only allow or forbid a line break: nobody sees them, and a search for the word misses them."""
    return text if text.isascii() else _BREAK_HINTS.sub("", text)


def _is_encodable(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
