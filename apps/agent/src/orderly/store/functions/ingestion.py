"""Ingestion by workers, from the queue to the published revision.

SQL: supabase/schemas/07_documents.sql, 08_ingestion.sql.
"""

from __future__ import annotations

from typing import Any, Literal, TypedDict

from orderly.models import DocumentStatus
from orderly.store.base import WorkerCalls
from orderly.store.functions.arguments import given


class WorkerDocument(TypedDict):
    """A document as workers and the operator see it."""

    id: str
    tenant_id: str
    matter_id: str
    filename: str
    content_type: str
    size_bytes: int
    sha256: str
    storage_key: str
    status: DocumentStatus
    deleted: bool
    legal_hold: bool
    in_chat: bool
    """Whether it is a file of one conversation."""


class ClaimedDocument(WorkerDocument):
    claim: int
    """The number of the worker's claim. A newer claim invalidates it."""
    attempts: int
    """Number of this attempt, from 1."""


class IngestedDocument(WorkerDocument):
    status_reason: str
    page_count: int | None
    """None, like the next two: the document has not been read."""
    paged: bool | None
    chunk_count: int | None


class RescuedWork(TypedDict):
    jobs: int
    """Jobs of silent workers that were dropped."""
    documents: int
    """Documents that were queued again."""


class QueueState(TypedDict):
    waiting: int
    later: int
    working: int
    workers: int


class HiddenText(TypedDict):
    page: int | None
    """None: the format has no pages."""
    text: str


class AttachmentReport(TypedDict):
    """The outcome for an attachment."""

    name: str
    type: str | None
    """Content type according to the carrier."""
    bytes: int
    outcome: str
    document_id: str | None
    note: str


class Health(TypedDict, total=False):
    """How a file was read, as the worker reports it with the revision."""

    edition: int
    """Of the readers; a later one may store something else of the same file."""
    summary: str
    sentences: list[str]
    reader: str
    pages: int | None
    characters: int
    ocr_pages: list[int]
    ocr_confidence: float | None
    flags: dict[str, list[int]]
    """Numbers of pages by flag."""
    notes: list[str]
    incomplete: list[str]
    hidden_text: list[HiddenText]
    attachments: list[AttachmentReport]
    details: dict[str, object]


class QueuedAgain(TypedDict):
    document_id: str
    filename: str
    upload_order: int


class NewRevision(TypedDict):
    id: str
    text: str
    page_count: int
    chunk_count: int
    paged: bool
    reader: str
    health: Health
    embedding_model: str | None


class BegunRevision(TypedDict):
    revision_id: str
    ordinal: int


RowKind = Literal["pages", "sections", "chunks", "embeddings"]


async def outdated_documents(worker: WorkerCalls, edition: int) -> int:
    """Counts the documents that an edition of the readers before this one has read."""
    return await worker.rpc("outdated_documents", {"edition": edition})


async def queue_outdated(
    worker: WorkerCalls, edition: int, *, after: int | None = None, row_count: int | None = None
) -> list[QueuedAgain]:
    """Queues documents that an edition of the readers before this one has read, those after an upload order."""
    return await worker.rpc("queue_outdated", {"edition": edition, **given(after=after, row_count=row_count)})


async def claim_document(
    worker: WorkerCalls, document_id: str, *, lease_seconds: int, max_attempts: int
) -> ClaimedDocument | None:
    """Claims a queued document, or one whose lease of `lease_seconds` has expired.

    None: there is nothing to do, another worker holds the claim, or the last of `max_attempts` has failed.
    """
    return await worker.rpc(
        "claim_document", {"document_id": document_id, "lease_seconds": lease_seconds, "max_attempts": max_attempts}
    )


async def claim_next(
    worker: WorkerCalls, *, lease_seconds: int, max_attempts: int, for_others: bool | None = None
) -> ClaimedDocument | None:
    """Claims the next document, fair to firms, people and sizes. None: no document waits.

    `for_others`: only documents of people who have none in work.
    """
    limits = {"lease_seconds": lease_seconds, "max_attempts": max_attempts}
    return await worker.rpc("claim_next", {**limits, **given(for_others=for_others)})


async def renew_claim(
    worker: WorkerCalls,
    document_id: str,
    claim: int,
    *,
    stage: str | None = None,
    stage_done: int | None = None,
    stage_total: int | None = None,
) -> None:
    """Renews a claim's lease and reports progress. Raises TakenOver when the claim is lost."""
    await worker.rpc(
        "renew_claim",
        {"document_id": document_id, "claim": claim, **given(stage=stage, stage_done=stage_done, stage_total=stage_total)},
    )


async def set_document_status(
    worker: WorkerCalls,
    document_id: str,
    *,
    claim: int,
    status: DocumentStatus,
    reason: str | None = None,
) -> WorkerDocument:
    """Reports a stage of the work, or that the document cannot be read. Raises TakenOver when the claim is lost."""
    return await worker.rpc(
        "set_document_status",
        {
            "document_id": document_id,
            "claim": claim,
            "status": status,
            **given(reason=reason),
        },
    )


async def retry_document(
    worker: WorkerCalls, document_id: str, *, claim: int, reason: str, delay_seconds: float, counted: bool | None = None
) -> WorkerDocument:
    """Queues a claimed document for another attempt after a delay. Raises TakenOver when the claim is lost.

    `counted` False: does not count as an attempt.
    """
    return await worker.rpc(
        "retry_document",
        {
            "document_id": document_id,
            "claim": claim,
            "reason": reason,
            "delay_seconds": delay_seconds,
            **given(counted=counted),
        },
    )


async def rescue_documents(worker: WorkerCalls, lease_seconds: int) -> RescuedWork:
    """Queues documents again whose lease has expired or that have no job."""
    return await worker.rpc("rescue_documents", {"lease_seconds": lease_seconds})


async def worker_document(worker: WorkerCalls, document_id: str) -> IngestedDocument:
    """Finds a document by its id."""
    return await worker.rpc("worker_document", {"document_id": document_id})


async def queue_state(worker: WorkerCalls, lease_seconds: int) -> QueueState:
    """Counts jobs and workers."""
    return await worker.rpc("queue_state", {"lease_seconds": lease_seconds})


async def begin_revision(worker: WorkerCalls, document_id: str, *, claim: int, revision: NewRevision) -> BegunRevision:
    """Begins a revision, which becomes visible when published. Raises TakenOver when the claim is lost."""
    return await worker.rpc("begin_revision", {"document_id": document_id, "claim": claim, "revision": revision})


async def add_revision_rows(
    worker: WorkerCalls, document_id: str, *, claim: int, revision_id: str, kind: RowKind, rows: list[dict[str, Any]]
) -> int:
    """Adds rows to an unpublished revision, and returns their number."""
    return await worker.rpc(
        "add_revision_rows",
        {"document_id": document_id, "claim": claim, "revision_id": revision_id, "kind": kind, "rows": rows},
    )


async def publish_revision(
    worker: WorkerCalls,
    document_id: str,
    *,
    claim: int,
    revision_id: str,
    status: DocumentStatus,
    reason: str,
    embedding_count: int,
) -> WorkerDocument:
    """Makes a complete revision the current one. Raises TakenOver when the claim is lost."""
    return await worker.rpc(
        "publish_revision",
        {
            "document_id": document_id,
            "claim": claim,
            "revision_id": revision_id,
            "status": status,
            "reason": reason,
            "embedding_count": embedding_count,
        },
    )
