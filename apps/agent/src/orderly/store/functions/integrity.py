"""Stored data with hashes, for the integrity check.

SQL: supabase/schemas/07_documents.sql, 08_ingestion.sql.
"""

from __future__ import annotations

from typing import TypedDict

from orderly.models import Span
from orderly.store.base import WorkerCalls
from orderly.store.functions.arguments import given


class StoredFile(TypedDict):
    storage_key: str
    document_id: str
    filename: str
    size_bytes: int | None
    sha256: str


class UnprovenDocument(TypedDict):
    document_id: str
    filename: str
    reason: str


class RevisionRecord(TypedDict):
    """A revision with the digests of its parts. Rows are arrays in the documented order."""

    id: str
    document_id: str
    filename: str
    current: bool
    text: str
    text_sha256: str
    char_count: int
    page_count: int
    chunk_count: int
    embedding_model: str | None
    storage_key: str
    sha256: str
    file_known: bool
    pages: list[tuple[int, int, int]]
    """Number, start, end."""
    sections: list[Span]
    chunks: list[tuple[int, int, int, str]]
    """Ordinal, start, end, SHA-256 of the text."""
    vectors: list[tuple[str, int, int, int]]
    """Model, number of vectors when complete, number of vectors now, chunks without a vector."""
    citations: list[tuple[str, int, int, str]]
    """Id, start, end, SHA-256 of the quotation."""


async def stored_files(worker: WorkerCalls, *, after: str | None = None, row_count: int | None = None) -> list[StoredFile]:
    """Lists stored files by key, those after a key."""
    return await worker.rpc("stored_files", given(after=after, row_count=row_count))


async def stored_revisions(worker: WorkerCalls, *, after: str | None = None, row_count: int | None = None) -> list[str]:
    """Lists the ids of published revisions, those after an id."""
    return await worker.rpc("stored_revisions", given(after=after, row_count=row_count))


async def revision_record(worker: WorkerCalls, revision_id: str) -> RevisionRecord | None:
    """Describes a revision for the integrity check; None: purged."""
    return await worker.rpc("revision_record", {"revision_id": revision_id})


async def unproven_documents(worker: WorkerCalls) -> list[UnprovenDocument]:
    """Lists documents that count as read and have no published revision."""
    return await worker.rpc("unproven_documents", {})
