"""Attachments, registered by the worker that reads their carrier.

SQL: supabase/schemas/07_documents.sql.
"""

from __future__ import annotations

from typing import Literal, TypedDict

from orderly.models import DocumentStatus
from orderly.store.base import WorkerCalls
from orderly.store.functions.files import Withdrawal
from orderly.store.functions.ingestion import WorkerDocument


class RegisteredAttachment(TypedDict):
    outcome: Literal["new", "known", "deleted", "too deep", "too many"]
    document_id: str | None
    """None, like `filename` and `status`: the attachment has no document."""
    own: bool
    """Whether the document belongs to its carrier, and is deleted with it."""
    filename: str | None
    status: DocumentStatus | None
    storage_key: str | None
    """Key for storing the file. None: there is nothing to store."""
    deleted_at: str | None
    """When the same attachment was deleted."""


class AttachedDocument(TypedDict):
    id: str
    name: str
    """The attachment's name in the carrier."""
    own: bool
    filename: str
    status: DocumentStatus
    status_reason: str
    page_count: int | None
    paged: bool | None
    chunk_count: int | None


async def register_attachment(
    worker: WorkerCalls,
    document_id: str,
    *,
    claim: int,
    filename: str,
    content_type: str,
    size_bytes: int,
    sha256: str,
    family_limit: int,
    depth_limit: int,
) -> RegisteredAttachment:
    """Registers an attachment of a claimed document. Raises TakenOver when the claim is lost.

    `family_limit`, `depth_limit`: maximum number of attachments below an outermost document, and of nested levels.
    """
    return await worker.rpc(
        "register_attachment",
        {
            "document_id": document_id,
            "claim": claim,
            "filename": filename,
            "content_type": content_type,
            "size_bytes": size_bytes,
            "sha256": sha256,
            "family_limit": family_limit,
            "depth_limit": depth_limit,
        },
    )


async def attachment_stored(worker: WorkerCalls, document_id: str, storage_key: str) -> WorkerDocument:
    """Reports that a registered attachment is stored, and queues its document."""
    return await worker.rpc("attachment_stored", {"document_id": document_id, "storage_key": storage_key})


async def withdraw_attachment(worker: WorkerCalls, document_id: str, storage_key: str) -> Withdrawal:
    """Withdraws a registered attachment that could not be stored."""
    return await worker.rpc("withdraw_attachment", {"document_id": document_id, "storage_key": storage_key})


async def attached_documents(worker: WorkerCalls, document_id: str) -> list[AttachedDocument]:
    """Lists the documents attached to a document, in the order of upload."""
    return await worker.rpc("attached_documents", {"document_id": document_id})
