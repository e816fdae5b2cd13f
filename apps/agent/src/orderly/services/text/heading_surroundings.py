"""What stands above a heading: an unfinished sentence, a title in capitals, a page number."""

from __future__ import annotations

import re

NOT_READ = "\0"
"""Stands in the place of each character of page headers and footers."""

_SPACE = f" \t\n{NOT_READ}"
_PAGE_NUMBER = re.compile(r"\n[ \t]*[-–]?[ \t]*\d{1,3}[ \t]*[-–]?$")


def begins_block(text: str, start: int) -> bool:
    """Whether no unfinished sentence precedes; one does before a cross-reference at a line start ("as set out in")."""
    before = text[max(start - 200, 0) : start].rstrip(" \t")
    above = _PAGE_NUMBER.sub("", before.rstrip(_SPACE)).rstrip(_SPACE)
    return not above or before.endswith("\n\n") or above.endswith((".", ";", ":", "]", ")", "; and", "; or"))


def follows_capitals(text: str, start: int) -> bool:
    """Whether the line above is in capitals, as a chapter's title is."""
    return line_above(text, start).isupper()


def line_above(text: str, start: int) -> str:
    """The last line with words or marks before the line at `start`."""
    return text[max(start - 200, 0) : start].rstrip(_SPACE).rpartition("\n")[2]
