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
UNRELATED, SAME_MEANING = 0.2, 0.8
"""Cosines of sentences that count as similarity 0 and 1 in the score."""


def rerank(query: str, documents: Sequence[str], finder: ConceptFinder, embed: Embed, recogniser: LinearModel) -> list[Ranked]:
    """Ranks every passage, best first, by the weighted sum of z-scores.

    The order compares the passages with each other; the score says how much each has of what was asked (`_relevance`).
    """
    if not documents:
        return []
    wanted = terms(query)
    passages = [Passage.of(document, wanted) for document in documents]
    concepts = finder.find(query)
    certainty = sum(weight for _, weight in concepts)
    words = [stems(document) for document in documents]
    lexical = Bm25(words).scores(wanted)
    total = (LEXICAL + (LEXICAL_BESIDE_CONCEPT - LEXICAL) * certainty) * z_scores(lexical)
    phrases, learned = _concept_evidence(concepts, passages, recogniser)
    total += certainty * _concept_scores(phrases, learned)
    chosen = np.sort(np.argsort(-total, kind="stable")[:EMBEDDED])
    dense = np.zeros(len(documents))
    dense[chosen] = _dense(query, [passages[i] for i in chosen], embed)
    dense[np.setdiff1d(np.arange(len(documents)), chosen)] = dense[chosen].min()
    total += (DENSE + (DENSE_BESIDE_CONCEPT - DENSE) * certainty) * z_scores(dense)
    order = np.argsort(-total, kind="stable")
    known = certainty * np.maximum(phrases, np.where(learned == 0, 0.0, 1 / (1 + np.exp(-learned))))
    scores = _falling(_relevance(_coverage(wanted, words), dense, known)[order])
    return [Ranked(index=int(i), score=float(score)) for i, score in zip(order, scores, strict=True)]


def _coverage(wanted: dict[str, float], words: Sequence[Sequence[str]]) -> Scores:
    """0..1 per passage: share of the query's words that it has, each word by its rarity among the passages."""
    found = [frozenset(passage) for passage in words]
    counts = {term: sum(term in passage for passage in found) for term in wanted}
    rarity = {term: float(np.log1p((len(found) + 0.5) / (count + 0.5))) for term, count in counts.items()}
    whole = sum(rarity.values()) or 1.0
    return np.array([sum(rarity[term] for term in wanted if term in passage) / whole for passage in found])


def _relevance(coverage: Scores, dense: Scores, known: Scores) -> Scores:
    """0..1 per passage, whatever the other passages are.

    Args:
        coverage: Share of the query's words.
        dense: Cosine of the closest sentence.
        known: Evidence of the query's legal concepts.

    """
    similar = np.clip((dense - UNRELATED) / (SAME_MEANING - UNRELATED), 0, 1)
    return np.asarray(1 - (1 - known) * (1 - (coverage + similar) / 2), np.float64)


def _falling(values: Scores) -> Scores:
    """The closest values that never rise (isotonic regression by pooling adjacent violators)."""
    pools: list[tuple[float, int]] = []
    for value in values:
        total, count = float(value), 1
        while pools and pools[-1][0] / pools[-1][1] < total / count:
            before, size = pools.pop()
            total, count = total + before, count + size
        pools.append((total, count))
    return np.concatenate([np.full(count, total / count) for total, count in pools])


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


def _concept_evidence(
    concepts: Sequence[tuple[Concept, float]], passages: Sequence[Passage], recogniser: LinearModel
) -> tuple[Scores, Scores]:
    """Evidence of the query's concepts per passage: by the lexicon's phrases, and the recogniser's log-odds (0: unknown)."""
    phrases = np.array([sum(w * evidence(c.phrases, p.lower) for c, w in concepts) for p in passages])
    named = [(concept.name, weight) for concept, weight in concepts]
    flat = recogniser.evidence(named, [s for p in passages for s in p.sentences])
    learned = np.zeros(len(passages))
    at = 0
    for row, passage in enumerate(passages):
        if passage.sentences:
            learned[row] = flat[at : at + len(passage.sentences)].max()
        at += len(passage.sentences)
    return phrases, learned


def _concept_scores(phrases: Scores, learned: Scores) -> Scores:
    if not learned.any():
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
