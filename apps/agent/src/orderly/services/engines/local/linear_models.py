"""Linear models over words: weights fitted by evals/train.py, one logit a label."""

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
from orderly.services.engines.local.sentences import words

LIMIT = 5.0
"""Log-odds beyond which a model of words is not trusted any further."""

PHRASES = "@"
"""Begins the name of a feature that is the rules' evidence for a label."""
PHRASE_SCALE = 0.3


def features(text: str, heading: str = "") -> list[str]:
    """Distinct stems and pairs of neighbouring stems, and the stems of the heading above, in a fixed order."""
    found = words(text)
    pairs = (f"{one} {other}" for one, other in pairwise(found))
    return list(dict.fromkeys([*found, *pairs, *(f"#{word}" for word in words(heading))]))


@dataclass(frozen=True, slots=True)
class LinearModel:
    labels: tuple[str, ...]
    _rows: dict[str, int]
    _weights: Scores
    _bias: Scores

    @classmethod
    def of(cls, raw: dict[str, Any]) -> LinearModel:
        """From the file's content: {"labels": {label: {"bias": b, "weights": {feature: w}}}}."""
        labels = tuple(raw["labels"])
        rows = {f: i for i, f in enumerate(sorted({f for entry in raw["labels"].values() for f in entry["weights"]}))}
        weights = np.zeros((len(rows), len(labels)))
        for column, label in enumerate(labels):
            for feature, weight in raw["labels"][label]["weights"].items():
                weights[rows[feature], column] = weight
        return cls(labels, rows, weights, np.array([raw["labels"][label]["bias"] for label in labels], np.float64))

    def logits(self, texts: Sequence[Sequence[str]], phrases: Mapping[str, Scores] | None = None) -> Scores:
        """(texts, labels), for texts given as their features, each scaled to length one, and the rules' evidence by label."""
        result = np.tile(self._bias, (len(texts), 1))
        for row, found in enumerate(texts):
            known = [at for feature in found if (at := self._rows.get(feature)) is not None]
            if known:
                result[row] += self._weights[known].sum(axis=0) / np.sqrt(len(found))
        for label, values in (phrases or {}).items():
            if (at := self._rows.get(PHRASES + label)) is not None:
                result += PHRASE_SCALE * np.outer(values, self._weights[at])
        return result

    def evidence(self, concepts: Sequence[tuple[str, float]], texts: Sequence[Sequence[str]]) -> Scores:
        """Log-odds that each text is about what is meant, within ±LIMIT, where each label is meant with its weight.

        Zero throughout where none of the labels was fitted.
        """
        known = [(self.labels.index(name), weight) for name, weight in concepts if name in self.labels and weight > 0]
        if not known or not texts:
            return np.zeros(len(texts))
        chances = 1 / (1 + np.exp(-self.logits(texts)))
        mixed = sum(weight * chances[:, column] for column, weight in known) / sum(weight for _, weight in known)
        return np.asarray(np.clip(np.log(mixed / (1 - mixed)), -LIMIT, LIMIT))


@cache
def load(name: str, folder: Traversable | None = None) -> LinearModel:
    """A model by its file's name; from `folder` instead of the package where given."""
    source = (folder or resources.files(__package__)) / name
    return LinearModel.of(json.loads(source.read_text(encoding="utf-8")))
