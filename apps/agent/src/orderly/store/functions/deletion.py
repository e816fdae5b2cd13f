"""Deletion of documents: legal holds, receipts and the purge.

SQL: supabase/schemas/07_documents.sql, 08_ingestion.sql.
"""

from __future__ import annotations

from typing import TypedDict

from orderly.models import Caller
from orderly.store.base import Store, WorkerCalls
from orderly.store.functions.documents import FullDocument


class Receipt(TypedDict):
    """Proof of a deletion."""

    receipt_id: str
    document_id: str
    filename: str
    deleted_at: str


class KeptAttachment(TypedDict):
    """An attachment that stays because it belongs to another document too."""

    document_id: str
    filename: str
    attached_to: str
    """The other document's name."""


class Deletion(Receipt):
    attachments: list[Receipt]
    """Of the attachments deleted with the document."""
    kept: list[KeptAttachment]


class ListedReceipt(Receipt):
    sha256: str
    size_bytes: int
    deleted_by: str | None
    """An e-mail address."""
    purged_at: str | None
    attached_to: list[str]
    """Ids of the carriers."""


async def delete_document(store: Store, caller: Caller, document_id: str) -> Deletion:
    """Deletes a document with its attachments. Raises Conflict under a legal hold. For the matter's owners."""
    return await store.rpc(caller, "delete_document", {"document_id": document_id})


async def list_receipts(store: Store, caller: Caller, matter_ref: str) -> list[ListedReceipt]:
    """Lists the deletions of a matter, the newest first."""
    return await store.rpc(caller, "list_receipts", {"matter_ref": matter_ref})


async def hold_document(store: Store, caller: Caller, document_id: str, *, held: bool) -> FullDocument:
    """Sets or ends a document's legal hold. For the matter's owners."""
    return await store.rpc(caller, "hold_document", {"document_id": document_id, "held": held})


async def purge_deleted(worker: WorkerCalls) -> list[str]:
    """Purges deleted documents, and lists the storage keys of files to delete.

    Conversations that quote them are redacted before, since the texts are gone afterwards.
    """
    return await worker.rpc("purge_deleted", {})


async def confirm_blobs_deleted(worker: WorkerCalls, storage_keys: list[str]) -> int:
    """Marks files as deleted, and returns the number of files that remain."""
    return await worker.rpc("confirm_blobs_deleted", {"storage_keys": storage_keys})
