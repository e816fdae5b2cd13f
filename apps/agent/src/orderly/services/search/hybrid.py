"""Hybrid search in a matter: candidates from vectors and full text, reciprocal rank fusion, reranking by the engine."""

from __future__ import annotations

import asyncio
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Literal, cast

from orderly.errors import EngineFailed
from orderly.models import Caller
from orderly.services.documents import ReadCoverage, StoredFiles, load_coverage
from orderly.services.engines import LegalEngine
from orderly.services.policy import require_in_scope
from orderly.services.search.deduplication import merge_hits
from orderly.services.search.document_names import split_query
from orderly.services.search.raw_text import RawPassage, RawResult, search_raw
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
"""Rows per candidate stage."""

RERANKED = 40
"""Fused candidates that the engine reranks: enough for ten results, and fast enough offline on two cores."""

KEPT = 5
"""First rows of a stage that are reranked whatever the other stages found: the only one with a rare word, for example."""

FUSION_CONSTANT = 60
"""k of reciprocal rank fusion (Cormack, Clarke and Büttcher 2009): score = sum over stages of 1 / (k + rank)."""

MIN_COSINE = 0.2
"""Passages below this cosine that share no word with the query are dropped (measured with all-MiniLM-L6-v2)."""


Mode = Literal["hybrid", "semantic"]
Hit = KeywordHit | EmbeddingHit


@dataclass(frozen=True, slots=True)
class SearchResult:
    matter: MatterName
    query: str
    passages: tuple[Passage, ...] = field(kw_only=True)
    documents: Sequence[SearchedDocument] = field(kw_only=True)
    """All documents in scope, to report those that were not searched."""
    stages: tuple[str, ...] = field(kw_only=True)
    """The stages that contributed: "vectors", "full text", "legal concepts", "reranking", "raw text"."""
    engine: str = field(kw_only=True)
    failure: EngineFailed | None = None
    """The failure of the legal engine; the passages are then full text results."""
    named: tuple[str, ...] = ()
    """Documents that the query names; only these were searched."""
    repeated: int = 0
    """Number of dropped near-duplicates."""
    words_only: tuple[str, ...] = ()
    """Documents without vectors of this engine, searched by full text only."""
    read: tuple[ReadCoverage, ...] = ()
    """If nothing was found: how each document that was searched was read, and nothing else."""
    scoped: bool = False
    """The caller restricted the search to folders, documents or sections."""
    raw: tuple[RawPassage, ...] = ()
    """Pieces of files that are not indexed yet."""
    raw_searched: tuple[str, ...] = ()
    """Ids of documents whose files were searched word by word."""
    raw_unread: Mapping[str, str] = field(default_factory=dict)
    """Document id -> reason why the file of a document without passages was not searched."""
    matter_numbers: Mapping[str, str] = field(default_factory=dict)
    """Document id -> matter number, if several matters were searched."""
    seen: VisualResult | None = None
    """Pages found by visual search that no passage covers; None if visual search is not configured."""
    sight_failed: str = ""
    """Reason why visual search failed."""

    @property
    def engine_failed(self) -> bool:
        return self.failure is not None


@dataclass(frozen=True, slots=True)
class SearchQuery:
    text: str
    max_results: int
    within: Sequence[str] | None = None
    """Ids of documents, folders and sections; None or none: the documents that the query names, or all."""
    mode: Mode = "hybrid"


async def search_matter(
    store: Store, engine: LegalEngine, files: StoredFiles, caller: Caller, matter_ref: str, query: SearchQuery
) -> SearchResult:
    """Searches a matter: its indexed documents, and the files of those that are not indexed yet."""
    scope = list(query.within) if query.within else None
    listing = await searched_documents(store, caller, matter_ref, within=scope)
    matter, documents = listing["matter"], listing["documents"]
    require_in_scope(caller, matter)
    result = partial(SearchResult, matter, query.text, documents=documents, scoped=scope is not None)
    if not documents:
        return result(passages=(), stages=(), engine=engine.description)
    split = await split_query(store, caller, matter["id"], query.text)
    named: tuple[str, ...] = ()
    if scope is None and split.within is not None:
        scope, named = split.within, tuple(d["document_name"] for d in split.documents)
    in_scope = [d for d in documents if not named or d["id"] in (scope or ())]
    search = MatterSearch(store, engine, caller, matter["id"], split.content)
    found, raw = await asyncio.gather(
        search.rank(in_scope, scope, query.mode), search_raw(store, files, caller, in_scope, split.content, query.max_results)
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
        near = _drop_weak(vectors, [*words, *related]) if self.engine.offline else vectors
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


def engine_used(engine: LegalEngine, stages: Sequence[str], failure: EngineFailed | None) -> str:
    """What an output names as the engine of its results."""
    if failure is None:
        return engine.description
    by_vectors = ", after a search by vectors" if "vectors" in stages else ""
    return f"keyword search{by_vectors}. {failure.message}"


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


def _drop_weak(vectors: Sequence[EmbeddingHit], words: Sequence[KeywordHit]) -> list[EmbeddingHit]:
    """Drops vector hits below MIN_COSINE that share no word with the query."""
    shared = {row["chunk_id"] for row in words}
    return [row for row in vectors if row["similarity"] >= MIN_COSINE or row["chunk_id"] in shared]


def fuse(*stages: Sequence[Hit]) -> list[Hit]:
    """Reciprocal rank fusion by chunk. Ties are ordered by chunk id, so that the order is deterministic."""
    rows: dict[str, Hit] = {}
    scores: dict[str, float] = {}
    for stage in stages:
        for rank, row in enumerate(stage, 1):
            rows.setdefault(row["chunk_id"], row)
            scores[row["chunk_id"]] = scores.get(row["chunk_id"], 0.0) + 1 / (FUSION_CONSTANT + rank)
    return [rows[id] for id in sorted(rows, key=lambda id: (-scores[id], id))]


def candidates_of(*stages: Sequence[Hit]) -> list[Hit]:
    """The best fused rows: RERANKED of them, with the first KEPT of every stage always among them."""
    fused = fuse(*stages)
    kept = {row["chunk_id"] for stage in stages for row in stage[:KEPT]}
    others = [row["chunk_id"] for row in fused if row["chunk_id"] not in kept][: RERANKED - len(kept)]
    return [row for row in fused if row["chunk_id"] in kept.union(others)]


def vector_text(vector: Sequence[float]) -> str:
    """Formats a vector as pgvector's text form, which every adapter can send."""
    return "[" + ",".join(f"{value:.7g}" for value in vector) + "]"
