"""Finds the clause that speaks of a subject where no value can be read from it: a term that runs from a day not stated."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from orderly.models import Span
from orderly.services.columns.governing_law import names_no_place
from orderly.services.columns.wording import Wording, phrase

_DATES, _TERM = Wording("contract_dates"), Wording("term")
BEGINNING = 200
"""Characters of a sentence in which it names the agreement or its term, if it states how long that lasts."""


def unread_clause(subject: str, text: str, sentences: Sequence[Span]) -> Span | None:
    """The first sentence that speaks of the subject; None if there is none, or if rules have no wording for it."""
    match subject:
        case "term and expiry":
            return next((span for span in sentences if states_term(text[slice(*span)])), None)
        case "effective date":
            return next((span for span in sentences if _DATES["effective_means"].search(text, *span)), None)
        case "governing law":
            return next((span for span in sentences if names_no_place(text[slice(*span)])), None)
        case _:
            return None


def states_term(words: str) -> bool:
    """Whether a sentence says how long an agreement lasts: "shall terminate five years after the Effective Date"."""
    if _TERM["other"].search(words):
        return False
    starts = (match.start() for match in _statement().finditer(words))
    return any(start <= BEGINNING and not _TERM["condition"].search(words[:start]) for start in starts)


@cache
def _statement() -> re.Pattern[str]:
    parts = {name: pattern.pattern for name, pattern in _TERM.items()}
    return phrase("(?:{agreement})(?:{between})(?:(?:{runs})(?:{time})|(?:{ends})(?:{moment}))".format(**parts))
