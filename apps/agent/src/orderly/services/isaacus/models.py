"""Which of Isaacus' models does what."""

from __future__ import annotations

from dataclasses import dataclass

DIMENSIONS = (1792, 1024, 768, 512, 256)
"""Lengths of vectors that the embedder offers; the first is its own."""


@dataclass(frozen=True, slots=True)
class Models:
    embedder: str = "kanon-2-embedder"
    dimensions: int | None = None
    """One of `DIMENSIONS`; None: the model's own."""
    reranker: str = "kanon-2-reranker"
    extractor: str = "kanon-answer-extractor"
    classifier: str = "kanon-universal-classifier"
    enricher: str = "kanon-2-enricher"

    @property
    def vectors(self) -> str:
        """Name of the embedder with its dimensions: what vectors must share to be compared."""
        return self.embedder if self.dimensions is None else f"{self.embedder}@{self.dimensions}"


STANDARD = Models()
