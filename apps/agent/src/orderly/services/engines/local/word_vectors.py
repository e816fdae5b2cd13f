"""Compares a question with sentences by vectors of single words (evals/word_vectors.py), without running the model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from functools import cache
from importlib import resources

import numpy as np
from numpy.typing import NDArray

from orderly.services.engines.local.lexical import Scores

FILE = "word_vectors.npz"


@dataclass(frozen=True, slots=True)
class _Words:
    rows: Mapping[str, int]
    """Stem -> row."""
    vectors: NDArray[np.float32]
    """L2-normalised."""


@cache
def _words() -> _Words:
    with resources.files(__package__).joinpath(FILE).open("rb") as file, np.load(file) as stored:
        stems = bytes(stored["stems"]).decode().split()
        vectors = stored["vectors"].astype(np.float32)
    return _Words({stem: row for row, stem in enumerate(stems)}, vectors / np.linalg.norm(vectors, axis=1, keepdims=True))


def known_stems() -> Mapping[str, int]:
    """Every stem that has a vector."""
    return _words().rows


def closeness(stem: str, others: Collection[str]) -> float:
    """Highest cosine of a stem to one of the others; 0 if either is unknown."""
    words = _words()
    rows = [row for other in others if (row := words.rows.get(other)) is not None]
    if not rows or (own := words.rows.get(stem)) is None:
        return 0.0
    return float((words.vectors[rows] @ words.vectors[own]).max())


class SentenceVectors:
    """Each sentence as the mean of its words, rare words weighing more. Unknown words count for nothing."""

    def __init__(self, sentences: Sequence[Sequence[str]]) -> None:
        """`sentences`: the stems of each sentence."""
        distinct = [dict.fromkeys(sentence) for sentence in sentences]
        self._counts = Counter(stem for sentence in distinct for stem in sentence)
        self._total = len(sentences)
        self._vectors = self._means(distinct)

    def select(self, rows: Sequence[int]) -> SentenceVectors:
        """Some of the sentences; words weigh as in all of them."""
        sibling = copy(self)
        sibling._vectors = self._vectors[list(rows)]
        return sibling

    def similarities(self, question: Sequence[str]) -> Scores:
        """Cosine of each sentence to the question, given as stems; 0 if either has no known word."""
        [asked] = self._means([dict.fromkeys(question)])
        return np.asarray(self._vectors @ asked, np.float64)

    def _means(self, texts: Sequence[Mapping[str, object]]) -> NDArray[np.float32]:
        known = _words()
        found = [(at, row, stem) for at, text in enumerate(texts) for stem in text if (row := known.rows.get(stem)) is not None]
        means = np.zeros((len(texts), known.vectors.shape[1]), np.float32)
        if found:
            at, rows, stems = zip(*found, strict=True)
            counts = np.fromiter((self._counts[stem] for stem in stems), np.float64, len(stems))
            weights = np.log1p((self._total + 0.5) / (counts + 0.5)).astype(np.float32)
            weighted = known.vectors[list(rows)] * weights[:, None]
            starts = np.flatnonzero(np.diff(at, prepend=-1))
            means[np.array(at)[starts]] = np.add.reduceat(weighted, starts, axis=0)
        return np.asarray(means / np.maximum(np.linalg.norm(means, axis=1, keepdims=True), 1e-9), np.float32)
