"""Blots out the numbers that every fifth line has in the margin of Bills, by-laws and pleadings."""

from __future__ import annotations

import re

_MARGIN = re.compile(r"^(\d{0,2}[05])[ \t](?=\S)", re.MULTILINE)
_USUAL = (55, 60, 65)
"""Numbers that a page or two of numbered lines has, but for one that may be missing."""

_MAX_STEP = 15
"""A number may be missing beside a blank line or a heading."""

_MIN_NUMBERS = 5


def without_line_numbers(text: str) -> str:
    """The text with blanks in the place of the numbers, so that "95 2. Enact" begins with "2."; of the same length."""
    if sum(f"\n{number}\t" in text or f"\n{number} " in text for number in _USUAL) < len(_USUAL) - 1:
        return text
    run: list[re.Match[str]] = []
    for match in _MARGIN.finditer(text):
        if not run or 0 < int(match[1]) - int(run[-1][1]) <= _MAX_STEP:
            run.append(match)
    if len(run) < _MIN_NUMBERS:
        return text
    kept: list[str] = []
    end = 0
    for match in run:
        kept += (text[end : match.start(1)], " " * len(match[1]))
        end = match.end(1)
    return "".join((*kept, text[end:]))
