"""Reads what clauses leave to an item with a name of its own: "leases the Farm", "begins on the Opening Date"."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from orderly.models import Span
from orderly.services.columns.finding import Finding
from orderly.services.columns.references import said_under
from orderly.services.columns.wording import Wording
from orderly.services.values import DateValue

_WORDING = Wording("named_items")
CONFIDENCE = 0.75


def leased_item(text: str, sentences: Sequence[Span]) -> Finding | None:
    """The item that describes what is leased, with the sentence that names it."""
    for span in sentences:
        for said in _said(text, span, "leased"):
            return Finding(" ".join(text[slice(*said)].split()), (said, span), CONFIDENCE)
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
        yield from said_under(text, next(filter(None, match.groups())))
