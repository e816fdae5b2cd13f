"""Files of documents: registration, storage and access.

SQL: supabase/schemas/07_documents.sql.
"""

from __future__ import annotations

from typing import TypedDict

from orderly.models import Caller, DuplicatePolicy
from orderly.store.base import Store, WorkerCalls
from orderly.store.functions.arguments import given
from orderly.store.functions.documents import Document, FullDocument, StoredDocument


class Twin(Document):
    """A document whose file has the same content."""

    superseded: bool
    """Whether the document has a newer version."""


class Duplicates(TypedDict):
    same_content: Twin | None
    same_name: Document | None
    """None also if this document has the same content."""


class RegisteredFile(TypedDict):
    document: FullDocument
    duplicate_of: str | None
    superseded: bool
    """Whether the duplicate's document has a newer version."""
    unread_reason: str | None
    """Why the duplicate could not be read."""
    resumed: bool
    """Whether the caller has started the same upload before, and it is not read yet."""
    tenant_id: str
    matter_id: str
    storage_key: str | None
    """Key for storing the file. None: the file is stored already."""
    already: Duplicates | None
    """With "ask": duplicates, for which nothing was registered."""


class Withdrawal(TypedDict):
    withdrawn: bool
    """False: another upload of the same file is in progress."""


class OpenedFile(TypedDict):
    storage_key: str
    filename: str
    content_type: str
    size_bytes: int | None
    """None, like `sha256`: a page image."""
    sha256: str | None


async def find_duplicates(store: Store, caller: Caller, matter_ref: str, *, filename: str, sha256: str) -> Duplicates:
    """Finds documents of a matter with the content or the name of a file."""
    return await store.rpc(caller, "find_duplicates", {"matter_ref": matter_ref, "filename": filename, "sha256": sha256})


async def register_document(
    store: Store,
    caller: Caller,
    matter_ref: str,
    *,
    filename: str,
    content_type: str,
    size_bytes: int,
    sha256: str,
    on_duplicate: DuplicatePolicy | None = None,
    folder_id: str | None = None,
    version_of: str | None = None,
    pages: int | None = None,
) -> RegisteredFile:
    """Registers a file before its bytes are stored. For editors.

    Args:
        on_duplicate: "skip" (the default) returns the document that has the content, "new_version" adds a version to a
            document, "keep" creates another document, "ask" registers nothing if the content or the name is there.
        version_of: With "new_version", the document's id; None: the document of this name.
        pages: An estimate, which counts among what waits to be read.
    """
    return await store.rpc(
        caller,
        "register_document",
        {
            "matter_ref": matter_ref,
            "filename": filename,
            "content_type": content_type,
            "size_bytes": size_bytes,
            "sha256": sha256,
            **given(on_duplicate=on_duplicate, folder_id=folder_id, version_of=version_of, pages=pages),
        },
    )


async def document_stored(store: Store, caller: Caller, document_id: str, *, storage_key: str | None = None) -> StoredDocument:
    """Reports that a registered file is stored, and queues its document.

    `storage_key`: None: the newest registered file that is not stored yet.
    """
    return await store.rpc(caller, "document_stored", {"document_id": document_id, **given(storage_key=storage_key)})


async def withdraw_upload(store: Store, caller: Caller, document_id: str, storage_key: str) -> Withdrawal:
    """Withdraws a registered file whose upload failed."""
    return await store.rpc(caller, "withdraw_upload", {"document_id": document_id, "storage_key": storage_key})


async def open_file(store: Store, caller: Caller, document_id: str, *, name: str | None = None) -> OpenedFile:
    """Finds a stored file of a document.

    `name`: the last part of a storage key, of an older version or a page image; None: the current file.
    """
    return await store.rpc(caller, "open_file", {"document_id": document_id, **given(name=name)})


class FileLimits(TypedDict):
    chat_files: int
    waiting_files: int
    waiting_mb: int
    waiting_pages: int
    waiting_passages: int


async def set_limits(
    worker: WorkerCalls,
    *,
    chat_files: int,
    waiting_files: int,
    waiting_mb: int,
    waiting_pages: int,
    waiting_passages: int,
) -> FileLimits:
    """Sets the limits that registering files checks, from the settings of the installation."""
    return await worker.rpc(
        "set_limits",
        {
            "chat_files": chat_files,
            "waiting_files": waiting_files,
            "waiting_mb": waiting_mb,
            "waiting_pages": waiting_pages,
            "waiting_passages": waiting_passages,
        },
    )
