"""Orders passages by how well they answer a query: words, meaning and legal concept together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from orderly.services.engines import Ranked
from orderly.services.engines.local.concepts import Concept, ConceptFinder, Embed, evidence
from orderly.services.engines.local.lexical import Bm25, Scores, z
from orderly.services.engines.local.linear_models import LinearModel, features
from orderly.services.engines.local.queries import content_parts, terms
from orderly.services.engines.local.sentences import folded, sentences, stems

EMBEDDED = 24
"""Passages whose sentences are embedded, chosen by words and concepts; the others count as the least alike of these."""
EMBEDDED_SENTENCES = 2
"""Sentences of each passage that are embedded: whole passages would take about three times as long."""
LONGEST_EMBEDDED = 240
"""Characters of a sentence that are embedded: 600 took 1.4 times as long and ranked no better."""
# A concept that is surely meant outweighs the words. Measured on CUAD, every document by models not trained on it.
LEXICAL, LEXICAL_BESIDE_CONCEPT = 1.0, 0.5
DENSE, DENSE_BESIDE_CONCEPT = 0.8, 0.5
PHRASES, LEARNED = 0.5, 1.5


def rerank(query: str, documents: Sequence[str], finder: ConceptFinder, embed: Embed, recogniser: LinearModel) -> list[Ranked]:
    """Every passage once, best first. Scores: a logistic curve over the joined z-scores."""
    if not documents:
        return []
    wanted = terms(query)
    passages = [Passage.of(document, wanted) for document in documents]
    concepts = finder.of(query)
    certainty = sum(weight for _, weight in concepts)
    lexical = Bm25([stems(document) for document in documents]).scores(wanted)
    total = (LEXICAL + (LEXICAL_BESIDE_CONCEPT - LEXICAL) * certainty) * z(lexical)
    total += certainty * _about(concepts, passages, recogniser)
    chosen = np.sort(np.argsort(-total, kind="stable")[:EMBEDDED])
    dense = np.zeros(len(documents))
    dense[chosen] = _dense(query, [passages[i] for i in chosen], embed)
    dense[np.setdiff1d(np.arange(len(documents)), chosen)] = dense[chosen].min()
    total += (DENSE + (DENSE_BESIDE_CONCEPT - DENSE) * certainty) * z(dense)
    scores = 1 / (1 + np.exp(-total))
    order = np.argsort(-total, kind="stable")
    return [Ranked(index=int(i), score=float(scores[i])) for i in order]


@dataclass(frozen=True, slots=True)
class Passage:
    lower: str
    sentences: list[list[str]]
    """Features of each sentence, as the recogniser takes them."""
    closest: list[str]
    """The sentences with most words of the query."""

    @classmethod
    def of(cls, text: str, wanted: dict[str, float]) -> Passage:
        found = sentences(text)
        parts = [text[s.start : s.end] for s in found]
        scores = Bm25([stems(part) for part in parts]).scores(wanted)
        best = sorted(range(len(parts)), key=lambda i: (-scores[i], i))[:EMBEDDED_SENTENCES]
        described = [features(part, s.heading) for part, s in zip(parts, found, strict=True)]
        return cls(folded(text), described, [parts[i][:LONGEST_EMBEDDED] for i in best])


def _about(concepts: Sequence[tuple[Concept, float]], passages: Sequence[Passage], recogniser: LinearModel) -> Scores:
    """How much each passage speaks of what the query is about: by the lexicon's phrases, and by what was learned."""
    phrases = np.array([sum(w * evidence(c.signs, p.lower) for c, w in concepts) for p in passages])
    named = [(concept.name, weight) for concept, weight in concepts]
    flat = recogniser.evidence(named, [s for p in passages for s in p.sentences])
    learned = np.zeros(len(passages))
    at = 0
    for row, passage in enumerate(passages):
        if passage.sentences:
            learned[row] = flat[at : at + len(passage.sentences)].max()
        at += len(passage.sentences)
    if not flat.any():
        return z(phrases)
    return PHRASES * z(phrases) + LEARNED * z(learned)


def _dense(query: str, passages: Sequence[Passage], embed: Embed) -> Scores:
    """Cosine of the closest sentence of each passage, among those with most words of the query."""
    chosen = [(position, text) for position, passage in enumerate(passages) for text in passage.closest]
    result = np.zeros(len(passages))
    if chosen:
        cosines = (embed([text for _, text in chosen]) @ embed(content_parts(query)).T).max(axis=1)
        for (position, _), cosine in zip(chosen, cosines, strict=True):
            result[position] = max(result[position], float(cosine))
    return result
