"""Isaacus where the policy of firm and matter permits it, else the offline engine, which says why it serves."""

from __future__ import annotations

from collections.abc import Sequence

from orderly.errors import EngineRefused
from orderly.services.engines.protocol import Classified, EmbeddingTask, Extraction, LegalEngine, Ranked
from orderly.services.policy import in_scope, permitted


class PermittedEngine:
    """`services.engine.LegalEngine`. What it calls itself, and what it does, follow the policy that it is used under."""

    def __init__(self, outside: LegalEngine, offline: LegalEngine) -> None:
        """`outside`: Isaacus."""
        self.outside, self._offline = outside, offline

    @property
    def _named(self) -> LegalEngine:
        return self._offline if in_scope() and not permitted("isaacus") else self.outside

    @property
    def _used(self) -> LegalEngine:
        if not in_scope():
            raise EngineRefused("Nothing says that this text may be sent to Isaacus.")
        return self._named

    @property
    def name(self) -> str:
        return self._named.name

    @property
    def offline(self) -> bool:
        return self._named.offline

    @property
    def description(self) -> str:
        why = "" if self._named is self.outside else "; this matter's documents may not be sent to Isaacus"
        return f"{self._named.description}{why}"

    @property
    def embedding_model(self) -> str:
        return self._named.embedding_model

    def windows(self, text: str) -> list[tuple[int, int]]:
        return self._named.windows(text)

    async def embed(self, texts: Sequence[str], *, task: EmbeddingTask) -> list[list[float]]:
        return await self._used.embed(texts, task=task)

    async def expand(self, query: str) -> str:
        return await self._used.expand(query)

    async def rerank(self, query: str, documents: Sequence[str]) -> list[Ranked]:
        return await self._used.rerank(query, documents)

    async def extract(self, question: str, context: str, *, top_k: int = 3) -> Extraction:
        return await self._used.extract(question, context, top_k=top_k)

    async def classify(
        self, text: str, labels: Sequence[str], *, sections: Sequence[tuple[int, int, str]] = ()
    ) -> list[Classified]:
        return await self._used.classify(text, labels, sections=sections)

    async def is_contract(self, text: str) -> bool:
        return await self._used.is_contract(text)

    async def close(self) -> None:
        await self.outside.close()
        await self._offline.close()
