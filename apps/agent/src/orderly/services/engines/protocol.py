"""The interface of a legal engine: Isaacus or the offline engine."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal, Protocol, TypedDict

from orderly.errors import EngineRefused

EmbeddingTask = Literal["retrieval/query", "retrieval/document"]


class Ranked(TypedDict):
    """`score` is 0..1 and comparable only within one call."""

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
    """Best first. Holds candidates even when `answered` is False."""
    answered: bool
    """Whether the engine decides that the best candidate answers the question."""
    answering: list[Answer]
    """Non-overlapping spans that together form the answer, best first; empty if `answered` is False."""
    further: list[Answer]
    """Other spans worth reading, best first: beside the answer, or the nearest ones if `answered` is False."""
    confidence: float
    """0..1. Offline engine: calibrated probability that the best span answers. Isaacus: score of the best answer."""
    inextractability_score: float
    """0..1. Score for "the text does not answer the question"."""


def refuse_blank(*texts: str) -> None:
    """Raises EngineRefused if one of the texts says nothing."""
    if not all(text.strip() for text in texts):
        raise EngineRefused("A text without any characters to read cannot be analysed.")


def without_overlaps(answers: Iterable[Answer]) -> list[Answer]:
    """Drops answers that overlap an earlier answer; keeps the order."""
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


class ClausePresence(TypedDict):
    """Whether a text has a clause on a subject. `text[start:end]` is the sentence that shows it best, in any case."""

    probability: float
    threshold: float
    """Probability from which the clause counts as present."""
    start: int
    end: int
    further: list[tuple[int, int]]
    """Places of other sentences that show it too, best first."""


class LegalEngine(Protocol):
    """All methods raise only EngineFailed or its subclasses."""

    @property
    def name(self) -> str:
        """Either "isaacus" or "local"."""
        ...

    @property
    def offline(self) -> bool: ...

    @property
    def description(self) -> str:
        """Text for outputs, e.g. "Offline engine (all-MiniLM-L6-v2)"."""
        ...

    @property
    def embedding_model(self) -> str:
        """Stored with every vector; vectors of different models are never compared."""
        ...

    def windows(self, text: str) -> list[tuple[int, int]]:
        """Spans that cover every token of `text`, each within the embedding window. At least one for non-blank text."""
        ...

    async def embed(self, texts: Sequence[str], *, task: EmbeddingTask) -> list[list[float]]:
        """One L2-normalised vector per text, in order. Raises EngineRefused for a text longer than the window."""
        ...

    async def expand(self, query: str) -> str:
        """Query expansion: typical wording of clauses on the query's subject; may be empty."""
        ...

    async def rerank(
        self, query: str, documents: Sequence[str], *, similarities: Sequence[float | None] | None = None
    ) -> list[Ranked]:
        """Ranks every document, best first. `similarities`: known cosines, so that those need no embedding."""
        ...

    async def extract(self, question: str, context: str, *, top_k: int = 3, quick: bool = False) -> Extraction:
        """At most `top_k` answers. `quick`: for one of many documents, the offline engine reads fewer provisions."""
        ...

    async def classify(
        self, text: str, labels: Sequence[str], *, sections: Sequence[tuple[int, int, str]] = ()
    ) -> list[Classified]:
        """Findings grouped by label, in text order. `sections`: (start, end, heading) of the document's clauses, if known."""
        ...

    async def subjects(self, question: str) -> list[tuple[str, float]]:
        """Known legal subjects that a question is about, best first, with weights that sum to at most 1; may be empty."""
        ...

    async def presence(self, subject: str, text: str) -> ClausePresence | None:
        """Whether a contract has a clause on a known subject; None if the engine cannot tell for this subject."""
        ...

    async def support(self, statement: str, texts: Sequence[str]) -> float | None:
        """How well the best of the texts supports a statement, 0..1; None if the engine gives no such score."""
        ...

    async def is_contract(self, text: str) -> bool:
        """Whether the document is a contract."""
        ...

    async def close(self) -> None: ...
