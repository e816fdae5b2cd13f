"""Documents of a matter.

SQL: supabase/schemas/06_access.sql, 07_documents.sql, 08_ingestion.sql.
"""

from __future__ import annotations

from typing import Literal, TypedDict

from orderly.models import Caller, DocumentStatus
from orderly.store.base import Store
from orderly.store.functions.arguments import given
from orderly.store.functions.ingestion import Health
from orderly.store.functions.matters import Matter

SortKey = Literal["uploaded", "name", "size", "type", "status"]


class DocumentName(TypedDict):
    id: str
    filename: str


class Document(TypedDict):
    id: str
    filename: str
    content_type: str
    size_bytes: int
    status: DocumentStatus
    status_reason: str
    created_at: str
    folder_id: str | None
    stage: DocumentStatus | None
    """The worker's current stage."""
    stage_done: int | None
    stage_total: int | None
    legal_hold: bool
    """Whether the document or its carrier is under a legal hold."""
    has_revision: bool
    page_count: int | None
    """None, like the next three: the document has not been read."""
    paged: bool | None
    char_count: int | None
    chunk_count: int | None
    attached_to: DocumentName | None


class RevisionSummary(TypedDict):
    """The current revision without its text."""

    id: str
    ordinal: int
    reader: str
    paged: bool
    page_count: int
    char_count: int
    chunk_count: int
    embedding_model: str | None
    created_at: str
    published_at: str | None
    storage_key: str
    """Of the file that was read."""
    sha256: str
    filename: str | None
    content_type: str | None


class Revision(RevisionSummary):
    health: Health


class ReadableDocument(Document):
    matter_id: str
    matter_number: str
    sha256: str
    revision: Revision | None


class FullDocument(ReadableDocument):
    storage_key: str


class StoredDocument(FullDocument):
    arrived: bool
    """False: another upload had stored the same file."""


class GroupName(TypedDict):
    id: str
    name: str


class RestrictedDocument(FullDocument):
    group: GroupName | None


class MatterDocuments(TypedDict):
    matter: Matter
    documents: list[Document]


class DocumentPage(MatterDocuments):
    """One page of a list of documents."""

    total: int


class DocumentChanges(TypedDict, total=False):
    filename: str
    folder_id: str | None


class DocumentChange(TypedDict):
    number: int
    document_id: str
    document: Document | None
    """None: deleted, or no longer accessible to the caller."""


class ChangesOfMatter(TypedDict):
    matter_id: str
    more: bool
    """Whether there are further changes now."""
    latest: int
    """Value of `after` for the next call."""
    changes: list[DocumentChange]


class DocumentId(TypedDict):
    document_id: str


async def get_document(store: Store, caller: Caller, document_id: str) -> FullDocument:
    """Finds a document by its id."""
    return await store.rpc(caller, "get_document", {"document_id": document_id})


async def list_documents(store: Store, caller: Caller, matter_ref: str) -> MatterDocuments:
    """Lists the documents of a matter that the caller may read, in the order of upload."""
    return await store.rpc(caller, "list_documents", {"matter_ref": matter_ref})


async def page_documents(
    store: Store,
    caller: Caller,
    matter_ref: str,
    *,
    name_like: str | None = None,
    content_type: str | None = None,
    folder_id: str | None = None,
    sort: SortKey | None = None,
    descending: bool | None = None,
    match_count: int | None = None,
    skip: int | None = None,
) -> DocumentPage:
    """Lists a matter's documents a page at a time.

    Args:
        name_like: A pattern of SQL's `ilike`.
        content_type: The beginning of the media type.
        folder_id: "top" for documents that are in no folder; None: all.
        sort, descending: None: "uploaded", ascending.
    """
    return await store.rpc(
        caller,
        "page_documents",
        {
            "matter_ref": matter_ref,
            **given(
                name_like=name_like,
                content_type=content_type,
                folder_id=folder_id,
                sort=sort,
                descending=descending,
                match_count=match_count,
                skip=skip,
            ),
        },
    )


async def owning_document(store: Store, caller: Caller, document_id: str) -> DocumentId:
    """Finds the document with an id, or whose current revision has the chunk or section with that id."""
    return await store.rpc(caller, "owning_document", {"document_id": document_id})


async def edit_document(
    store: Store, caller: Caller, document_id: str, changes: DocumentChanges, *, seen: DocumentChanges | None = None
) -> FullDocument:
    """Changes a document. Raises Conflict if the document no longer has the values in `seen`."""
    return await store.rpc(caller, "edit_document", {"document_id": document_id, "changes": changes, **given(seen=seen)})


async def move_document(store: Store, caller: Caller, document_id: str, *, folder_id: str | None = None) -> FullDocument:
    """Moves a document into a folder, or to the top level of its matter."""
    return await store.rpc(caller, "move_document", {"document_id": document_id, **given(folder_id=folder_id)})


async def reprocess_document(store: Store, caller: Caller, document_id: str) -> FullDocument:
    """Queues a document to be read again from its newest file."""
    return await store.rpc(caller, "reprocess_document", {"document_id": document_id})


async def restrict_document(
    store: Store, caller: Caller, document_id: str, *, group_ref: str | None = None
) -> RestrictedDocument:
    """Restricts a document to one group, or lifts the restriction. For the matter's owners."""
    return await store.rpc(caller, "restrict_document", {"document_id": document_id, **given(group_ref=group_ref)})


async def document_changes(
    store: Store, caller: Caller, matter_ref: str, *, after: int | None = None, match_count: int | None = None
) -> ChangesOfMatter:
    """Lists a matter's changes after a number; without one, its present documents."""
    return await store.rpc(
        caller, "document_changes", {"matter_ref": matter_ref, **given(after=after, match_count=match_count)}
    )
