"""Reranks passages for a query by BM25, embeddings and legal concepts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from orderly.services.engines import Ranked
from orderly.services.engines.local.concepts import Concept, ConceptFinder, Embed, evidence
from orderly.services.engines.local.lexical import Bm25, Scores, z_scores
from orderly.services.engines.local.linear_models import LinearModel, features
from orderly.services.engines.local.queries import content_parts, terms
from orderly.services.engines.local.sentences import fold_case, sentences, stems

EMBEDDED = 24
"""Passages embedded per query, selected by BM25 and concepts. The others get the lowest cosine of these."""
EMBEDDED_SENTENCES = 2
"""Sentences embedded per passage; embedding whole passages takes about three times as long."""
LONGEST_EMBEDDED = 240
"""Characters embedded per sentence; 600 took 1.4 times as long and ranked no better."""
# A certain concept reduces the other weights. Fitted on CUAD by cross-validation.
LEXICAL, LEXICAL_BESIDE_CONCEPT = 1.0, 0.5
DENSE, DENSE_BESIDE_CONCEPT = 0.8, 0.5
PHRASES, LEARNED = 0.5, 1.5


def rerank(query: str, documents: Sequence[str], finder: ConceptFinder, embed: Embed, recogniser: LinearModel) -> list[Ranked]:
    """Ranks every passage, best first. Score: logistic function of the weighted sum of z-scores."""
    if not documents:
        return []
    wanted = terms(query)
    passages = [Passage.of(document, wanted) for document in documents]
    concepts = finder.find(query)
    certainty = sum(weight for _, weight in concepts)
    lexical = Bm25([stems(document) for document in documents]).scores(wanted)
    total = (LEXICAL + (LEXICAL_BESIDE_CONCEPT - LEXICAL) * certainty) * z_scores(lexical)
    total += certainty * _concept_scores(concepts, passages, recogniser)
    chosen = np.sort(np.argsort(-total, kind="stable")[:EMBEDDED])
    dense = np.zeros(len(documents))
    dense[chosen] = _dense(query, [passages[i] for i in chosen], embed)
    dense[np.setdiff1d(np.arange(len(documents)), chosen)] = dense[chosen].min()
    total += (DENSE + (DENSE_BESIDE_CONCEPT - DENSE) * certainty) * z_scores(dense)
    scores = 1 / (1 + np.exp(-total))
    order = np.argsort(-total, kind="stable")
    return [Ranked(index=int(i), score=float(scores[i])) for i in order]


@dataclass(frozen=True, slots=True)
class Passage:
    lower: str
    sentences: list[list[str]]
    """Input features of the recogniser, per sentence."""
    closest: list[str]
    """The sentences with the best BM25 for the query."""

    @classmethod
    def of(cls, text: str, wanted: dict[str, float]) -> Passage:
        found = sentences(text)
        parts = [text[s.start : s.end] for s in found]
        scores = Bm25([stems(part) for part in parts]).scores(wanted)
        best = sorted(range(len(parts)), key=lambda i: (-scores[i], i))[:EMBEDDED_SENTENCES]
        described = [features(part, s.heading) for part, s in zip(parts, found, strict=True)]
        return cls(fold_case(text), described, [parts[i][:LONGEST_EMBEDDED] for i in best])


def _concept_scores(concepts: Sequence[tuple[Concept, float]], passages: Sequence[Passage], recogniser: LinearModel) -> Scores:
    """Evidence of the query's concepts per passage, by the lexicon's phrases and by the recogniser."""
    phrases = np.array([sum(w * evidence(c.phrases, p.lower) for c, w in concepts) for p in passages])
    named = [(concept.name, weight) for concept, weight in concepts]
    flat = recogniser.evidence(named, [s for p in passages for s in p.sentences])
    learned = np.zeros(len(passages))
    at = 0
    for row, passage in enumerate(passages):
        if passage.sentences:
            learned[row] = flat[at : at + len(passage.sentences)].max()
        at += len(passage.sentences)
    if not flat.any():
        return z_scores(phrases)
    return PHRASES * z_scores(phrases) + LEARNED * z_scores(learned)


def _dense(query: str, passages: Sequence[Passage], embed: Embed) -> Scores:
    """Best cosine per passage, over its `closest` sentences."""
    chosen = [(position, text) for position, passage in enumerate(passages) for text in passage.closest]
    result = np.zeros(len(passages))
    if chosen:
        cosines = (embed([text for _, text in chosen]) @ embed(content_parts(query)).T).max(axis=1)
        for (position, _), cosine in zip(chosen, cosines, strict=True):
            result[position] = max(result[position], float(cosine))
    return result
