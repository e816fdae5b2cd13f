"""Search inside a matter: vectors and full text find candidates, reciprocal rank fusion picks, the engine ranks."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from orderly.errors import EngineFailed
from orderly.models import READABLE_STATUSES, Caller
from orderly.services.engine import LegalEngine
from orderly.services.passages import Passage
from orderly.store.base import Store

CANDIDATES = 50
"""Rows asked of each candidate stage."""

RERANKED = 30
"""Fused candidates that the engine ranks: enough for ten results, few enough for the offline engine's two cores."""

FUSION_CONSTANT = 60
"""k of reciprocal rank fusion (Cormack, Clarke and Büttcher 2009): score = sum over stages of 1 / (k + rank)."""

FAR = 0.2
"""Cosine below which, with no word in common either, a passage is not about the question (all-MiniLM-L6-v2)."""


@dataclass(frozen=True, slots=True)
class SearchResult:
    matter: Mapping[str, Any]
    query: str
    passages: tuple[Passage, ...]
    documents: Sequence[Mapping[str, Any]]
    """Every document of the matter, so that an answer can say what was not searched."""
    stages: tuple[str, ...]
    """Which stages answered: "vectors", "full text", "reranking", "raw text"."""
    engine: str
    engine_failed: bool = False
    """The legal engine gave no answer and these are keyword results."""

    @property
    def unread(self) -> list[Mapping[str, Any]]:
        """Documents that this search could not look into, or not into all of."""
        return [d for d in self.documents if d["status"] != "ready"]

    @property
    def readable_count(self) -> int:
        return sum(1 for d in self.documents if d["status"] in READABLE_STATUSES)


async def search_matter(
    store: Store,
    engine: LegalEngine,
    caller: Caller,
    matter_ref: str,
    query: str,
    max_results: int,
    within: Sequence[str] | None = None,
) -> SearchResult:
    listing = await store.rpc(caller, "list_documents", {"matter_ref": matter_ref})
    matter, documents = listing["matter"], listing["documents"]

    def result(passages: Sequence[Passage], *stages: str, failed: bool = False) -> SearchResult:
        return SearchResult(matter, query, tuple(passages), documents, stages, engine.description, failed)

    if not documents:
        return result(())
    if not any(d["chunk_count"] for d in documents):
        rows = await _raw_text(store, caller, matter["id"], query, max_results)
        return result([Passage.from_row(row) for row in rows], "raw text")
    words, vectors = await asyncio.gather(
        _keyword(store, caller, matter["id"], query, within), _semantic(store, engine, caller, matter["id"], query, within)
    )
    if vectors is None:
        return result([Passage.from_row(row) for row in words[:max_results]], "full text", failed=True)
    candidates = fuse(_near(vectors, words), words)[:RERANKED]
    if not candidates:
        return result((), "vectors", "full text")
    try:
        ranked = await engine.rerank(query, [row["text"] for row in candidates])
    except EngineFailed:
        return result([Passage.from_row(row) for row in candidates[:max_results]], "vectors", "full text", failed=True)
    best = [Passage.from_row(candidates[r["index"]], r["score"]) for r in ranked[:max_results]]
    return result(best, "vectors", "full text", "reranking")


async def _keyword(store: Store, caller: Caller, matter_id: str, query: str, within: Sequence[str] | None) -> list[dict[str, Any]]:
    params = {"matter_id": matter_id, "query": query, "match_count": CANDIDATES, "within": within}
    rows: list[dict[str, Any]] = await store.rpc(caller, "search_chunks", params)
    return rows


async def _semantic(
    store: Store, engine: LegalEngine, caller: Caller, matter_id: str, query: str, within: Sequence[str] | None
) -> list[dict[str, Any]] | None:
    """None where the engine gave no vector for the question."""
    try:
        [vector] = await engine.embed([query], task="retrieval/query")
    except EngineFailed:
        return None
    params = {
        "matter_id": matter_id,
        "query_embedding": vector_text(vector),
        "model": engine.embedding_model,
        "match_count": CANDIDATES,
        "within": within,
    }
    rows: list[dict[str, Any]] = await store.rpc(caller, "match_document_embeddings", params)
    return rows


async def _raw_text(store: Store, caller: Caller, matter_id: str, query: str, limit: int) -> list[dict[str, Any]]:
    params = {"matter_id": matter_id, "query": query, "match_count": limit}
    rows: list[dict[str, Any]] = await store.rpc(caller, "search_revision_text", params)
    return rows


def _near(vectors: Sequence[dict[str, Any]], words: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Something is always nearest; without a shared word it must at least be near."""
    shared = {row["chunk_id"] for row in words}
    return [row for row in vectors if row["similarity"] >= FAR or row["chunk_id"] in shared]


def fuse(*stages: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Reciprocal rank fusion by chunk. Ties fall to the chunk id, so that the order never depends on timing."""
    rows: dict[str, dict[str, Any]] = {}
    scores: dict[str, float] = {}
    for stage in stages:
        for rank, row in enumerate(stage, 1):
            rows.setdefault(row["chunk_id"], row)
            scores[row["chunk_id"]] = scores.get(row["chunk_id"], 0.0) + 1 / (FUSION_CONSTANT + rank)
    return [rows[id] for id in sorted(rows, key=lambda id: (-scores[id], id))]


def vector_text(vector: Sequence[float]) -> str:
    """The text form of a pgvector value, which every adapter can send."""
    return "[" + ",".join(f"{value:.7g}" for value in vector) + "]"
