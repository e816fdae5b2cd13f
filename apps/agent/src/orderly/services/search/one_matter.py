"""Searches one matter: its indexed documents, and the files of those that are not indexed yet."""

from __future__ import annotations

import asyncio
from functools import partial

from orderly.models import Caller
from orderly.services.documents import ReadCoverage, StoredFiles, load_coverage
from orderly.services.engines import LegalEngine
from orderly.services.search.deduplication import merge_hits
from orderly.services.search.matter_search import MatterSearch
from orderly.services.search.query_names import split_query
from orderly.services.search.raw_text import RawResult, search_raw
from orderly.services.search.results import SearchQuery, SearchResult, engine_used
from orderly.store.base import Store
from orderly.store.functions.search import searched_documents


async def search_matter(
    store: Store, engine: LegalEngine, files: StoredFiles, caller: Caller, matter_ref: str, query: SearchQuery
) -> SearchResult:
    """Searches a matter: its indexed documents, and the files of those that are not indexed yet."""
    scope = list(query.within) if query.within else None
    listing = await searched_documents(store, caller, matter_ref, within=scope)
    matter, documents = listing["matter"], listing["documents"]
    result = partial(SearchResult, matter, query.text, documents=documents, scoped=scope is not None)
    if not documents:
        return result(passages=(), stages=(), engine=engine.description)
    split = await split_query(store, caller, matter["id"], query.text, documents)
    named: tuple[str, ...] = ()
    if scope is None and split.within is not None:
        scope, named = split.within, tuple(name for _, name in split.documents)
    in_scope = [d for d in documents if not named or d["id"] in (scope or ())]
    content = split.content if engine.offline else query.text  # Isaacus embeds and ranks what the user wrote
    search = MatterSearch(store, engine, caller, matter["id"], content)
    found, raw = await asyncio.gather(
        search.rank(in_scope, scope, query.mode), search_raw(store, files, caller, in_scope, content, query.max_results)
    )
    passages, repeated = merge_hits(found.rows, query.max_results)
    shown = (*passages, *found.unindexed)[: query.max_results]
    nothing = not shown and not raw.passages
    return result(
        passages=shown,
        stages=(*found.stages, *(("raw text",) if raw.files.texts else ())),
        engine=engine_used(engine, found.stages, found.failure),
        failure=found.failure,
        named=named,
        repeated=repeated,
        words_only=tuple(d["filename"] for d in documents if d["id"] in found.words_only),
        raw=tuple(raw.passages),
        raw_searched=tuple(raw.files.texts),
        raw_unread=raw.files.unread,
        read=tuple(await _searched(store, caller, matter["id"], scope, raw)) if nothing else (),
    )


async def _searched(
    store: Store, caller: Caller, matter_id: str, scope: list[str] | None, raw: RawResult
) -> list[ReadCoverage]:
    """Reports what was searched: the revisions in scope, and the files that were searched in place of a revision."""
    coverage = await load_coverage(store, caller, matter_id, scope)
    return [raw.coverage.get(id, read) for id, read in coverage.items()]
