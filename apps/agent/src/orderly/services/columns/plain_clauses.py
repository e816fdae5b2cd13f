"""Finds clauses in plain drafting, which the presence model hardly knows: "You must not work for a competitor"."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

from orderly.models import Span
from orderly.services.columns.finding import Finding
from orderly.services.columns.list_items import matching
from orderly.services.columns.wording import load

_WORDINGS = load("plain_clauses")
SUBJECTS = {name.replace("_", " "): name for name in _WORDINGS}
"""Wording by the subject of a column."""
MOST = 4
"""Quotations of one finding."""
SURE = 0.75
"""Confidence."""


def plain_clause(subject: str, text: str, sentences: Sequence[Span]) -> Finding | None:
    """Yes with the sentences that say so; None: no sentence does, which denies nothing."""
    if subject not in SUBJECTS:
        return None
    pattern = _WORDINGS[SUBJECTS[subject]]
    places = tuple(dict.fromkeys(chain.from_iterable(matching(pattern, text, sentences))))[:MOST]
    return Finding(True, places, SURE) if places else None
