"""Text that any database and any message can hold."""

from __future__ import annotations

import re

_UNSTORABLE = re.compile("[\0\ud800-\udfff]")


def storable(text: str) -> str:
    """NUL and half surrogate pairs as U+FFFD: nobody stores them. One sign for one keeps the offsets."""
    if "\0" in text or not _encodes(text):
        return _UNSTORABLE.sub("\ufffd", text)
    return text


def _encodes(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
