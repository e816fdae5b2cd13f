"""Finds the sentence that answers a question, says how sure it is, and abstains when it is not."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable

import numpy as np
from numpy.typing import NDArray

from orderly.services.engine import Answer, Extraction
from orderly.services.local_engine import answer_types
from orderly.services.local_engine.concepts import ConceptFinder, Embed
from orderly.services.local_engine.evidence import DENSE, FEATURES, FIRST_PASS, Question, measure
from orderly.services.local_engine.learned import LinearModel
from orderly.services.local_engine.lexical import Scores
from orderly.services.local_engine.text import Sentence, is_heading, sentences

CANDIDATES = 32
"""Sentences that are embedded."""
LONGEST_EMBEDDED = 600
"""Characters of a sentence that are embedded."""
CONFIDENCE_FEATURES = ("best", "margin", "certainty", *FEATURES)


@dataclass(frozen=True, slots=True)
class Weights:
    """Two logistic regressions: which sentence, and whether the best one answers. The file tells how they were fitted."""

    ranking: Scores
    bias: float
    confidence: Scores
    confidence_bias: float
    threshold: float


@cache
def fitted_weights(folder: Traversable | None = None) -> Weights:
    """From `folder` instead of the package where given."""
    source = (folder or resources.files(__package__)) / "extraction_weights.json"
    raw = json.loads(source.read_text(encoding="utf-8"))
    return Weights(
        ranking=np.array([raw["ranking"][name] for name in FEATURES]),
        bias=raw["bias"],
        confidence=np.array([raw["confidence"][name] for name in CONFIDENCE_FEATURES]),
        confidence_bias=raw["confidence_bias"],
        threshold=raw["threshold"],
    )


class Extractor:
    def __init__(self, finder: ConceptFinder, embed: Embed, recogniser: LinearModel, weights: Weights) -> None:
        self._finder = finder
        self._embed = embed
        self._recogniser = recogniser
        self._weights = weights

    def extract(self, text: str, context: str, top_k: int, focus: Sequence[tuple[int, int]]) -> Extraction:
        question = Question(text, self._finder.of(text))
        found, features = self.candidates(question, context, focus)
        if not found:
            return Extraction(answers=[], answered=False, confidence=0.0, inextractability_score=1.0)
        logits = features @ self._weights.ranking + self._weights.bias
        order = np.argsort(-logits, kind="stable")
        described = confidence_features(question, features, logits, order)
        confidence = _logistic(float(described @ self._weights.confidence) + self._weights.confidence_bias)
        return Extraction(
            answers=[_answer(context, found[row], question, _logistic(logits[row])) for row in order[:top_k]],
            answered=confidence >= self._weights.threshold,
            confidence=confidence,
            inextractability_score=1 - confidence,
        )

    def candidates(self, question: Question, context: str, focus: Sequence[tuple[int, int]]) -> tuple[list[Sentence], Scores]:
        """The sentences worth a closer look, and their features: (sentences, FEATURES)."""
        found = [s for s in sentences(context) if question.opening or not is_heading(context[s.start : s.end])]
        measured = measure(question, context, found, focus, self._recogniser)
        rows = np.argsort(-(measured @ FIRST_PASS), kind="stable")[:CANDIDATES]
        chosen = [found[row] for row in rows]
        features = measured[rows]
        asks = [question.text, *(concept.asks[1] for concept, _ in question.concepts)]
        pieces = [context[s.start : s.end][:LONGEST_EMBEDDED] for s in chosen]
        vectors = self._embed([*asks, *pieces])
        cosines = vectors[len(asks) :] @ vectors[: len(asks)].T
        features[:, DENSE] = np.column_stack([cosines[:, 0], cosines.max(axis=1)])
        return chosen, features


def confidence_features(question: Question, features: Scores, logits: Scores, order: NDArray[np.intp]) -> Scores:
    """What tells whether the best candidate is right: its own features, its lead, and how well the question was understood."""
    best = logits[order[0]]
    margin = min(best - logits[order[1]], 3.0) if len(order) > 1 else 3.0
    return np.array([best, margin, question.certainty, *features[order[0]]])


def _logistic(value: float) -> float:
    return float(1 / (1 + np.exp(-value)))


def _answer(context: str, sentence: Sentence, question: Question, score: float) -> Answer:
    start, end = answer_types.narrowed(question.kind, context, sentence.start, sentence.end)
    return Answer(text=context[start:end], start=start, end=end, score=score)
