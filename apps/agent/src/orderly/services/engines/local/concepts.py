"""The lexicon of legal concepts: matches queries to concepts and measures a passage's evidence of a concept."""

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
"""Phrase weights. A passage's evidence is 1 - product(1 - weight) over the phrases it contains."""

WORDS = 0.25
"""Weight of BM25, relative to the cosine."""
FULL_MATCH = 6.0
"""BM25 score that counts as a full match."""
FLOOR, CERTAIN = 0.40, 0.65
"""Similarity of certainty 0 and of certainty 1."""
SURE, MOSTLY = 0.63, 0.5
"""Similarity, and share of contracts (`contract_detection.contract_share`), from which a concept decides."""
RIVALRY = 0.15
"""Largest similarity gap to the best concept."""
_COMMONPLACE = re.compile(
    r"\b(?:(?:this|the|an|a|any|each|either|one|other|does|do|is|are|may|must|can|party|parties|agreement|contract|document)\b['’]?s?\s*)+",
    re.I,
)

Embed = Callable[[Sequence[str]], NDArray[np.float32]]


@dataclass(frozen=True, slots=True)
class Phrase:
    pattern: re.Pattern[str]
    weight: float


@dataclass(frozen=True, slots=True)
class Concept:
    name: str
    queries: tuple[str, ...]
    """The name and other ways to ask for the concept."""
    phrases: tuple[Phrase, ...]
    opening: bool
    """Whether the clause is expected on the first page."""
    wording: str
    """Queries and strong phrases as plain words, for query expansion."""
    vocabulary: frozenset[str]
    """Stems of the name, the queries and the strong phrases."""

    def matches(self, lower: str) -> Iterator[tuple[int, int, float]]:
        """(offset, phrase index, weight) of every phrase match in a lower-case text."""
        for number, phrase in enumerate(self.phrases):
            for match in phrase.pattern.finditer(lower):
                yield match.start(), number, phrase.weight


def load() -> tuple[Concept, ...]:
    raw = tomllib.loads(resources.files(__package__).joinpath("concepts.toml").read_text(encoding="utf-8"))
    return tuple(
        Concept(
            name=item["name"],
            queries=(item["name"], *item["queries"]),
            phrases=compile_phrases(item["strong"], item["supporting"]),
            opening=item.get("opening", False),
            wording=_plain([*item["queries"][:2], *item["strong"]]),
            vocabulary=frozenset(stems(_plain([item["name"], *item["queries"], *item["strong"]]))),
        )
        for item in raw["concept"]
    )


def _plain(phrases: Sequence[str]) -> str:
    return re.sub(r"[*.]+", " ", " ".join(phrases))


def wording(concepts: Sequence[tuple[Concept, float]]) -> str:
    """Typical wording of the concepts with a weight of at least 1/3."""
    return " ".join(concept.wording for concept, weight in concepts if weight >= 1 / 3)


def compile_phrases(strong: Sequence[str], supporting: Sequence[str]) -> tuple[Phrase, ...]:
    """Compiles phrases to weighted patterns for lower-case text."""
    weighted = [(phrase, STRONG) for phrase in strong] + [(phrase, SUPPORTING) for phrase in supporting]
    return tuple(Phrase(_pattern(phrase), weight) for phrase, weight in weighted)


def evidence(phrases: Sequence[Phrase], lower: str) -> float:
    """0..1: combined weight of the phrases found in a lower-case passage."""
    absent = 1.0
    for phrase in phrases:
        if phrase.pattern.search(lower):
            absent *= 1 - phrase.weight
    return 1 - absent


def _pattern(phrase: str) -> re.Pattern[str]:
    # The two character classes are disjoint, which prevents catastrophic backtracking.
    gap = r"(?:[^\w.;]+\w+){0,8}?[^\w.;]+"
    parts = []
    for part in phrase.split(" .. "):
        words = [re.escape(word[:-1]) + r"\w*" if word.endswith("*") else re.escape(word) for word in part.split()]
        parts.append(r"\s+".join(words))
    body = gap.join(parts)
    return re.compile(rf"(?<!\w){body}" + ("" if phrase.endswith("*") else r"(?!\w)"))


class ConceptFinder:
    """Matches a query to concepts by embedding and BM25. `embed` must return L2-normalised vectors."""

    def __init__(self, embed: Embed) -> None:
        self.concepts = load()
        self._embed = embed
        # Unstripped forms are included, since `strip_commonplace` keeps queries that consist of commonplace words.
        queries = [concept.queries for concept in self.concepts]
        self._vectors = embed([form for one in queries for query in one for form in (strip_commonplace(query), query)])
        self._starts = np.cumsum([0, *(2 * len(one) for one in queries[:-1])])
        self._lexicon = Bm25([stems(" ".join(map(strip_commonplace, concept.queries))) for concept in self.concepts])

    def similarities(self, query: str) -> Scores:
        """Similarity of each concept to the closest part of the query, about 0..1.2."""
        parts = [strip_commonplace(part) for part in content_parts(query)]
        cosines = self._vectors @ self._embed(parts).T
        dense = np.maximum.reduceat(cosines.max(axis=1), self._starts)
        words = self._lexicon.scores(dict.fromkeys((term for part in parts for term in stems(part)), 1.0))
        return np.asarray(dense + WORDS * words / (1e-9 + max(words.max(), FULL_MATCH)), np.float64)

    def find(self, query: str, *, at_most: int = 3, exclude: str = "") -> list[tuple[Concept, float]]:
        """The most similar concepts, best first, with weights that sum to at most 1; may be empty.

        Args:
            query: The query.
            at_most: Number of concepts.
            exclude: Name of a concept to ignore, to measure queries about concepts outside the lexicon.
        """
        similarity = self.similarities(query)
        similarity[[concept.name == exclude for concept in self.concepts]] = -1.0
        best = float(similarity.max())
        order = np.argsort(-similarity, kind="stable")[:at_most]
        weights = [max(0.0, 1 - (best - float(similarity[i])) / RIVALRY) for i in order]
        certainty = min(1.0, max(0.0, (best - FLOOR) / (CERTAIN - FLOOR)))
        return [
            (self.concepts[i], certainty * weight / sum(weights))
            for i, weight in zip(order, weights, strict=True)
            if certainty * weight > 0
        ]


def is_sure(finder: ConceptFinder, query: str, contract_share: float) -> bool:
    """Whether the query surely asks for a concept of the lexicon, in what is mostly contracts."""
    return contract_share >= MOSTLY and float(finder.similarities(query).max()) >= SURE


def strip_commonplace(text: str) -> str:
    """Removes words common to all questions about contracts; unchanged if nothing else would remain."""
    stripped = _COMMONPLACE.sub(" ", text).strip(" ?.,")
    return stripped if stems(stripped) else text
