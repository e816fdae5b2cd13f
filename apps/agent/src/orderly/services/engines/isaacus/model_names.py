"""Names of the Isaacus models by task."""

from __future__ import annotations

from dataclasses import dataclass

from orderly.errors import Misconfigured

DIMENSIONS = (1792, 1024, 768, 512, 256)
"""Vector lengths that the embedder offers; the first is the default."""


@dataclass(frozen=True, slots=True)
class Models:
    embedder: str = "kanon-2-embedder"
    dimensions: int | None = None
    """One of `DIMENSIONS`; None: the model's default."""
    reranker: str = "kanon-2-reranker"
    extractor: str = "kanon-answer-extractor"
    classifier: str = "kanon-universal-classifier"
    enricher: str = "kanon-2-enricher"

    def __post_init__(self) -> None:
        if self.dimensions is not None and self.dimensions not in DIMENSIONS:
            raise Misconfigured(f"ISAACUS_DIMENSIONS must be one of {', '.join(map(str, DIMENSIONS))}.")

    @property
    def vectors(self) -> str:
        """Embedder and dimensions. Only vectors with the same value are comparable."""
        return self.embedder if self.dimensions in (None, DIMENSIONS[0]) else f"{self.embedder}@{self.dimensions}"


STANDARD = Models()
