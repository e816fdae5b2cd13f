"""Which of Isaacus' models does what."""

from __future__ import annotations

from dataclasses import dataclass

from orderly.errors import Misconfigured

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

    def __post_init__(self) -> None:
        if self.dimensions is not None and self.dimensions not in DIMENSIONS:
            raise Misconfigured(f"ISAACUS_DIMENSIONS must be one of {', '.join(map(str, DIMENSIONS))}.")

    @property
    def vectors(self) -> str:
        """Name of the embedder with its dimensions: what vectors must share to be compared."""
        return self.embedder if self.dimensions in (None, DIMENSIONS[0]) else f"{self.embedder}@{self.dimensions}"


STANDARD = Models()
