"""Which words are known: those of contracts, and those of the lexicon."""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import cache

from orderly.services.engines.local.clause_types import standard_types
from orderly.services.engines.local.concepts import load
from orderly.services.engines.local.sentences import stems
from orderly.services.engines.local.word_vectors import closeness, known_stems

ALIKE = 0.6
"""Cosine from which two words mean nearly the same."""
SHORTEST = 5
"""Letters of a word that names a subject."""


def is_alike(stem: str, others: Collection[str], *, least: float = ALIKE) -> bool:
    """Whether a stem means nearly the same as one of the others."""
    return closeness(stem, others) >= least


def is_known_word(word: str) -> bool:
    """Whether contracts have the word, or another form of it."""
    return all(stem in known_stems() for stem in stems(word))


@cache
def lexicon_words() -> frozenset[str]:
    """Words of the names of concepts and clause types, and of the ways to ask for them."""
    phrases = [*standard_types(), *(query for concept in load() for query in concept.queries)]
    words = re.findall(r"[a-z]+", " ".join(phrases).lower())
    return frozenset(word for word in words if len(word) >= SHORTEST and is_known_word(word))
