"""What Orderly asks of a legal engine, Isaacus or the offline one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal, Protocol, TypedDict

EmbeddingTask = Literal["retrieval/query", "retrieval/document"]


class Ranked(TypedDict):
    """`score` in 0..1, comparable only inside one call."""

    index: int
    score: float


class Answer(TypedDict):
    """`context[start:end] == text`."""

    text: str
    start: int
    end: int
    score: float


class Extraction(TypedDict):
    answers: list[Answer]
    """Best first. May hold candidates although `answered` is False."""
    answered: bool
    """The engine's own decision that the best candidate answers the question."""
    answering: list[Answer]
    """The spans that together are the answer, the surest first, none overlapping another; empty where `answered` is False."""
    confidence: float
    """0..1. Offline: calibrated probability that the best span answers. Isaacus: the best answer's score."""
    inextractability_score: float
    """0..1. The engine's score for "the text does not answer this"."""


def apart(answers: Iterable[Answer]) -> list[Answer]:
    """In the given order, without those that overlap an earlier one."""
    kept: list[Answer] = []
    for answer in answers:
        if all(answer["end"] <= other["start"] or other["end"] <= answer["start"] for other in kept):
            kept.append(answer)
    return kept


class Classified(TypedDict):
    """One finding: `text[start:end]` is a clause of type `label`."""

    label: str
    start: int
    end: int
    score: float


class LegalEngine(Protocol):
    """All methods raise EngineFailed or one of its kinds, and nothing else that is not a bug."""

    @property
    def name(self) -> str:
        """Either "isaacus" or "local"."""
        ...

    @property
    def offline(self) -> bool: ...

    @property
    def description(self) -> str:
        """One plain sentence for outputs, e.g. "Offline engine (all-MiniLM-L6-v2)"."""
        ...

    @property
    def embedding_model(self) -> str:
        """Stored beside every vector; vectors of different models are never compared."""
        ...

    def windows(self, text: str) -> list[tuple[int, int]]:
        """Spans that cover every token of `text`, each within the embedding window. At least one for non-blank text."""
        ...

    async def embed(self, texts: Sequence[str], *, task: EmbeddingTask) -> list[list[float]]:
        """One L2-normalised vector a text, in order. Texts beyond the window are refused, never cut."""
        ...

    async def expand(self, query: str) -> str:
        """Words in which clauses on the query's subject are written; empty where the engine has none to offer."""
        ...

    async def rerank(self, query: str, documents: Sequence[str]) -> list[Ranked]:
        """Every document once, best first."""
        ...

    async def extract(self, question: str, context: str, *, top_k: int = 3) -> Extraction:
        """At most `top_k` answers."""
        ...

    async def classify(
        self, text: str, labels: Sequence[str], *, sections: Sequence[tuple[int, int, str]] = ()
    ) -> list[Classified]:
        """Findings in text order, label by label. `sections`: (start, end, heading) of the document's clauses, if known."""
        ...

    async def is_contract(self, text: str) -> bool:
        """Whether the document reads like an agreement at all."""
        ...

    async def close(self) -> None: ...
