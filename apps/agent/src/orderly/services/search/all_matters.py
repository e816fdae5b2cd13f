"""Searches all matters of a caller."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from orderly.errors import EngineFailed
from orderly.models import Caller
from orderly.services.engines import LegalEngine
from orderly.services.policy import matter_usage, restrict_matters
from orderly.services.search.hybrid import RERANKED, Mode, SearchResult, search_matter
from orderly.services.text import Passage
from orderly.store.base import Store
from orderly.store.functions.matters import Matter, list_matters

CONCURRENT_MATTERS = 4
"""Matters searched concurrently."""


async def search_all_matters(
    store: Store, engine: LegalEngine, caller: Caller, query: str, max_results: int, mode: Mode
) -> SearchResult:
    """Searches each matter, and reranks the best passages of all, since scores of separate calls are not comparable."""
    matters = restrict_matters(caller, await list_matters(store, caller))
    slots = asyncio.Semaphore(CONCURRENT_MATTERS)

    async def search(matter: Matter) -> SearchResult:
        async with slots, matter_usage.charge_matter(store, caller, matter["id"]):
            return await search_matter(store, engine, caller, matter["id"], query, max_results, mode=mode)

    results = await asyncio.gather(*(search(matter) for matter in matters))
    stages = tuple(dict.fromkeys(stage for result in results for stage in result.stages))
    passages, failed = await _rerank(engine, query, results, max_results)
    return SearchResult(
        matter={"id": "all", "number": "all", "title": ""},
        query=query,
        passages=tuple(passages),
        documents=[document for result in results for document in result.documents],
        stages=stages,
        engine=engine.description,
        engine_failed=failed or any(result.engine_failed for result in results),
        named=tuple(name for result in results for name in result.named),
        repeated=sum(result.repeated for result in results),
        words_only=tuple(name for result in results for name in result.words_only),
        matter_numbers={d["id"]: result.matter["number"] for result in results for d in result.documents},
    )


async def _rerank(engine: LegalEngine, query: str, results: Sequence[SearchResult], limit: int) -> tuple[list[Passage], bool]:
    """Interleaves the matters' passages by rank, and reranks them. Returns the passages, and whether the engine failed."""
    depth = max((len(result.passages) for result in results), default=0)
    pooled = [r.passages[rank] for rank in range(depth) for r in results if rank < len(r.passages)][:RERANKED]
    if not pooled:
        return [], False
    try:
        ranked = await engine.rerank(query, [passage.text for passage in pooled])
    except EngineFailed:
        return [passage.scored(None) for passage in pooled[:limit]], True
    return [pooled[r["index"]].scored(r["score"]) for r in ranked[:limit]], False
