"""Searches all matters of a caller."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from orderly.errors import EngineFailed
from orderly.models import Caller
from orderly.services.documents import StoredFiles, group_by_matter
from orderly.services.engines import LegalEngine
from orderly.services.policy import matter_usage, restrict_matters
from orderly.services.search.candidates import RERANKED
from orderly.services.search.one_matter import search_matter
from orderly.services.search.results import SearchQuery, SearchResult, engine_used
from orderly.services.text import Passage
from orderly.store.base import Store
from orderly.store.functions.matters import Matter, list_matters

CONCURRENT_MATTERS = 4
"""Matters searched concurrently."""


async def search_all_matters(
    store: Store, engine: LegalEngine, files: StoredFiles, caller: Caller, query: SearchQuery
) -> SearchResult:
    """Searches each matter, and reranks the best passages of all, since scores of separate calls are not comparable.

    `query.within`: ids of folders, documents and sections of any matters; only these are searched.
    """
    scopes = await _scopes(store, caller, query.within)
    slots = asyncio.Semaphore(CONCURRENT_MATTERS)

    async def search(matter: Matter, ids: list[str] | None) -> SearchResult:
        async with slots, matter_usage.charge_matter(store, caller, matter["id"]):
            return await search_matter(store, engine, files, caller, matter["id"], replace(query, within=ids))

    results = await asyncio.gather(*(search(matter, ids) for matter, ids in scopes))
    stages = tuple(dict.fromkeys(stage for result in results for stage in result.stages))
    passages, unranked = await _rerank(engine, query.text, results, query.max_results)
    failure = next((result.failure for result in results if result.failure is not None), unranked)
    depth = max((len(result.raw) for result in results), default=0)
    raw = tuple(r.raw[rank] for rank in range(depth) for r in results if rank < len(r.raw))[: query.max_results]
    return SearchResult(
        matter={"id": "all", "number": "all", "title": ""},
        query=query.text,
        passages=tuple(passages),
        documents=[document for result in results for document in result.documents],
        stages=stages,
        engine=engine_used(engine, stages, failure),
        failure=failure,
        named=tuple(name for result in results for name in result.named),
        repeated=sum(result.repeated for result in results),
        words_only=tuple(name for result in results for name in result.words_only),
        matter_numbers={d["id"]: result.matter["number"] for result in results for d in result.documents},
        scoped=bool(query.within),
        read=tuple(read for result in results for read in result.read) if not passages and not raw else (),
        raw=raw,
        raw_searched=tuple(id for result in results for id in result.raw_searched),
        raw_unread={id: reason for result in results for id, reason in result.raw_unread.items()},
    )


async def _scopes(store: Store, caller: Caller, within: Sequence[str] | None) -> Sequence[tuple[Matter, list[str] | None]]:
    """Returns the matters to search, each with the ids to keep to; None: all of the matter."""
    if within:
        return [*await group_by_matter(store, caller, within)]
    return [(matter, None) for matter in restrict_matters(caller, await list_matters(store, caller))]


async def _rerank(
    engine: LegalEngine, query: str, results: Sequence[SearchResult], limit: int
) -> tuple[list[Passage], EngineFailed | None]:
    """Interleaves the matters' passages by rank, and reranks them. Returns the passages, and the engine's failure."""
    depth = max((len(result.passages) for result in results), default=0)
    pooled = [r.passages[rank] for rank in range(depth) for r in results if rank < len(r.passages)][:RERANKED]
    if not pooled:
        return [], None
    try:
        ranked = await engine.rerank(
            query, [passage.text for passage in pooled], similarities=[passage.similarity for passage in pooled]
        )
    except EngineFailed as error:
        return [passage.scored(None) for passage in pooled[:limit]], error
    return [pooled[r["index"]].scored(r["score"]) for r in ranked[:limit]], None
