"""Selects Isaacus where the firm's and the matter's policy permits it, else the offline engine."""

from __future__ import annotations

from collections.abc import Sequence

from orderly.errors import EngineRefused
from orderly.services.engines.protocol import Classified, ClausePresence, EmbeddingTask, Extraction, LegalEngine, Ranked
from orderly.services.policy import has_policy, permitted


class PermittedEngine:
    """A `LegalEngine` that delegates by the policy of the current scope.

    Outside a scope, properties describe Isaacus and every call raises EngineRefused.
    """

    def __init__(self, remote: LegalEngine, offline: LegalEngine) -> None:
        """`remote`: Isaacus."""
        self.remote, self._offline = remote, offline

    @property
    def _selected(self) -> LegalEngine:
        return self._offline if has_policy() and not permitted("isaacus") else self.remote

    @property
    def _permitted(self) -> LegalEngine:
        if not has_policy():
            raise EngineRefused("No policy is in scope, so this text may not be sent to Isaacus.")
        return self._selected

    @property
    def name(self) -> str:
        return self._selected.name

    @property
    def offline(self) -> bool:
        return self._selected.offline

    @property
    def description(self) -> str:
        why = "" if self._selected is self.remote else "; this matter's documents may not be sent to Isaacus"
        return f"{self._selected.description}{why}"

    @property
    def embedding_model(self) -> str:
        return self._selected.embedding_model

    def windows(self, text: str) -> list[tuple[int, int]]:
        return self._selected.windows(text)

    async def embed(self, texts: Sequence[str], *, task: EmbeddingTask) -> list[list[float]]:
        return await self._permitted.embed(texts, task=task)

    async def expand(self, query: str) -> str:
        return await self._permitted.expand(query)

    async def rerank(
        self, query: str, documents: Sequence[str], *, similarities: Sequence[float | None] | None = None
    ) -> list[Ranked]:
        return await self._permitted.rerank(query, documents, similarities=similarities)

    async def extract(self, question: str, context: str, *, top_k: int = 3, quick: bool = False) -> Extraction:
        return await self._permitted.extract(question, context, top_k=top_k, quick=quick)

    async def classify(
        self, text: str, labels: Sequence[str], *, sections: Sequence[tuple[int, int, str]] = ()
    ) -> list[Classified]:
        return await self._permitted.classify(text, labels, sections=sections)

    async def subjects(self, question: str) -> list[tuple[str, float]]:
        return await self._permitted.subjects(question)

    async def presence(self, subject: str, text: str) -> ClausePresence | None:
        return await self._permitted.presence(subject, text)

    async def support(self, statement: str, texts: Sequence[str]) -> float | None:
        return await self._permitted.support(statement, texts)

    async def is_contract(self, text: str) -> bool:
        return await self._permitted.is_contract(text)

    async def close(self) -> None:
        await self.remote.close()
        await self._offline.close()
