"""Drafts: the text for others that a model writes in a fence, ```draft … ```."""

from __future__ import annotations

import re

from orderly.models import Span

DRAFT = "draft"
_LINE = re.compile(r"^[ \t]*(?P<fence>`{3,}|~{3,})[ \t]*(?P<language>\w*)[ \t]*$", re.MULTILINE | re.IGNORECASE)


def draft_fences(text: str, *, is_open: bool = False) -> tuple[list[Span], list[Span], bool]:
    """Finds the drafts of a text.

    Args:
        text: An answer, or a part of it.
        is_open: Whether a draft was open where the text begins.

    Returns:
        The spans of drafts without their fences, those of the lines of their fences, and whether a draft is open at the end.
    """
    drafts: list[Span] = []
    lines: list[Span] = []
    other = ""
    start = 0
    for match in _LINE.finditer(text):
        if is_open:
            if not match["language"]:
                drafts.append((start, match.start()))
                lines.append(match.span())
                is_open = False
        elif other:
            other = "" if match["fence"] == other and not match["language"] else other
        elif match["language"].lower() == DRAFT:
            lines.append(match.span())
            is_open, start = True, match.end() + 1
        else:
            other = match["fence"]
    if is_open:
        drafts.append((start, len(text)))
    return drafts, lines, is_open


def without_fences(text: str, lines: list[Span]) -> str:
    """The text, as long as before, with other signs on the lines of drafts' fences, so that what they hold is read as text."""
    for start, end in lines:
        text = text[:start] + re.sub(r"[`~]", "·", text[start:end]) + text[end:]
    return text
