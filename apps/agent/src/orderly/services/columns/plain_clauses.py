"""Finds clauses in plain drafting, which the presence model hardly knows: "You must not work for a competitor"."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

from orderly.models import Span
from orderly.services.columns.finding import Finding
from orderly.services.columns.list_items import matching
from orderly.services.columns.wording import Wording

_WORDING, _DENIED = Wording("plain_clauses"), Wording("denied_clauses")
MOST = 4
"""Quotations of one finding."""
CONFIDENCE = 0.75


def plain_clause(subject: str, text: str, sentences: Sequence[Span]) -> Finding | None:
    """Yes with the sentences that say so; None: no sentence does, which denies nothing."""
    name = subject.replace(" ", "_")
    if name not in _WORDING:
        return None
    stated = dict.fromkeys(chain.from_iterable(matching(_WORDING[name], text, sentences)))
    places = tuple(place for place in stated if not denies(subject, text[slice(*place)]))[:MOST]
    return Finding(True, places, CONFIDENCE) if places else None


def denies(subject: str, words: str) -> bool:
    """Whether a sentence says that there is no such clause: "is not the only supplier"."""
    name = subject.replace(" ", "_")
    return name in _DENIED and _DENIED[name].search(words) is not None
