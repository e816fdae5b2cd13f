"""What a query asks for, apart from the names that only say which document or party is meant."""

from __future__ import annotations

import re

from orderly.services.engines.local.sentences import stems

_NAME = r"[A-Z][\w&.'’/-]*"
_NAMES = re.compile(rf"\b{_NAME}(?:,?\s+(?:of\s+|the\s+|and\s+|&\s+)?{_NAME})+")
_CAPITALISED = re.compile(rf"\b{_NAME}")
_BORDER = re.compile(r"[;:?!\n]+|\.\s")
MOST_PARTS = 5


def content_parts(query: str) -> list[str]:
    """The query's clauses without runs of capitalised names, the fullest last.

    The query itself where nothing else is left, as in one that is a name or is written in capitals throughout.
    """
    parts = [" ".join(_without_names(part).split()) for part in _BORDER.split(query)]
    telling = [part for part in parts if len(stems(part)) >= 2] or [part for part in parts if stems(part)]
    if not telling:
        return [query.strip()]
    return sorted(dict.fromkeys(telling), key=lambda part: len(stems(part)))[-MOST_PARTS:]


def terms(query: str) -> dict[str, float]:
    """Stems of the content parts."""
    return {term: 1.0 for part in content_parts(query) for term in stems(part)}


def _without_names(part: str) -> str:
    # The first word is capitalised in any sentence.
    first = len(part) - len(part.lstrip())
    return part[: first + 1] + _NAMES.sub(" ", part[first + 1 :])


def name_words(query: str) -> list[str]:
    """The capitalised words that can belong to a name, each once: those of runs, and single ones inside a sentence."""
    found: dict[str, None] = {}
    for part in _BORDER.split(query):
        first = part.lstrip()
        for match in _CAPITALISED.finditer(part):
            opens = part[: match.start()].strip() == ""
            run = _NAMES.match(part, match.start()) is not None
            if not opens or run or len(first.split()) == 1:
                found[match.group().strip(".,'’")] = None
    return [word for word in found if word]
