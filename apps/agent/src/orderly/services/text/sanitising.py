"""Replaces characters that databases and JSON messages cannot hold."""

from __future__ import annotations

import re

_UNSTORABLE = re.compile("[\0\ud800-\udfff]")


def sanitise_text(text: str) -> str:
    """Replaces NUL and lone surrogates by U+FFFD, one for one, so that offsets stay."""
    if "\0" in text or not _is_encodable(text):
        return _UNSTORABLE.sub("\ufffd", text)
    return text


def _is_encodable(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
