"""Finds and ranks the passages of one matter: vectors, full text and other words for the query, then the engine's order."""

from __future__ import annotations

import asyncio
from collections.abc import Container, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import cast

from orderly.errors import EngineFailed
from orderly.models import Caller
from orderly.services.engines import LegalEngine
from orderly.services.search.candidates import Hit, candidates_of, drop_weak
from orderly.services.search.results import Mode
from orderly.services.text import Passage
from orderly.store.base import Store
from orderly.store.functions.search import (
    EmbeddingHit,
    KeywordHit,
    SearchedDocument,
    documents_without_vectors,
    match_document_embeddings,
    passage_similarities,
    search_chunks,
    search_revision_text,
)

CANDIDATES = 50
"""Rows per candidate stage."""


@dataclass(frozen=True, slots=True)
class RankedHits:
    rows: Sequence[tuple[Hit, float | None]]
    stages: tuple[str, ...]
    failure: EngineFailed | None = None
    words_only: frozenset[str] = frozenset()
    """Ids of documents without vectors of this engine."""
    unindexed: Sequence[Passage] = ()
    """Places in revisions that have a text and no passages."""


@dataclass(frozen=True, slots=True)
class MatterSearch:
    """A search for `content` in one matter."""

    store: Store
    engine: LegalEngine
    caller: Caller
    matter_id: str
    content: str

    async def rank(self, documents: Sequence[SearchedDocument], within: list[str] | None, mode: Mode) -> RankedHits:
        """Searches the indexed documents, by passages, or by the text of revisions that have none."""
        unindexed = {d["id"] for d in documents if d["chunk_count"] == 0}
        places = await _revision_text(self.store, self.caller, self.matter_id, self.content, unindexed) if unindexed else []
        if not any(d["chunk_count"] for d in documents):
            return RankedHits((), ("raw text",) if unindexed else (), unindexed=places)
        return replace(await self._rank_passages(within, mode), unindexed=places)

    async def _rank_passages(self, within: list[str] | None, mode: Mode) -> RankedHits:
        """Finds and ranks candidates. Full text also filters weak vector hits, and replaces a failing engine."""
        words, related, (vector, vectors), lacking = await asyncio.gather(
            self._keyword(self.content, within), self._related(within), self._semantic(within), self._without_vectors(within)
        )
        if isinstance(vector, EngineFailed):
            return RankedHits([(row, None) for row in words], ("full text",), vector)
        near = drop_weak(vectors, [*words, *related]) if self.engine.offline else vectors
        if mode == "semantic":
            others = [row for row in words if row["document_id"] in lacking]
            stages: tuple[str, ...] = ("vectors", *(("full text",) if others else ()))
            candidates = candidates_of(near, others)
        else:
            stages = ("vectors", "full text", *(("legal concepts",) if related else ()))
            candidates = candidates_of(near, words, related)
        if not candidates:
            return RankedHits((), stages, words_only=lacking)
        candidates = await self._with_similarities(candidates, vector)
        found = partial(RankedHits, words_only=lacking)
        try:
            ranked = await self.engine.rerank(
                self.content,
                [row["text"] for row in candidates],
                similarities=[row["similarity"] if "similarity" in row else None for row in candidates],  # noqa: SIM401 - narrows
            )
        except EngineFailed as error:
            return found([(row, None) for row in candidates], stages, failure=error)
        return found([(candidates[r["index"]], r["score"]) for r in ranked], (*stages, "reranking"))

    async def _with_similarities(self, candidates: Sequence[Hit], vector: str) -> list[Hit]:
        """Adds the cosine to candidates found by full text, if they have a vector."""
        lacking = [row["chunk_id"] for row in candidates if "similarity" not in row]
        if not lacking:
            return list(candidates)
        rows = await passage_similarities(
            self.store,
            self.caller,
            self.matter_id,
            query_embedding=vector,
            model=self.engine.embedding_model,
            chunk_ids=lacking,
        )
        known = {row["chunk_id"]: row["similarity"] for row in rows}
        return [
            cast(EmbeddingHit, {**row, "similarity": known[row["chunk_id"]]}) if row["chunk_id"] in known else row
            for row in candidates
        ]

    async def _without_vectors(self, within: list[str] | None) -> frozenset[str]:
        return frozenset(
            await documents_without_vectors(self.store, self.caller, self.matter_id, self.engine.embedding_model, within=within)
        )

    async def _keyword(self, words: str, within: list[str] | None) -> list[KeywordHit]:
        return await search_chunks(self.store, self.caller, self.matter_id, words, match_count=CANDIDATES, within=within)

    async def _related(self, within: list[str] | None) -> list[KeywordHit]:
        """Searches for the typical words of the legal concepts that the engine finds in the query."""
        words = await self.engine.expand(self.content)
        return await self._keyword(words, within) if words else []

    async def _semantic(self, within: list[str] | None) -> tuple[str | EngineFailed, list[EmbeddingHit]]:
        """Returns the query's vector and the nearest passages, or the engine's failure."""
        try:
            [vector] = await self.engine.embed([self.content], task="retrieval/query")
        except EngineFailed as error:
            return error, []
        query_vector = vector_text(vector)
        return query_vector, await match_document_embeddings(
            self.store,
            self.caller,
            self.matter_id,
            query_embedding=query_vector,
            model=self.engine.embedding_model,
            match_count=CANDIDATES,
            within=within,
        )


async def _revision_text(store: Store, caller: Caller, matter_id: str, query: str, documents: Container[str]) -> list[Passage]:
    rows = await search_revision_text(store, caller, matter_id, query, match_count=CANDIDATES)
    return [
        Passage(
            document_id=row["document_id"],
            document_name=row["document_name"],
            revision_id=row["revision_id"],
            id=row["document_id"],
            start=row["start"],
            end=row["end"],
            text=row["text"],
            paged=row["paged"],
            page_first=row["page"],
            page_last=row["page"],
        )
        for row in rows
        if row["document_id"] in documents
    ]


def vector_text(vector: Sequence[float]) -> str:
    """Formats a vector as pgvector's text form, which every adapter can send."""
    return "[" + ",".join(f"{value:.7g}" for value in vector) + "]"
