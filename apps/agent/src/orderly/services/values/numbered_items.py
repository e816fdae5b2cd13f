"""Finds what a numbered item of a reference table says: "Item 8   Rent   $58,500", on one line or on several."""

from __future__ import annotations

import re
from collections.abc import Iterator

from orderly.models import Span

_POINTS = re.compile(r"\bitem[ \t]+(?P<number>\d{1,2}[A-Z]?)\b", re.I)
_LABEL = (
    r"(?:(?P<label>[A-Za-z][^\n:|\t]{1,60}?)(?=[ *]*+[:|\t]|[ *]*?[ ]{2})"  # then a mark or two blanks
    r"[ \t*|:]++(?:\n[ \t*|]*+)?)?"
)
_WORDS = r"(?P<words>[^\s|][^\n]*(?:\n(?!\s*\n|[ \t|*]*(?:item[ \t]+)?\d{1,2}[A-Z]?[.)]?[ \t|]|[ \t|*]*item\b|\[page)[^\n]+)*)"


_RUNS_ON = re.compile(r"(?:^|\n)(?![ \t|*]*item\b)[^\n|]{45,}[^\s.;:|]\s?\n\Z", re.I)
"""A line of a sentence that goes on in the next, which then begins with no item."""
REACH = 300
"""Characters of the line before an item."""


def pointed_items(words: str) -> list[str]:
    """The numbers of the items to which words point, in order: "the party named in Item 2 of the Schedule"."""
    return list(dict.fromkeys(match["number"].upper() for match in _POINTS.finditer(words)))


def numbered_items(text: str, number: str) -> Iterator[Span]:
    """What each item of this number says, without its label."""
    item = re.compile(rf"^[ \t|*]*item[ \t]+{number}(?!\w)[ \t|*.:)]*+(?:\n[ \t|*]*+(?=\S))?{_LABEL}{_WORDS}", re.I | re.M)
    for match in item.finditer(text):
        if _RUNS_ON.search(text[max(0, match.start() - REACH) : match.start()]) or text[match.start("words")].islower():
            continue
        start, end = match.span("words")
        yield start, start + len(text[start:end].rstrip(" \t|*"))
