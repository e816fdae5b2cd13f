"""Follows what a sentence leaves to another place: an item of the schedule, or a term that is defined elsewhere."""

from __future__ import annotations

import re
from collections.abc import Iterator

from orderly.models import Span
from orderly.services.values import numbered_items, pointed_items

_TO_BRACKET = re.compile(r"(?P<words>[^\s.;][^\n.;]{20,}\S)\s*\Z")
LONGEST = 600
"""Characters of the words before a name in brackets."""
MOST_OF_LABEL = 100
"""Characters."""
_TERM = re.compile(r"\b(?:the|its|his|her|your|our|such|that|this)\s+(?P<name>[A-Z][\w’'-]*(?:\s(?:of\s)?[A-Z][\w’'-]*){0,3})")
_WORDS = r"(?P<words>[^\n]{4,600}(?:\n(?-i:(?=[a-z(]))[^\n]{1,300}){0,6})"


def referred(text: str, start: int, end: int) -> Iterator[Span]:
    """What the items and the defined terms say that the words at [start, end) name, in this order."""
    words = text[start:end]
    for number in pointed_items(words):
        yield from numbered_items(text, number)
    for name in dict.fromkeys(" ".join(match["name"].split()) for match in _TERM.finditer(words)):
        yield from said_under(text, name)


def said_under(text: str, name: str) -> Iterator[Span]:
    """What stands behind a name as a label, or in its definition; else the words to which brackets give the name."""
    term = re.escape(name).replace(r"\ ", r"\s+")
    label = rf"^[ \t|*]*(?:(?:(?:item[ \t]*)?\d{{1,2}}(?:\.\d+)*|[A-Z])[.:)]?[ \t]+)?[“\"]?{term}[”\"]?"
    border = r"[ \t*]*(?:[:|\t]\s?|[ ]{2}|\s(?:means|is)\s)[ \t*|:]*"
    yield from (found.span("words") for found in re.finditer(label + border + _WORDS, text, re.M | re.I))
    for named in re.finditer(rf"\((?:[^()\n]{{0,40}}[“\"]{term}[”\"]|(?:the\s)?{term})\)", text):
        before = _TO_BRACKET.search(text, max(0, named.start() - LONGEST), named.start())
        if before is not None:
            yield before.span("words")


def with_label(text: str, span: Span) -> Span:
    """What an item says, from the beginning of its line, where its label or the defined term stands."""
    line = text.rfind("\n", 0, span[0]) + 1
    line += len(text[line : span[0]]) - len(text[line : span[0]].lstrip(" \t|*"))
    return (line if span[0] - line <= MOST_OF_LABEL else span[0]), span[1]
