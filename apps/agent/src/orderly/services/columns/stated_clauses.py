"""Finds the sentences that affirm or deny a subject: an option to renew, a relocation by the landlord."""

from __future__ import annotations

import re
from collections.abc import Sequence

from orderly.models import Span
from orderly.services.columns.finding import Finding
from orderly.services.columns.wording import Wording

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
_WORDINGS = {subject: Wording(name) for subject, name in SUBJECTS.items()}
SHORTEST = 40
"""Characters of a sentence. A heading alone says nothing."""
_ITEM = re.compile(r"\w[ *]*[:|\t][ \t|*]*\w")
"""A label with what it says, however short: "Option: 3 years"."""
MOST = 4
"""Quotations of one finding."""
CONFIDENCE, CONTRADICTED_CONFIDENCE = 0.8, 0.4


def stated_clause(subject: str, text: str, sentences: Sequence[Span]) -> Finding | None:
    """Yes with the sentences that affirm the subject, no with those that deny it; yes, unsettled, if there are both."""
    wording = _WORDINGS[subject]
    affirmed: list[Span] = []
    denied: list[Span] = []
    for start, end in (s for s in sentences if s[1] - s[0] >= SHORTEST or _ITEM.search(text, *s)):
        if wording["denied"].search(text, start, end):
            denied.append((start, end))
        elif wording["affirmed"].search(text, start, end):
            affirmed.append((start, end))
    if affirmed and denied:
        places = (affirmed[0], denied[0], *affirmed[1:], *denied[1:])
        return Finding(True, places[:MOST], CONTRADICTED_CONFIDENCE, settled=False, note="Another sentence denies it.")
    places = (*affirmed, *denied)
    return Finding(bool(affirmed), places[:MOST], CONFIDENCE) if places else None
