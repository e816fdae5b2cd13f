"""The names of files that came with a message, at the end of its text."""

from __future__ import annotations

from collections.abc import Sequence

_OPENING = "[Attached: "


def with_note(text: str, files: Sequence[str]) -> str:
    return f"{text.strip()}\n\n{_OPENING}{'; '.join(files)}]".strip()


def split_note(text: str) -> tuple[str, str]:
    """The text without the note, and the names, or ""."""
    at = text.find(_OPENING, text.rfind("\n") + 1)
    return (text[:at].rstrip(), text[at + len(_OPENING) : -1]) if at >= 0 and text.endswith("]") else (text, "")
