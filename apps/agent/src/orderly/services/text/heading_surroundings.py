"""What stands around a number: above it an unfinished sentence, a title in capitals or a page number; beside it an address."""

from __future__ import annotations

import re

NOT_READ = "\0"
"""Stands in the place of each character of page headers and footers."""

_SPACE = f" \t\n{NOT_READ}"
_PAGE_NUMBER = re.compile(r"\n[ \t]*[-–]?[ \t]*\d{1,3}[ \t]*[-–]?$")

_ADDRESS = re.compile(
    r"\b(?:Street|Road|Avenue|Ave|Drive|Blvd|Boulevard|Lane|Suite|Floor|Square|Parkway|Plaza|Court|Highway|St|Rd|Dr)\b"
)
_QUANTITY = re.compile(
    r"(?:days?|weeks?|months?|years?|hours?|percent|per cent|dollars?|shares|u\.s\.c|c\.f\.r|usc|cfr)\b", re.IGNORECASE
)


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


def is_no_heading(text: str, start: int, title: str | None) -> bool:
    """Whether the number before `start`, without a full stop, belongs to an address, a quantity or a row of a table."""
    end = text.find("\n", start)
    line = text[start : min(len(text) if end < 0 else end, start + 80)]
    alone = title is not None and (title.isupper() or len(line.strip()) <= len(title) + 1)
    return not alone or _QUANTITY.match(line) is not None or _ADDRESS.search(line) is not None
