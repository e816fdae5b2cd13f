"""Separates the content of a query from names of documents and parties, and from words of every question."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from orderly.services.engines.local.sentences import stems

_NAME = r"[A-Z][\w&.'’/-]*"
_NAMES = re.compile(rf"\b{_NAME}(?:,?\s+(?:of\s+|the\s+|and\s+|&\s+)?{_NAME})+")
_CAPITALISED = re.compile(rf"\b{_NAME}")
_CLAUSE_END = re.compile(r"[;:?!\n]+|\.\s")
MOST_PARTS = 5
_COMMONPLACE = re.compile(
    r"\b(?:(?:this|the|an|a|any|each|either|one|other|does|do|is|are|may|must|can|party|parties|agreement|contract|document)\b['’]?s?\s*)+",
    re.I,
)

Embed = Callable[[Sequence[str]], NDArray[np.float32]]
"""Returns one vector of length 1 for each text."""


def content_parts(query: str) -> list[str]:
    """At most MOST_PARTS clauses of the query without capitalised names, ordered by number of stems.

    Returns the query itself if nothing else remains, e.g. if it is a name or in capitals.
    """
    parts = [" ".join(_without_names(part).split()) for part in _CLAUSE_END.split(query)]
    content = [part for part in parts if len(stems(part)) >= 2] or [part for part in parts if stems(part)]
    if not content:
        return [query.strip()]
    return sorted(dict.fromkeys(content), key=lambda part: len(stems(part)))[-MOST_PARTS:]


def terms(query: str) -> dict[str, float]:
    """Stems of the content parts, each with weight 1."""
    return {term: 1.0 for part in content_parts(query) for term in stems(part)}


def _without_names(part: str) -> str:
    # The first word of a sentence is always capitalised.
    first = len(part) - len(part.lstrip())
    return part[: first + 1] + _NAMES.sub(" ", part[first + 1 :])


def name_words(query: str) -> list[str]:
    """Distinct capitalised words that may be part of a name: words in runs, and single words within a sentence."""
    found: dict[str, None] = {}
    for part in _CLAUSE_END.split(query):
        first = part.lstrip()
        for match in _CAPITALISED.finditer(part):
            is_first = part[: match.start()].strip() == ""
            run = _NAMES.match(part, match.start()) is not None
            if not is_first or run or len(first.split()) == 1:
                found[match.group().strip(".,'’")] = None
    return [word for word in found if word]


def strip_commonplace(text: str) -> str:
    """Removes words common to all questions about contracts; unchanged if nothing else would remain."""
    stripped = _COMMONPLACE.sub(" ", text).strip(" ?.,")
    return stripped if stems(stripped) else text
