"""Reranks passages for a query: by a concept of contracts if that is sure, else by words and embeddings, then by the reader."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from orderly.services.engines import Ranked
from orderly.services.engines.local.concepts import Concept, evidence
from orderly.services.engines.local.contract_detection import contract_share
from orderly.services.engines.local.lexical import Bm25, Scores, z_scores
from orderly.services.engines.local.linear_models import LIMIT, Known, LinearModel, features
from orderly.services.engines.local.model_loader import ModelLoader
from orderly.services.engines.local.queries import terms
from orderly.services.engines.local.reader import Reader
from orderly.services.engines.local.sentences import Sentence, fold_case, sentences, stems
from orderly.services.engines.local.word_vectors import SentenceVectors

DENSE, LEXICAL, SENTENCE = 2.0, 0.8, 0.3
"""Weights of z-scores in the general order: cosine of the passage, BM25, and cosine of the best sentence by its words."""
SURE_DENSE, SURE_LEXICAL, SURE_PHRASES, SURE_LEARNED = 0.5, 0.7, 0.5, 1.5
"""Weights of z-scores if the query surely asks for a concept of contracts: the first two as above, phrases of the lexicon, and
log-odds above -LIMIT. All weights were set by hand, with figures of contracts, NDAs, paraphrases and documents of other kinds
side by side (docs/quality.md)."""
DOUBTFUL = -2.0
"""Log-odds of the best sentence below which a query's concept does not decide: what is asked of other kinds of documents
may sound like a concept of contracts and be none."""
CACHED = 1_000
"""Passages that are kept as they were read, for the next questions to a matter; each takes about 15 kB."""
LOWEST = -1.0
"""Lowest z-score: a passage that has the query's rare word may be far from all others in meaning."""
READ, WHOLE, PART = 16, 3, 700
"""Passages at the head of the general order that are read, how many of them in whole, and characters of the parts in which a
longer one is read. Of the others the part nearest to the query is read: ten in whole cost a third more and find as much."""
UNRELATED, SAME_MEANING = 0.2, 0.8
"""Cosines that count as similarity 0 and 1 in the score."""


@dataclass(frozen=True, slots=True, eq=False)
class Passage:
    """Compared by identity, as a key of caches."""

    text: str
    found: Sequence[Sentence]
    sentences: Sequence[Sequence[str]]
    """Stems of each."""

    @classmethod
    def of(cls, text: str) -> Passage:
        return _read(text)

    @property
    def stems(self) -> list[str]:
        return [stem for sentence in self.sentences for stem in sentence]

    def known(self, recogniser: LinearModel) -> Known:
        """What the recogniser knows of each sentence."""
        return _known(self, recogniser)


@lru_cache(maxsize=CACHED)
def _read(text: str) -> Passage:
    found = sentences(text)
    return Passage(text, found, [stems(text[s.start : s.end]) for s in found])


@lru_cache(maxsize=CACHED)
def _known(passage: Passage, recogniser: LinearModel) -> Known:
    return recogniser.known([features(passage.text[s.start : s.end], s.heading) for s in passage.found])


def rerank(
    query: str, documents: Sequence[str], similarities: Sequence[float], loader: ModelLoader, recogniser: LinearModel
) -> list[Ranked]:
    """Ranks every passage, best first: by the query's legal concept if it is sure, else in a general way.

    The order compares the passages with each other; the score says how much each has of what was asked (`_relevance`).
    """
    if not documents:
        return []
    wanted = terms(query)
    passages = [Passage.of(document) for document in documents]
    words = [passage.stems for passage in passages]
    index = Bm25(words)
    dense = np.array(similarities, np.float64)
    closeness = _z_scores(dense)
    lexical = _z_scores(index.scores(wanted))
    # The concepts are those of contracts.
    share = contract_share(documents)
    concepts = [(concept, share * weight) for concept, weight in loader.finder.of_question(query)] if share else []
    certainty = sum(weight for _, weight in concepts)
    phrases, odds = _concept_evidence(concepts, passages, recogniser)
    if odds.max() >= DOUBTFUL and loader.finder.is_sure(query, share):
        total = SURE_DENSE * closeness + SURE_LEXICAL * lexical
        total += SURE_PHRASES * _z_scores(phrases) + SURE_LEARNED * _z_scores(odds)
        order = np.argsort(-total, kind="stable")
    else:
        near = SentenceVectors([sentence for passage in passages for sentence in passage.sentences]).similarities(list(wanted))
        total = DENSE * closeness + LEXICAL * lexical + SENTENCE * _z_scores(_best(passages, near, lowest=-1.0))
        order = _head_read(np.argsort(-total, kind="stable"), query, _parts(passages, near), loader.reader)
    known = np.maximum(phrases, certainty / (1 + np.exp(-odds)))
    scores = _falling(_relevance(_coverage(wanted, words), dense, known)[order])
    return [Ranked(index=int(i), score=float(score)) for i, score in zip(order, scores, strict=True)]


def _head_read(order: NDArray[np.intp], query: str, parts: Sequence[Sequence[str]], reader: Reader) -> NDArray[np.intp]:
    """The order, its first passages by how well the reader finds that they answer the query."""
    head = [int(i) for i in order[:READ]]
    read = [(i, part) for place, i in enumerate(head) for part in (parts[i] if place < WHOLE else parts[i][:1])]
    relevance = dict.fromkeys(head, -np.inf)
    for (i, _), reading in zip(read, reader.read(query, [part for _, part in read]), strict=True):
        relevance[i] = max(relevance[i], reading.relevance)
    first = sorted(head, key=lambda i: -relevance[i])
    return np.array([*first, *(int(i) for i in order[READ:])], np.intp)


def _parts(passages: Sequence[Passage], near: Scores) -> list[list[str]]:
    """The parts of each passage, the nearest first; together the whole passage.

    A part is sentences that stand together, up to PART characters unless one is longer.

    Args:
        passages: The passages.
        near: How near each sentence of all passages is to the query.

    """
    values = iter(near.tolist())
    found = []
    for passage in passages:
        parts: list[tuple[int, int, float]] = []
        for sentence in passage.found:
            value = next(values)
            if parts and sentence.end - parts[-1][0] <= PART:
                start, _, nearest = parts[-1]
                parts[-1] = (start, sentence.end, max(nearest, value))
            else:
                parts.append((sentence.start, sentence.end, value))
        nearest_first = sorted(parts, key=lambda part: -part[2])
        found.append([passage.text[start:end] for start, end, _ in nearest_first] or [passage.text])
    return found


def _best(passages: Sequence[Passage], values: Scores, *, lowest: float) -> Scores:
    """The best value of each passage's sentences."""
    best = np.full(len(passages), lowest)
    np.maximum.at(best, [row for row, passage in enumerate(passages) for _ in passage.sentences], values)
    return best


def _z_scores(values: Scores) -> Scores:
    return np.maximum(z_scores(values), LOWEST)


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
        dense: Cosine of the passage.
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


def _concept_evidence(
    concepts: Sequence[tuple[Concept, float]], passages: Sequence[Passage], recogniser: LinearModel
) -> tuple[Scores, Scores]:
    """Evidence of the query's concepts per passage: by the lexicon's phrases, and the best sentence's log-odds."""
    if not concepts:
        return np.zeros(len(passages)), np.full(len(passages), -LIMIT)
    lower = [fold_case(passage.text) for passage in passages]
    phrases = np.array([sum(weight * evidence(concept.phrases, text) for concept, weight in concepts) for text in lower])
    named = [(concept.name, weight) for concept, weight in concepts]
    learned = recogniser.evidence(named, Known.joined([passage.known(recogniser) for passage in passages]))
    return phrases, _best(passages, learned if learned.any() else learned - LIMIT, lowest=-LIMIT)
