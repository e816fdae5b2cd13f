"""BM25 (Robertson and Zaragoza 2009) over texts in memory, and z-scores."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

K1 = 1.2
B = 0.75

Scores = NDArray[np.float64]


class Bm25:
    """BM25 index of texts given as lists of stems."""

    def __init__(self, texts: Sequence[Sequence[str]]) -> None:
        self._count = len(texts)
        lengths = np.array([len(text) for text in texts], np.float64)
        self._norms = K1 * (1 - B + B * lengths / max(1.0, float(lengths.mean()) if len(texts) else 1.0))
        self._postings: dict[str, list[tuple[int, int]]] = {}
        for position, text in enumerate(texts):
            for term, frequency in Counter(text).items():
                self._postings.setdefault(term, []).append((position, frequency))

    def scores(self, query: Mapping[str, float]) -> Scores:
        """One score per text. `query`: stems with weights."""
        total = np.zeros(self._count)
        for term, weight in query.items():
            postings = self._postings.get(term, ())
            idf = np.log1p((self._count - len(postings) + 0.5) / (len(postings) + 0.5))
            for position, frequency in postings:
                total[position] += weight * idf * frequency * (K1 + 1) / (frequency + self._norms[position])
        return total


def z_scores(values: Scores) -> Scores:
    """Values with mean 0 and standard deviation 1; all zero if the values are equal."""
    spread = float(values.std())
    return (values - values.mean()) / spread if spread > 0 else np.zeros_like(values)
