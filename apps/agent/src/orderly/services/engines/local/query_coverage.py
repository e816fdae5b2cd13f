"""Measures how much of a question a passage covers: an insurance clause does not answer a question about cyber insurance."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from orderly.services.engines.local.concepts import Concept
from orderly.services.engines.local.lexical import Scores
from orderly.services.engines.local.queries import Embed, content_parts
from orderly.services.engines.local.sentences import content_words, stem

FEATURES = (
    "unsaid_most", "unsaid_rare", "unsaid", "strange_most", "strange", "beyond_concept", "beyond_rare", "unsaid_plainly",
)  # fmt: skip
ALIKE, SAME = 0.35, 0.75
"""Cosines of two words that map to similarity 0 and 1."""
FOREIGN = 0.05
"""A word counts as outside the concepts if the concepts that contain it weigh at most this."""
LONGEST = 700
"""Characters of a passage that are embedded."""


def coverage_features(
    question: str,
    concepts: Sequence[tuple[Concept, float]],
    passage: str,
    surroundings: Sequence[Sequence[str]],
    document: Sequence[Sequence[str]],
    embed: Embed,
) -> Scores:
    """FEATURES, each 0..1; 0 means fully covered.

    `surroundings`: stems of the passage, of its heading, then of its neighbours. `document`: stems of every sentence.
    """
    words = words_of(question)
    if not words:
        return np.zeros(len(FEATURES))
    own = set().union(*surroundings[:2])
    around = set().union(*surroundings)
    said = np.array([word in own for word in words], np.float64)
    near = np.array([word in around for word in words], np.float64)
    similar = _similarity(list(words.values()), content_words(passage[:LONGEST]), embed)
    known = np.array([max((w for concept, w in concepts if word in concept.vocabulary), default=0.0) for word in words])
    counts = np.array([sum(word in sentence for sentence in document) for word in words])
    rarity = np.log1p((len(document) + 0.5) / (counts + 0.5)) / np.log1p((len(document) + 0.5) / 0.5)
    missing = 1 - np.maximum.reduce([near, similar, known])
    beyond = missing * (known <= FOREIGN)
    strange = (1 - np.maximum(said, similar)) * (counts == 0)
    certainty = sum(weight for _, weight in concepts)
    return np.array([
        missing.max(), (missing * rarity).max(), missing.mean(), strange.max(), ((counts == 0) & (known <= FOREIGN)).mean(),
        beyond.max() * certainty, (beyond * rarity).max(), (1 - np.maximum(near, similar)).mean(),
    ])  # fmt: skip


def words_of(question: str) -> dict[str, str]:
    """Stem -> word, of the content words."""
    return {stem(word): word for part in content_parts(question) for word in reversed(content_words(part))}


def _similarity(words: Sequence[str], others: Sequence[str], embed: Embed) -> Scores:
    """0..1 per word: similarity to the closest of `others`."""
    if not others:
        return np.zeros(len(words))
    vectors = embed([*words, *others])
    cosines = (vectors[: len(words)] @ vectors[len(words) :].T).max(axis=1)
    return np.asarray(np.clip((cosines - ALIKE) / (SAME - ALIKE), 0, 1), np.float64)
