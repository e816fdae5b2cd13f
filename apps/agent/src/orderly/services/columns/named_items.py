"""Reads what clauses leave to an item with a name of its own: "leases the Farm", "begins on the Opening Date"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from orderly.models import Span
from orderly.services.columns.finding import Finding
from orderly.services.columns.wording import load
from orderly.services.values import DateValue

_WORDING = load("named_items")
SURE = 0.75
"""Confidence."""


def leased_item(text: str, sentences: Sequence[Span]) -> Finding | None:
    """The item that describes what is leased, with the sentence that names it."""
    for span in sentences:
        for said in _said(text, span, "leased"):
            return Finding(" ".join(text[slice(*said)].split()), (said, span), SURE)
    return None


def starting_date(text: str, sentences: Sequence[Span], dates: Sequence[DateValue]) -> tuple[DateValue, Span] | None:
    """The date that stands beside the name of the day on which a term begins, and the sentence that names it."""
    for span in sentences:
        for start, end in _said(text, span, "starts"):
            for value in dates:
                if start <= value.start and value.end <= end:
                    return value, span
    return None


def _said(text: str, sentence: Span, wording: str) -> Iterator[Span]:
    """What the items say that bear the name in a sentence."""
    if match := _WORDING[wording].search(text, *sentence):
        name = re.escape(next(filter(None, match.groups())))
        label = rf"^[ \t|*]*(?:(?:(?:item[ \t]*)?\d{{1,2}}|[A-Z])[.:)]?[ \t]+)?[“\"]?{name}[”\"]?"
        item = re.compile(rf"{label}[ \t*]*(?:[:|\t]|[ ]{{2}}|\smeans\s)[ \t*|:]*(?P<words>[^\n]{{8,600}})", re.M | re.I)
        yield from (found.span("words") for found in item.finditer(text))
