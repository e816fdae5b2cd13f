"""Search inside a matter: vectors and full text find candidates, reciprocal rank fusion picks, the engine ranks."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Literal

from orderly.errors import EngineFailed
from orderly.models import Caller
from orderly.services.documents import Read
from orderly.services.engines import LegalEngine
from orderly.services.policy import only_kept
from orderly.services.search.deduplication import present
from orderly.services.search.document_names import split
from orderly.services.text import Passage
from orderly.services.visuals import VisualResult
from orderly.store.base import Store
from orderly.store.functions.matters import MatterName
from orderly.store.functions.search import (
    EmbeddingHit,
    KeywordHit,
    SearchedDocument,
    documents_without_vectors,
    match_document_embeddings,
    passage_similarities,
    search_chunks,
    search_revision_text,
    searched_documents,
)

CANDIDATES = 50
"""Rows asked of each candidate stage."""

RERANKED = 40
"""Fused candidates that the engine ranks: enough for ten results, few enough for the offline engine's two cores."""

FUSION_CONSTANT = 60
"""k of reciprocal rank fusion (Cormack, Clarke and Büttcher 2009): score = sum over stages of 1 / (k + rank)."""

FAR = 0.2
"""Cosine below which, with no word in common either, a passage is not about the question (all-MiniLM-L6-v2)."""


Mode = Literal["hybrid", "semantic"]
Hit = KeywordHit | EmbeddingHit


@dataclass(frozen=True, slots=True)
class SearchResult:
    matter: MatterName
    query: str
    passages: tuple[Passage, ...] = field(kw_only=True)
    documents: Sequence[SearchedDocument] = field(kw_only=True)
    """Every document of the matter, so that an answer can say what was not searched."""
    stages: tuple[str, ...] = field(kw_only=True)
    """Which stages answered: "vectors", "full text", "legal concepts", "reranking", "raw text"."""
    engine: str = field(kw_only=True)
    engine_failed: bool = False
    """The legal engine gave no answer and these are keyword results."""
    named: tuple[str, ...] = ()
    """The documents that the query was taken to name: only they were searched."""
    repeated: int = 0
    """Passages left out because they say the same as one that is shown."""
    words_only: tuple[str, ...] = ()
    """Documents that have no vectors of this engine, and were searched by words alone."""
    read: tuple[Read, ...] = ()
    """How each document searched was read, where nothing was found: what that rests on."""
    matter_numbers: Mapping[str, str] = field(default_factory=dict)
    """Document id -> number of its matter, where more than one matter was searched."""
    seen: VisualResult | None = None
    """Pages found by sight that no passage comes from; None where no service that sees is set up."""
    sight_failed: str = ""
    """Why the search by sight gave no answer."""


async def search_matter(
    store: Store,
    engine: LegalEngine,
    caller: Caller,
    matter_ref: str,
    query: str,
    max_results: int,
    within: Sequence[str] | None = None,
    mode: Mode = "hybrid",
) -> SearchResult:
    """`within` keeps to the documents, folders and sections named; without it the documents that the query names come first."""
    listing = await searched_documents(store, caller, matter_ref)
    matter, documents = listing["matter"], listing["documents"]
    only_kept(caller, matter)
    result = partial(SearchResult, matter, query, documents=documents, engine=engine.description)
    if not documents:
        return result(passages=(), stages=())
    if not any(d["chunk_count"] for d in documents):
        found_in_text = await _raw_text(store, caller, matter["id"], query, max_results)
        return result(passages=tuple(found_in_text), stages=("raw text",))
    question = await split(store, caller, matter["id"], query)
    scope = Scope(store, engine, caller, matter["id"], question.content)
    found = await scope.ranked(list(within) if within is not None else question.within, mode)
    named: tuple[str, ...] = ()
    if within is None and question.documents:
        named = tuple(d["document_name"] for d in question.documents)
    passages, repeated = present(found.rows, max_results)
    return result(
        passages=await scope.with_similarities(passages, found.vector),
        stages=found.stages,
        engine_failed=found.failed,
        named=named,
        repeated=repeated,
        words_only=tuple(d["filename"] for d in documents if d["id"] in found.words_only),
    )


@dataclass(frozen=True, slots=True)
class Found:
    rows: Sequence[tuple[Hit, float | None]]
    stages: tuple[str, ...]
    failed: bool = False
    words_only: frozenset[str] = frozenset()
    """Ids of documents without vectors of this engine."""
    vector: str | None = None
    """Of the question, as the store takes it."""


@dataclass(frozen=True, slots=True)
class Scope:
    """One question to one matter."""

    store: Store
    engine: LegalEngine
    caller: Caller
    matter_id: str
    content: str

    async def ranked(self, within: list[str] | None, mode: Mode) -> Found:
        """Full text is asked in semantic mode too: its rows say what is near enough, and answer where the engine does not."""
        words, related, (vector, vectors), lacking = await asyncio.gather(
            self._keyword(self.content, within), self._related(within), self._semantic(within), self._without_vectors(within)
        )
        if vector is None:
            return Found([(row, None) for row in words], ("full text",), failed=True)
        near = _near(vectors, [*words, *related]) if self.engine.offline else vectors
        if mode == "semantic":
            others = [row for row in words if row["document_id"] in lacking]
            stages: tuple[str, ...] = ("vectors", *(("full text",) if others else ()))
            candidates = fuse(near, others)[:RERANKED]
        else:
            stages = ("vectors", "full text", *(("legal concepts",) if related else ()))
            candidates = fuse(near, words, related)[:RERANKED]
        if not candidates:
            return Found((), stages, words_only=lacking)
        found = partial(Found, words_only=lacking, vector=vector)
        try:
            ranked = await self.engine.rerank(self.content, [row["text"] for row in candidates])
        except EngineFailed:
            return found([(row, None) for row in candidates], stages, failed=True)
        return found([(candidates[r["index"]], r["score"]) for r in ranked], (*stages, "reranking"))

    async def with_similarities(self, passages: Sequence[Passage], vector: str | None) -> tuple[Passage, ...]:
        """Those that words found get the cosine of their vectors too; those without vectors stay as they are."""
        lacking = [p.id for p in passages if p.similarity is None]
        if vector is None or not lacking:
            return tuple(passages)
        rows = await passage_similarities(
            self.store,
            self.caller,
            self.matter_id,
            query_embedding=vector,
            model=self.engine.embedding_model,
            chunk_ids=lacking,
        )
        known = {row["chunk_id"]: row["similarity"] for row in rows}
        return tuple(replace(p, similarity=known[p.id]) if p.id in known else p for p in passages)

    async def _without_vectors(self, within: list[str] | None) -> frozenset[str]:
        return frozenset(
            await documents_without_vectors(self.store, self.caller, self.matter_id, self.engine.embedding_model, within=within)
        )

    async def _keyword(self, words: str, within: list[str] | None) -> list[KeywordHit]:
        return await search_chunks(self.store, self.caller, self.matter_id, words, match_count=CANDIDATES, within=within)

    async def _related(self, within: list[str] | None) -> list[KeywordHit]:
        """By the words in which such clauses are written, where the engine knows what the question is about."""
        words = await self.engine.expand(self.content)
        return await self._keyword(words, within) if words else []

    async def _semantic(self, within: list[str] | None) -> tuple[str | None, list[EmbeddingHit]]:
        """The question's vector, None where the engine gave none, and the passages near it."""
        try:
            [vector] = await self.engine.embed([self.content], task="retrieval/query")
        except EngineFailed:
            return None, []
        asked = vector_text(vector)
        return asked, await match_document_embeddings(
            self.store,
            self.caller,
            self.matter_id,
            query_embedding=asked,
            model=self.engine.embedding_model,
            match_count=CANDIDATES,
            within=within,
        )


async def _raw_text(store: Store, caller: Caller, matter_id: str, query: str, limit: int) -> list[Passage]:
    rows = await search_revision_text(store, caller, matter_id, query, match_count=limit)
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
    ]


def _near(vectors: Sequence[EmbeddingHit], words: Sequence[KeywordHit]) -> list[EmbeddingHit]:
    """Something is always nearest; without a shared word it must at least be near."""
    shared = {row["chunk_id"] for row in words}
    return [row for row in vectors if row["similarity"] >= FAR or row["chunk_id"] in shared]


def fuse(*stages: Sequence[Hit]) -> list[Hit]:
    """Reciprocal rank fusion by chunk. Ties fall to the chunk id, so that the order never depends on timing."""
    rows: dict[str, Hit] = {}
    scores: dict[str, float] = {}
    for stage in stages:
        for rank, row in enumerate(stage, 1):
            rows.setdefault(row["chunk_id"], row)
            scores[row["chunk_id"]] = scores.get(row["chunk_id"], 0.0) + 1 / (FUSION_CONSTANT + rank)
    return [rows[id] for id in sorted(rows, key=lambda id: (-scores[id], id))]


def vector_text(vector: Sequence[float]) -> str:
    """The text form of a pgvector value, which every adapter can send."""
    return "[" + ",".join(f"{value:.7g}" for value in vector) + "]"
