"""Whether letters make words: tells a text layer from glyph soup. Knows English only."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

_WORD = re.compile(r"[^\W\d_]+")
_FUNCTION_WORDS = frozenset(
    (
        "the", "of", "and", "to", "in", "a", "or", "for", "any", "be", "by", "this", "that", "shall", "with", "is",
        "as", "on", "not", "such", "other", "from", "at", "which", "an", "all", "its", "if", "it", "will", "may", "are",
        "has", "have", "no", "under",
    )
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Reading:
    words: int
    """Words of two letters and more."""
    known: float
    """Share of them that stand in the dictionary, 0..1."""
    function: float
    """Share of all words that hold a sentence together ("the", "of"), 0..1."""
    latin: bool
    """False where most letters are of another script, about which the dictionary knows nothing."""


def read(text: str) -> Reading:
    found = _WORD.findall(text.lower())
    long = [word for word in found if len(word) > 1]
    if not long:
        return Reading(0, 0.0, 0.0, True)
    dictionary = _dictionary()
    return Reading(
        words=len(long),
        known=sum(word in dictionary for word in long) / len(long),
        function=sum(word in _FUNCTION_WORDS for word in found) / len(found),
        latin=sum(word.isascii() for word in long) > len(long) / 2,
    )


def knows(word: str) -> bool:
    """`word` in lower case."""
    return word in _dictionary()


@cache
def _dictionary() -> frozenset[str]:
    path = files("orderly.services.document_processor") / "data" / "english_words.txt"
    return frozenset(path.read_text(encoding="ascii").split())
