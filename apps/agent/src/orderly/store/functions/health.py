"""Health reports and reading coverage of documents.

SQL: supabase/schemas/07_documents.sql.
"""

from __future__ import annotations

from typing import TypedDict

from orderly.models import Caller, DocumentStatus, PageSource
from orderly.store.base import Store
from orderly.store.functions.arguments import given
from orderly.store.functions.documents import Document, RevisionSummary
from orderly.store.functions.ingestion import AttachmentReport, Health


class ReportedDocument(Document):
    matter_id: str
    matter_number: str
    storage_key: str
    sha256: str
    revision: RevisionSummary | None


class NotablePage(TypedDict):
    """A page that was read by OCR, or has flags."""

    number: int
    label: str | None
    source: PageSource
    confidence: float | None
    ocr_engine: str | None
    flags: list[str]
    characters: int


class AttachmentState(AttachmentReport):
    """An attachment's outcome, with the present state of its document."""

    filename: str | None
    """None, like the next two: there is no document that the caller can access."""
    status: DocumentStatus | None
    status_reason: str | None


class TrackedChange(TypedDict):
    kind: str
    author: str
    date: str
    text: str
    at: int
    """Offset in the text."""
    section: str | None
    """Label and title."""


class VersionRevision(TypedDict):
    id: str
    ordinal: int
    published_at: str
    current: bool


class Version(TypedDict):
    """A file of the document, with the revisions that were read from it."""

    filename: str
    content_type: str
    size_bytes: int | None
    sha256: str
    received_at: str
    received_by: str | None
    """An e-mail address."""
    unread_reason: str | None
    revisions: list[VersionRevision]


class HealthReport(TypedDict):
    document: ReportedDocument
    health: Health | None
    """None: the document has not been read."""
    pages: list[NotablePage]
    attachments: list[AttachmentState]
    changes: list[TrackedChange]
    """Tracked changes, in the order of the text."""
    versions: list[Version]
    """The newest first."""


class UnreadPage(TypedDict):
    number: int
    flags: list[str]


class ReadingCoverage(TypedDict):
    """How far a document was read."""

    document_id: str
    filename: str
    status: DocumentStatus
    status_reason: str
    page_count: int | None
    paged: bool | None
    char_count: int | None
    whole: bool
    """False: `within` names sections of the document only, and the figures are those of the sections and their pages."""
    ocr_pages: int
    ocr_confidence: float | None
    unread: list[UnreadPage]
    """Pages with missing or unreliable text."""


async def get_health(store: Store, caller: Caller, document_id: str) -> HealthReport:
    """Describes how a document was read."""
    return await store.rpc(caller, "get_health", {"document_id": document_id})


async def hidden_text(store: Store, caller: Caller, document_ids: list[str]) -> dict[str, int]:
    """Counts the hidden texts of documents by document id; documents without any, or not the caller's to read, are left out."""
    return await store.rpc(caller, "hidden_text", {"document_ids": document_ids}, repeatable=True)


async def reading_coverage(
    store: Store, caller: Caller, matter_ref: str, *, within: list[str] | None = None
) -> list[ReadingCoverage]:
    """Reports how far documents of a matter were read. `within`: ids of documents, folders and sections; None: all."""
    return await store.rpc(caller, "reading_coverage", {"matter_ref": matter_ref, **given(within=within)})
