"""Orders passages by how well they answer a query: words, meaning and legal concept together."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from orderly.services.engine import Ranked
from orderly.services.local_engine.concepts import ConceptFinder, Embed, evidence
from orderly.services.local_engine.lexical import Bm25, Scores, z
from orderly.services.local_engine.query import content_parts, terms
from orderly.services.local_engine.text import folded, sentences, stems

EMBEDDED_SENTENCES = 2
"""Sentences of each passage that are embedded: whole passages would take about three times as long."""
LONGEST_EMBEDDED = 240
"""Characters of a sentence that are embedded: 600 took 1.4 times as long and ranked no better."""
# Measured on 321 questions about 30 CUAD contracts; a concept that is surely meant outweighs the words.
LEXICAL, LEXICAL_BESIDE_CONCEPT = 1.0, 0.5
DENSE, DENSE_BESIDE_CONCEPT = 0.8, 0.5


def rerank(query: str, documents: Sequence[str], finder: ConceptFinder, embed: Embed) -> list[Ranked]:
    """Every passage once, best first. Scores: a logistic curve over the joined z-scores."""
    if not documents:
        return []
    lexical = Bm25([stems(document) for document in documents]).scores(terms(query))
    concepts = finder.of(query)
    certainty = sum(weight for _, weight in concepts)
    lower = [folded(document) for document in documents]
    concept = np.array([sum(w * evidence(c.signs, text) for c, w in concepts) for text in lower])
    total = (
        (LEXICAL + (LEXICAL_BESIDE_CONCEPT - LEXICAL) * certainty) * z(lexical)
        + (DENSE + (DENSE_BESIDE_CONCEPT - DENSE) * certainty) * z(_dense(query, documents, embed))
        + certainty * z(concept)
    )
    scores = 1 / (1 + np.exp(-total))
    order = np.argsort(-scores, kind="stable")
    return [Ranked(index=int(i), score=float(scores[i])) for i in order]


def _dense(query: str, documents: Sequence[str], embed: Embed) -> Scores:
    """Cosine of the closest sentence of each passage, among those with most words of the query."""
    wanted = terms(query)
    chosen: list[tuple[int, str]] = []
    for position, document in enumerate(documents):
        parts = [document[s.start : s.end][:LONGEST_EMBEDDED] for s in sentences(document)]
        scores = Bm25([stems(part) for part in parts]).scores(wanted)
        best = sorted(range(len(parts)), key=lambda i: (-scores[i], i))[:EMBEDDED_SENTENCES]
        chosen += [(position, parts[i]) for i in best]
    cosines = (embed([text for _, text in chosen]) @ embed(content_parts(query)).T).max(axis=1)
    result = np.zeros(len(documents))
    for (position, _), cosine in zip(chosen, cosines, strict=True):
        result[position] = max(result[position], float(cosine))
    return result
