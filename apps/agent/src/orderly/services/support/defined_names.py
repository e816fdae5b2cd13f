"""Parties by the names that their agreement defines: "Acme" of a sentence and "the Supplier" of its quotation are one."""

from __future__ import annotations

import re
from functools import lru_cache

from orderly.services.values import find_parties

_SHORTEST = 4
"""Letters of the beginning of a party's name that may stand for it."""
_FIRST = re.compile(r"[^\W\d_][\w&’'-]*")

_FAMILY_NAME = re.compile(
    r"[A-Z][\w’'-]+(?:\s+[A-Z][\w.’'-]*){0,2}\s+(?!(?:Ltd|Limited|Inc|LLC|LLP|Corp|Corporation|Company|Trust|Bank|Group|Holdings|Partners)\b)"
    r"(?P<last>[A-Z][\w’'-]{2,})"
)
"""A person's name."""


def as_defined(statement: str, quoted: str, before: str) -> str:
    """The sentence with defined names in place of parties' names, where the quotation uses the defined ones.

    `before`: the beginning of the document, where its parties are defined.
    """
    for name, defined in _defined(before):
        first = _FIRST.match(name)
        if first is None or len(first[0]) < _SHORTEST or re.search(rf"\b{re.escape(first[0])}\b", quoted, re.IGNORECASE):
            continue
        if re.search(rf"\b{re.escape(defined)}\b", quoted, re.IGNORECASE):
            last = _FAMILY_NAME.fullmatch(name)
            family = rf"|(?:(?:Ms|Mr|Mrs|Miss|Dr)\.?\s+)?{re.escape(last['last'])}" if last else ""
            written = rf"\b(?:{re.escape(name)}|{re.escape(first[0])}{family})(?!\w)(?!['’]s?\s+{re.escape(defined)})"
            statement = re.sub(written, defined, statement)
    return statement


@lru_cache(maxsize=64)
def _defined(before: str) -> tuple[tuple[str, str], ...]:
    return tuple((party.name, party.defined_as) for party in find_parties(before) if party.defined_as)
