"""Embeddings of passages, for re-embedding with another model.

SQL: supabase/schemas/09_search.sql.
"""

from __future__ import annotations

from typing import TypedDict

from orderly.store.base import WorkerCalls
from orderly.store.functions.arguments import given


class RevisionToEmbed(TypedDict):
    document_id: str
    filename: str
    upload_order: int
    revision_id: str
    chunk_count: int


class ChunkToEmbed(TypedDict):
    id: str
    text: str


class NewEmbedding(TypedDict):
    chunk_id: str
    part: int
    embedding: str
    """The vector as text, "[0.1,…]"."""


class DroppedVectors(TypedDict):
    documents: int
    vectors: int


async def revisions_to_embed(
    worker: WorkerCalls, model: str, *, matter_id: str | None = None, after: int | None = None, row_count: int | None = None
) -> list[RevisionToEmbed]:
    """Lists current revisions without vectors of a model, those after an upload order."""
    return await worker.rpc(
        "revisions_to_embed", {"model": model, **given(matter_id=matter_id, after=after, row_count=row_count)}
    )


async def chunks_to_embed(
    worker: WorkerCalls, revision_id: str, model: str, *, row_count: int | None = None
) -> list[ChunkToEmbed]:
    """Lists chunks of a revision that have no vector of a model, in order."""
    return await worker.rpc("chunks_to_embed", {"revision_id": revision_id, "model": model, **given(row_count=row_count)})


async def add_embeddings(worker: WorkerCalls, revision_id: str, model: str, *, rows: list[NewEmbedding]) -> int:
    """Adds vectors to chunks of a revision, and returns their number. All parts of a chunk must be in one call."""
    return await worker.rpc("add_embeddings", {"revision_id": revision_id, "model": model, "rows": rows})


async def complete_embedding(worker: WorkerCalls, revision_id: str, model: str) -> bool:
    """Marks a revision as complete for a model; False: a chunk lacks a vector, or the revision is no longer current."""
    return await worker.rpc("complete_embedding", {"revision_id": revision_id, "model": model})


async def drop_other_vectors(
    worker: WorkerCalls, model: str, *, matter_id: str | None = None, row_count: int | None = None
) -> DroppedVectors:
    """Removes the vectors of other models from documents that are complete for `model`."""
    return await worker.rpc("drop_other_vectors", {"model": model, **given(matter_id=matter_id, row_count=row_count)})
