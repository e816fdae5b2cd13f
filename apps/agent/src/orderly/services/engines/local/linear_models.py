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
from numpy.typing import NDArray

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
class Known:
    """The features of texts that a model knows."""

    features: NDArray[np.intp]
    """Of all texts, one text after the other."""
    rows: NDArray[np.intp]
    """The texts that have any."""
    starts: NDArray[np.intp]
    """Where the features of each of these begin."""
    lengths: Scores
    """Number of all features of each text, known or not."""

    @classmethod
    def joined(cls, parts: Sequence[Known]) -> Known:
        """The texts of all parts, one part after the other."""
        texts = np.cumsum([0, *(len(part.lengths) for part in parts)])
        features = np.cumsum([0, *(len(part.features) for part in parts)])
        return cls(
            np.concatenate([part.features for part in parts]),
            np.concatenate([part.rows + at for part, at in zip(parts, texts, strict=False)]),
            np.concatenate([part.starts + at for part, at in zip(parts, features, strict=False)]),
            np.concatenate([part.lengths for part in parts]),
        )


@dataclass(frozen=True, slots=True, eq=False)
class LinearModel:
    """Compared by identity, as a key of caches."""

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
        result = self._logits(self.known(texts), slice(None))
        for label, values in (phrases or {}).items():
            if (index := self._rows.get(PHRASES + label)) is not None:
                result += PHRASE_SCALE * np.outer(values, self._weights[index])
        return result

    def known(self, texts: Sequence[Sequence[str]]) -> Known:
        """`texts`: features per text."""
        found = [[index for feature in text if (index := self._rows.get(feature)) is not None] for text in texts]
        rows = [row for row, one in enumerate(found) if one]
        starts = np.cumsum([0, *(len(found[row]) for row in rows)])[:-1]
        flat = np.array([index for one in found for index in one], np.intp)
        return Known(flat, np.array(rows, np.intp), starts, np.array([len(text) for text in texts], np.float64))

    def _logits(self, texts: Known, columns: list[int] | slice) -> Scores:
        result = np.tile(self._bias[columns], (len(texts.lengths), 1))
        if len(texts.features):
            sums = np.add.reduceat(self._weights[:, columns][texts.features], texts.starts, axis=0)
            result[texts.rows] += sums / np.sqrt(texts.lengths[texts.rows])[:, None]
        return result

    def evidence(self, concepts: Sequence[tuple[str, float]], texts: Known) -> Scores:
        """Log-odds per text, within ±LIMIT, that the text is about the weighted concepts; zeros if no concept was fitted."""
        known = [(self.labels.index(name), weight) for name, weight in concepts if name in self.labels and weight > 0]
        if not known or not len(texts.lengths):
            return np.zeros(len(texts.lengths))
        columns, weights = zip(*known, strict=True)
        probabilities = 1 / (1 + np.exp(-self._logits(texts, list(columns))))
        mixture = probabilities @ np.array(weights) / sum(weights)
        return np.asarray(np.clip(np.log(mixture / (1 - mixture)), -LIMIT, LIMIT))


@cache
def load(name: str, folder: Traversable | None = None) -> LinearModel:
    """Loads the model file `name` from `folder`, by default from the package."""
    source = (folder or resources.files(__package__)) / name
    return LinearModel.of(json.loads(source.read_text(encoding="utf-8")))
