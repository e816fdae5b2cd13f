"""The weights of extraction, fitted by evals/train_extraction.py."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable

import numpy as np

from orderly.services.engines.local.lexical import Scores


@dataclass(frozen=True, slots=True)
class Logistic:
    weights: Scores
    bias: float

    @classmethod
    def of(cls, raw: Mapping[str, float]) -> Logistic:
        """From {"bias": b, feature: weight, …}, the features in the order in which they are computed."""
        return cls(np.array([weight for name, weight in raw.items() if name != "bias"]), raw["bias"])

    def logits(self, features: Scores) -> Scores:
        return np.asarray(features @ self.weights + self.bias)

    def chances(self, features: Scores) -> Scores:
        return np.asarray(1 / (1 + np.exp(-self.logits(features))))


@dataclass(frozen=True, slots=True)
class Weights:
    """Three logistic regressions: which sentence, whether the best one answers, and which others belong to the answer."""

    ranking: Logistic
    confidence: Logistic
    further: Logistic
    threshold: float
    """Confidence from which the best candidate is given as the answer."""
    together: float
    """Chance from which another belongs to the answer, if the best one does."""

    def logits(self, features: Scores) -> Scores:
        return self.ranking.logits(features)

    def confidence_of(self, described: Scores) -> float:
        return float(self.confidence.chances(described))

    def chances_of_further(self, features: Scores) -> Scores:
        return self.further.chances(features)


@cache
def load(folder: Traversable | None = None) -> Weights:
    """From `folder` instead of the package where given."""
    source = (folder or resources.files(__package__)) / "extraction_weights.json"
    raw = json.loads(source.read_text(encoding="utf-8"))
    return Weights(
        ranking=Logistic.of(raw["ranking"]),
        confidence=Logistic.of(raw["confidence"]),
        further=Logistic.of(raw["further"]),
        threshold=raw["threshold"],
        together=raw["together"],
    )
