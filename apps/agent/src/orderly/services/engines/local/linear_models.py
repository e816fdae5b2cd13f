"""Linear models over stems, fitted by evals/train.py; one logit per label."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable
from itertools import pairwise
from typing import Any

import numpy as np

from orderly.services.engines.local.lexical import Scores
from orderly.services.engines.local.sentences import all_stems

LIMIT = 5.0
"""Log-odds are clipped to ±LIMIT."""

PHRASES = "@"
"""Name prefix of the feature that holds the phrase evidence for a label."""
PHRASE_SCALE = 0.3
"""Factor of phrase evidence, as in fitting."""


def features(text: str, heading: str = "") -> list[str]:
    """Distinct stems, pairs of adjacent stems and "#"-prefixed stems of the heading, in text order."""
    found = all_stems(text)
    pairs = (f"{one} {other}" for one, other in pairwise(found))
    return list(dict.fromkeys([*found, *pairs, *(f"#{word}" for word in all_stems(heading))]))


@dataclass(frozen=True, slots=True)
class LinearModel:
    labels: tuple[str, ...]
    _rows: dict[str, int]
    _weights: Scores
    _bias: Scores

    @classmethod
    def of(cls, raw: dict[str, Any]) -> LinearModel:
        """Parses {"labels": {label: {"bias": b, "weights": {feature: w}}}}."""
        labels = tuple(raw["labels"])
        rows = {f: i for i, f in enumerate(sorted({f for entry in raw["labels"].values() for f in entry["weights"]}))}
        weights = np.zeros((len(rows), len(labels)))
        for column, label in enumerate(labels):
            for feature, weight in raw["labels"][label]["weights"].items():
                weights[rows[feature], column] = weight
        return cls(labels, rows, weights, np.array([raw["labels"][label]["bias"] for label in labels], np.float64))

    def logits(self, texts: Sequence[Sequence[str]], phrases: Mapping[str, Scores] | None = None) -> Scores:
        """Array (texts, labels). `texts`: features per text, scaled here to length 1. `phrases`: phrase evidence by label."""
        result = self._logits(texts, slice(None))
        for label, values in (phrases or {}).items():
            if (index := self._rows.get(PHRASES + label)) is not None:
                result += PHRASE_SCALE * np.outer(values, self._weights[index])
        return result

    def _logits(self, texts: Sequence[Sequence[str]], columns: list[int] | slice) -> Scores:
        bias, weights = self._bias[columns], self._weights[:, columns]
        result = np.tile(bias, (len(texts), 1))
        for row, found in enumerate(texts):
            known = [index for feature in found if (index := self._rows.get(feature)) is not None]
            if known:
                result[row] += weights[known].sum(axis=0) / np.sqrt(len(found))
        return result

    def evidence(self, concepts: Sequence[tuple[str, float]], texts: Sequence[Sequence[str]]) -> Scores:
        """Log-odds per text, within ±LIMIT, that the text is about the weighted concepts; zeros if no concept was fitted."""
        known = [(self.labels.index(name), weight) for name, weight in concepts if name in self.labels and weight > 0]
        if not known or not texts:
            return np.zeros(len(texts))
        columns, weights = zip(*known, strict=True)
        probabilities = 1 / (1 + np.exp(-self._logits(texts, list(columns))))
        mixture = probabilities @ np.array(weights) / sum(weights)
        return np.asarray(np.clip(np.log(mixture / (1 - mixture)), -LIMIT, LIMIT))


@cache
def load(name: str, folder: Traversable | None = None) -> LinearModel:
    """Loads the model file `name` from `folder`, by default from the package."""
    source = (folder or resources.files(__package__)) / name
    return LinearModel.of(json.loads(source.read_text(encoding="utf-8")))
