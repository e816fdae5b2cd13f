"""Finds the legal concepts that a query asks for: by the lexicon, and by what was learned from many ways to ask."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from importlib import resources

import numpy as np
from numpy.typing import NDArray

from orderly.services.engines.local import question_subjects
from orderly.services.engines.local.concepts import Concept, load
from orderly.services.engines.local.lexical import Bm25, Scores
from orderly.services.engines.local.queries import Embed, content_parts, strip_commonplace
from orderly.services.engines.local.sentences import stems

WORDS = 0.25
"""Weight of BM25, relative to the cosine."""
FULL_MATCH = 6.0
"""BM25 score that counts as a full match."""
VECTORS = "concept_vectors.npz"
"""Vectors of `asked_forms`, made by evals/concept_vectors.py: to embed them takes most of a second."""
FLOOR, CERTAIN = 0.40, 0.65
"""Similarity of certainty 0 and of certainty 1."""
DECISIVE_SIMILARITY, DECISIVE_SHARE = 0.63, 0.5
"""Similarity, and share of contracts (`contract_detection.contract_share`), from which a concept decides."""
MOST = 3
"""Concepts of one query."""
RIVALRY = 0.15
"""Largest similarity gap to the best concept."""
LEARNED_SHARE, LEAST_WEIGHT, LEAST_CERTAINTY = 0.3, 0.05, 0.5
"""Share of the learned subjects in the weights of a question's concepts, the least weight, and the probability of a subject and
certainty of a concept from which they count. The share was chosen on half of the contracts' questions in three wordings, and
checked on the other half."""


def asked_forms(concepts: Sequence[Concept]) -> list[str]:
    """Two forms of each way to ask for each concept. The unstripped ones keep queries that consist of commonplace words."""
    return [form for concept in concepts for query in concept.queries for form in (strip_commonplace(query), query)]


def stored_vectors() -> NDArray[np.float32]:
    """Array (forms, width) in the order of `asked_forms`, L2-normalised."""
    with resources.files(__package__).joinpath(VECTORS).open("rb") as file, np.load(file) as stored:
        return np.asarray(stored["distinct"][stored["rows"]], np.float32)


class ConceptFinder:
    """Matches a query to concepts by embedding and BM25. `embed` must return L2-normalised vectors."""

    def __init__(self, embed: Embed) -> None:
        self.concepts = load()
        self._embed = embed
        queries = [concept.queries for concept in self.concepts]
        self._vectors = stored_vectors()
        self._starts = np.cumsum([0, *(2 * len(one) for one in queries[:-1])])
        self._lexicon = Bm25([stems(" ".join(map(strip_commonplace, concept.queries))) for concept in self.concepts])

    def similarities(self, query: str) -> Scores:
        """Similarity of each concept to the closest part of the query, about 0..1.2."""
        parts = [strip_commonplace(part) for part in content_parts(query)]
        cosines = self._vectors @ self._embed(parts).T
        dense = np.maximum.reduceat(cosines.max(axis=1), self._starts)
        words = self._lexicon.scores(dict.fromkeys((term for part in parts for term in stems(part)), 1.0))
        return np.asarray(dense + WORDS * words / (1e-9 + max(words.max(), FULL_MATCH)), np.float64)

    def find(self, query: str, *, exclude: str = "") -> list[tuple[Concept, float]]:
        """The most similar concepts, best first, with weights that sum to at most 1; may be empty.

        Args:
            query: The query.
            exclude: Name of a concept to ignore, to measure queries about concepts outside the lexicon.
        """
        similarity = self.similarities(query)
        similarity[[concept.name == exclude for concept in self.concepts]] = -1.0
        best = float(similarity.max())
        order = np.argsort(-similarity, kind="stable")[:MOST]
        weights = [max(0.0, 1 - (best - float(similarity[i])) / RIVALRY) for i in order]
        certainty = min(1.0, max(0.0, (best - FLOOR) / (CERTAIN - FLOOR)))
        return [
            (self.concepts[i], certainty * weight / sum(weights))
            for i, weight in zip(order, weights, strict=True)
            if certainty * weight > 0
        ]

    def of_question(self, question: str, *, exclude: str = "") -> list[tuple[Concept, float]]:
        """Like `find`, weighed with the subjects that were learned from many ways to ask (`question_subjects`)."""
        found = self.find(question, exclude=exclude)
        learned = self._learned(question)
        if not learned:
            return found
        weights: dict[str, float] = defaultdict(float)
        for concept, weight in found:
            weights[concept.name] += (1 - LEARNED_SHARE) * weight
        for name, probability in learned:
            weights[name] += LEARNED_SHARE * probability
        known = {concept.name: concept for concept in self.concepts if concept.name != exclude}
        best = sorted(weights, key=lambda name: -weights[name])
        return [(known[name], weights[name]) for name in best if name in known and weights[name] > LEAST_WEIGHT]

    def is_sure(self, question: str, contract_share: float) -> bool:
        """Whether the question surely asks for a concept of the lexicon, in what is mostly contracts."""
        if contract_share < DECISIVE_SHARE:
            return False
        if float(self.similarities(question).max()) >= DECISIVE_SIMILARITY:
            return True
        return bool(self._learned(question)) and sum(weight for _, weight in self.of_question(question)) >= LEAST_CERTAINTY

    def _learned(self, question: str) -> list[tuple[str, float]]:
        """The learned subjects if the best is likely: doubtful ones must not outweigh a rare word of the question."""
        found = question_subjects.load().find(question, self._embed)
        return found if found and found[0][1] >= LEAST_CERTAINTY else []
