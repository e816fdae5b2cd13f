"""The names of files that came with a message, at the end of its text."""

from __future__ import annotations

import re
from collections.abc import Sequence

_NOTE = re.compile(r"(?:(?<!\s)\s++)?\[Attached: (?P<names>[^\n]*)\]\Z")


def with_note(text: str, files: Sequence[str]) -> str:
    return f"{text.strip()}\n\n[Attached: {'; '.join(files)}]".strip()


def split_note(text: str) -> tuple[str, str]:
    """The text without the note, and the names, or ""."""
    found = _NOTE.search(text)
    return (text[: found.start()], found["names"]) if found else (text, "")
