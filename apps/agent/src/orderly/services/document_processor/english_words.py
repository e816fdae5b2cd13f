"""Measures how many words of a text are English, to tell a text layer from unmapped glyphs."""

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
class WordStatistics:
    words: int
    """Number of words of two letters or more."""
    known: float
    """Share of these words in the dictionary, 0..1."""
    function: float
    """Share of function words ("the", "of") among all words, 0..1."""
    latin: bool
    """False if most words are in another script, which the dictionary does not cover."""


def measure_words(text: str) -> WordStatistics:
    found = _WORD.findall(text.lower())
    long = [word for word in found if len(word) > 1]
    if not long:
        return WordStatistics(0, 0.0, 0.0, True)
    dictionary = _dictionary()
    return WordStatistics(
        words=len(long),
        known=sum(word in dictionary for word in long) / len(long),
        function=sum(word in _FUNCTION_WORDS for word in found) / len(found),
        latin=sum(word.isascii() for word in long) > len(long) / 2,
    )


def is_word(word: str) -> bool:
    """Whether the dictionary has `word`, in lower case."""
    return word in _dictionary()


@cache
def _dictionary() -> frozenset[str]:
    path = files("orderly.services.document_processor") / "data" / "english_words.txt"
    return frozenset(path.read_text(encoding="ascii").split())
