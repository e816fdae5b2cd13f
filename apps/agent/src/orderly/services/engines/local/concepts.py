"""Legal concepts: which one a question is about, and how strongly a passage speaks of it."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib import resources

import numpy as np
from numpy.typing import NDArray

from orderly.services.engines.local.lexical import Bm25, Scores
from orderly.services.engines.local.queries import content_parts
from orderly.services.engines.local.sentences import stems

STRONG = 0.7
SUPPORTING = 0.25
"""Weight of a phrase; a passage's evidence is 1 - product(1 - weight) over the phrases that stand in it."""

WORDS = 0.25
"""Weight of shared words beside the cosine."""
FULL_MATCH = 6.0
"""BM25 score that counts as full agreement in words."""
FLOOR, CERTAIN = 0.40, 0.65
"""Likeness below which a concept is not meant, and above which it surely is."""
RIVALRY = 0.15
"""How far behind the best a concept may be to count beside it."""
_COMMONPLACE = re.compile(
    r"\b(?:(?:this|the|an|a|any|each|either|one|other|does|do|is|are|may|must|can|party|parties|agreement|contract|document)\b['’]?s?\s*)+",
    re.I,
)

Embed = Callable[[Sequence[str]], NDArray[np.float32]]


@dataclass(frozen=True, slots=True)
class Sign:
    pattern: re.Pattern[str]
    weight: float


@dataclass(frozen=True, slots=True)
class Concept:
    name: str
    asks: tuple[str, ...]
    signs: tuple[Sign, ...]
    opening: bool
    """Expected on the first page."""
    wording: str
    """Its phrases as plain words."""
    vocabulary: frozenset[str]
    """Stems of what it is asked for and written in."""

    def matches(self, lower: str) -> Iterator[tuple[int, int, float]]:
        """(offset, which sign, weight) of every phrase in a lower-case text."""
        for number, sign in enumerate(self.signs):
            for match in sign.pattern.finditer(lower):
                yield match.start(), number, sign.weight


def load() -> tuple[Concept, ...]:
    raw = tomllib.loads(resources.files(__package__).joinpath("concepts.toml").read_text(encoding="utf-8"))
    return tuple(
        Concept(
            name=item["name"],
            asks=(item["name"], *item["asks"]),
            signs=signs_of(item["strong"], item["signs"]),
            opening=item.get("opening", False),
            wording=_plain([*item["asks"][:2], *item["strong"]]),
            vocabulary=frozenset(stems(_plain([item["name"], *item["asks"], *item["strong"]]))),
        )
        for item in raw["concept"]
    )


def _plain(phrases: Sequence[str]) -> str:
    return re.sub(r"[*.]+", " ", " ".join(phrases))


def wording(concepts: Sequence[tuple[Concept, float]]) -> str:
    """Words in which clauses of these concepts are written; of one meant less surely than a third, none."""
    return " ".join(concept.wording for concept, weight in concepts if weight >= 1 / 3)


def signs_of(strong: Sequence[str], supporting: Sequence[str]) -> tuple[Sign, ...]:
    """Phrases as patterns for lower-case text, with their weights."""
    weighted = [(phrase, STRONG) for phrase in strong] + [(phrase, SUPPORTING) for phrase in supporting]
    return tuple(Sign(_pattern(phrase), weight) for phrase, weight in weighted)


def evidence(signs: Sequence[Sign], lower: str) -> float:
    """0..1: how much of a lower-case passage's wording points to what the signs stand for."""
    absent = 1.0
    for sign in signs:
        if sign.pattern.search(lower):
            absent *= 1 - sign.weight
    return 1 - absent


def _pattern(phrase: str) -> re.Pattern[str]:
    # The two classes share no character, so that the pattern cannot backtrack without end.
    gap = r"(?:[^\w.;]+\w+){0,8}?[^\w.;]+"
    parts = []
    for part in phrase.split(" .. "):
        words = [re.escape(word[:-1]) + r"\w*" if word.endswith("*") else re.escape(word) for word in part.split()]
        parts.append(r"\s+".join(words))
    body = gap.join(parts)
    return re.compile(rf"(?<!\w){body}" + ("" if phrase.endswith("*") else r"(?!\w)"))


class ConceptFinder:
    """Matches a question to concepts by meaning and by rare words. `embed` gives normalised vectors."""

    def __init__(self, embed: Embed) -> None:
        self.concepts = load()
        self._embed = embed
        # As they stand too: a question that consists of commonplace words keeps them.
        asks = [form for concept in self.concepts for ask in concept.asks for form in (_bare(ask), ask)]
        self._vectors = embed(asks)
        counts = [2 * len(concept.asks) for concept in self.concepts]
        self._starts = np.cumsum([0, *counts[:-1]])
        self._lexicon = Bm25([stems(" ".join(map(_bare, concept.asks))) for concept in self.concepts])

    def similarities(self, query: str) -> Scores:
        """Likeness of every concept to the closest part of the query: about 0 to 1.2."""
        parts = [_bare(part) for part in content_parts(query)]
        cosines = self._vectors @ self._embed(parts).T
        dense = np.maximum.reduceat(cosines.max(axis=1), self._starts)
        words = self._lexicon.scores(dict.fromkeys((term for part in parts for term in stems(part)), 1.0))
        return np.asarray(dense + WORDS * words / (1e-9 + max(words.max(), FULL_MATCH)), np.float64)

    def of(self, query: str, *, at_most: int = 3, without: str = "") -> list[tuple[Concept, float]]:
        """The likeliest concepts with weights that sum to 1 at most, best first; none where nothing is alike.

        `without`: the name of a concept to leave out, which shows how questions fare that the lexicon does not know.
        """
        similarity = self.similarities(query)
        similarity[[concept.name == without for concept in self.concepts]] = -1.0
        best = float(similarity.max())
        order = np.argsort(-similarity, kind="stable")[:at_most]
        weights = [max(0.0, 1 - (best - float(similarity[i])) / RIVALRY) for i in order]
        certainty = min(1.0, max(0.0, (best - FLOOR) / (CERTAIN - FLOOR)))
        return [
            (self.concepts[i], certainty * weight / sum(weights))
            for i, weight in zip(order, weights, strict=True)
            if certainty * weight > 0
        ]


def _bare(text: str) -> str:
    """Without the words that every question about a contract has; unchanged where nothing else would be left."""
    bare = _COMMONPLACE.sub(" ", text).strip(" ?.,")
    return bare if stems(bare) else text
