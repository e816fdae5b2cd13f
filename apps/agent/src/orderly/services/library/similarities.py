"""The cosine between a question and the passages that answer it, for clients that sort or cut by it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from orderly.errors import EngineFailed
from orderly.models import Caller
from orderly.services.library.library import Library
from orderly.services.search import vector_text
from orderly.services.text import Passage
from orderly.store.functions.documents import get_document
from orderly.store.functions.revisions import locate_spans
from orderly.store.functions.search import passage_similarities


async def with_similarities(library: Library, caller: Caller, question: str, passages: Sequence[Passage]) -> list[Passage]:
    """Gives each passage the cosine of the question and the chunk where it begins; None where that has no vector in use."""
    by_matter: dict[str, dict[str, list[Passage]]] = {}
    for passage in passages:
        document = await get_document(library.store, caller, passage.document_id)
        by_matter.setdefault(document["matter_id"], {}).setdefault(document["id"], []).append(passage)
    known: dict[tuple[str, int], float] = {}
    for matter_id, documents in by_matter.items():
        chunks = await _chunks(library, caller, documents)
        cosines = await _cosines(library, caller, matter_id, next(iter(documents)), question, list(set(chunks.values())))
        known |= {place: cosines[chunk] for place, chunk in chunks.items() if chunk in cosines}
    return [replace(p, similarity=known.get((p.document_id, p.start), p.similarity)) for p in passages]


async def _chunks(library: Library, caller: Caller, documents: dict[str, list[Passage]]) -> dict[tuple[str, int], str]:
    """The chunk at the start of each passage, by document and offset."""
    found: dict[tuple[str, int], str] = {}
    for document_id, passages in documents.items():
        spans = [[p.start, min(p.start + 1, p.end)] for p in passages]
        revision_id = passages[0].revision_id
        for place in await locate_spans(library.store, caller, document_id, revision_id=revision_id, spans=spans):
            if place["chunk_id"] is not None:
                found[document_id, place["start"]] = place["chunk_id"]
    return found


async def _cosines(
    library: Library, caller: Caller, matter_id: str, document_id: str, question: str, chunks: list[str]
) -> dict[str, float]:
    if not chunks:
        return {}
    async with library.engine_scope(caller, document_id):
        try:
            [vector] = await library.engine.embed([question], task="retrieval/query")
        except EngineFailed:  # the answers stand without it
            return {}
        model = library.engine.embedding_model
    rows = await passage_similarities(
        library.store, caller, matter_id, query_embedding=vector_text(vector), model=model, chunk_ids=chunks
    )
    return {row["chunk_id"]: row["similarity"] for row in rows}
