"""Finds the sentences that affirm or deny a subject: an option to renew, a relocation by the landlord."""

from __future__ import annotations

from collections.abc import Sequence

from orderly.models import Span
from orderly.services.columns.finding import Finding
from orderly.services.columns.wording import load

SUBJECTS = {
    "automatic renewal": "automatic_renewal",
    "option to renew": "option_to_renew",
    "outgoings": "outgoings",
    "relocation": "relocation",
    "demolition": "demolition",
    "return or destruction": "return_or_destruction",
    "compelled disclosure": "compelled_disclosure",
    "guarantors": "guarantors",
}
"""Wording by subject."""
_WORDINGS = {subject: load(name) for subject, name in SUBJECTS.items()}
SHORTEST = 40
"""Characters of a sentence."""
MOST = 4
"""Quotations of one finding."""
SURE, CONTRADICTED = 0.8, 0.4
"""Confidence."""


def stated_clause(subject: str, text: str, sentences: Sequence[Span]) -> Finding | None:
    """Yes with the sentences that affirm the subject, no with those that deny it; yes, unsettled, if there are both."""
    wording = _WORDINGS[subject]
    affirmed: list[Span] = []
    denied: list[Span] = []
    for start, end in (s for s in sentences if s[1] - s[0] >= SHORTEST):  # a heading alone says nothing
        if wording["denied"].search(text, start, end):
            denied.append((start, end))
        elif wording["affirmed"].search(text, start, end):
            affirmed.append((start, end))
    if affirmed and denied:
        places = (affirmed[0], denied[0], *affirmed[1:], *denied[1:])
        return Finding(True, places[:MOST], CONTRADICTED, settled=False, note="Another sentence denies it.")
    places = (*affirmed, *denied)
    return Finding(bool(affirmed), places[:MOST], SURE) if places else None
