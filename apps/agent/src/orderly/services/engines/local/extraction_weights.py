"""Loads the weights of extraction, fitted by evals/train_extraction.py."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable
from typing import Any

import numpy as np

from orderly.services.engines.local import query_coverage
from orderly.services.engines.local.evidence import FEATURES
from orderly.services.engines.local.lexical import Scores

READING_FEATURES = ("evidence", "relevance")
"""Of a candidate that was read: its log-odds by `Weights.ranking`, and those of its provision by the reader."""
CONFIDENCE_FEATURES = ("best", "lead", "certainty", "relevance", "most_relevant", *FEATURES, *query_coverage.FEATURES)
"""Of the confidence. Lead: over the next candidate. Relevance: of the best candidate, and by how much another's is higher."""
FURTHER_FEATURES = ("gap", "logit", "concept", "recognised")


@dataclass(frozen=True, slots=True)
class Logistic:
    weights: Scores
    bias: float

    @classmethod
    def of(cls, raw: Mapping[str, float], features: Sequence[str]) -> Logistic:
        """Parses {"bias": b, feature: weight, …}, with the features in the order of computation; one left out weighs 0."""
        return cls(np.array([raw.get(name, 0.0) for name in features]), raw["bias"])

    def logits(self, features: Scores) -> Scores:
        return np.asarray(features @ self.weights + self.bias)

    def probabilities(self, features: Scores) -> Scores:
        return np.asarray(1 / (1 + np.exp(-self.logits(features))))


@dataclass(frozen=True, slots=True)
class Weights:
    """Logistic regressions: ranking of sentences, their order once the first are read, confidence in the best sentence, and
    selection of further answers.
    """

    ranking: Logistic
    reading: Logistic
    confidence: Logistic
    further: Logistic
    threshold: float
    """Minimum confidence to answer; below it the engine abstains."""
    further_threshold: float
    """Minimum probability of a further answer, given that the best answer is right."""

    def evidence(self, features: Scores) -> Scores:
        return self.ranking.logits(features)

    def logits(self, evidence: Scores, relevance: Scores) -> Scores:
        return self.reading.logits(np.column_stack([evidence, relevance]))

    def confidence_of(self, features: Scores) -> float:
        return float(self.confidence.probabilities(features))

    def further_probabilities(self, features: Scores) -> Scores:
        return self.further.probabilities(features)


@cache
def load(folder: Traversable | None = None) -> Weights:
    """Loads the weights from `folder`, by default from the package."""
    source = (folder or resources.files(__package__)) / "extraction_weights.json"
    raw = json.loads(source.read_text(encoding="utf-8"))
    return _weights(raw["known"], CONFIDENCE_FEATURES)


def _weights(raw: Mapping[str, Any], confidence: Sequence[str]) -> Weights:
    return Weights(
        ranking=Logistic.of(raw["ranking"], FEATURES),
        reading=Logistic.of(raw["reading"], READING_FEATURES),
        confidence=Logistic.of(raw["confidence"], confidence),
        further=Logistic.of(raw["further"], FURTHER_FEATURES),
        threshold=raw["threshold"],
        further_threshold=raw["further_threshold"],
    )
