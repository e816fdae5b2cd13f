"""What a document tells of its events, in the order of their days."""

from __future__ import annotations

import re

from orderly.models import Span
from orderly.services.engines.local import sentences
from orderly.services.values import find_dates

MOST_EVENTS = 30
"""Sentences of one chronology."""
LEAST_WORDS = 6
"""Words of a sentence that tells of an event."""
LONGEST = 1_200
"""Characters of a sentence; what is longer is a table or a list."""
_ASKS = re.compile(
    r"\b(?:chronology|chronologies|time ?lines?|(?:sequence|order|history) of (?:the |all )?(?:\w+ )?(?:events|facts|dealings)"
    r"|what happened,? (?:and )?when(?!\s+\w)"
    r"|(?:events|facts|happened|dates)\b[^.?]{0,60}\b(?:in )?(?:chronological|date) order"
    r"|(?:key|important|relevant|all(?: the)?) dates)\b",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W\d_]{2,}")


def asks_chronology(question: str) -> bool:
    """Whether a question asks for what happened, in order."""
    return _ASKS.search(question) is not None


def dated_sentences(text: str) -> list[Span]:
    """Sentences that state a day, earliest first; those of one day in the order of the text.

    A sentence stands at its first day. Of more than `MOST_EVENTS`, the first ones of the text are kept.
    """
    found = []
    for sentence in sentences(text):
        words = text[sentence.start : sentence.end]
        if len(words) > LONGEST or len(_WORD.findall(words)) < LEAST_WORDS:
            continue
        if day := next((d.date for d in find_dates(words) if d.date is not None), None):
            found.append((day, sentence.start, sentence.end))
    return [(start, end) for _, start, end in sorted(found[:MOST_EVENTS])]
