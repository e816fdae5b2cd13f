"""Reads the items of a list with the words that lead to them: "You must not:" and "(b) hire our staff"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from orderly.models import Span

LONGEST = 1_200
"""Characters of a sentence with its list."""
ITEM = re.compile(r"\s*[(][a-z]{1,4}[)]\s")
LEADS = re.compile(r":\s*\Z")


def matching(pattern: re.Pattern[str], text: str, sentences: Sequence[Span]) -> Iterator[tuple[Span, ...]]:
    """The sentences that match, and each item that matches with the sentence that leads to it."""
    lead: Span | None = None
    for span in sentences:
        start, end = span
        if pattern.search(text[start:end]):
            lead = None  # its items say no more about the subject
            yield (span,)
        elif lead is not None and ITEM.match(text, start, end) and end - lead[0] <= LONGEST:
            if pattern.search(f"{LEADS.sub(' ', text[slice(*lead)])}{ITEM.sub('', text[start:end], count=1)}"):
                yield lead, span
        else:
            lead = span if LEADS.search(text, start, end) else None
