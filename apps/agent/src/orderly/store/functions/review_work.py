"""Work on reviews: workers claim a row, a document with its waiting columns, and save its answers.

SQL: supabase/schemas/15_reviews.sql.
"""

from __future__ import annotations

from typing import Literal, TypedDict

from orderly.models import Span
from orderly.store.base import WorkerCalls
from orderly.store.functions.arguments import given
from orderly.store.functions.review_cells import CellReading, CellValue
from orderly.store.functions.reviews import WaitingColumn
from orderly.store.functions.revisions import RevisionText


class AnsweredCell(TypedDict):
    """An answer as a worker saves it."""

    column_id: str
    column_edition: int
    state: Literal["found", "candidate", "not_found", "failed"]
    value: CellValue | None
    citations: list[Span]
    read: CellReading
    confidence: float | None
    engine: str
    model: str | None
    note: str


class ClaimedRow(TypedDict):
    claim: int
    attempts: int
    revision: RevisionText
    columns: list[WaitingColumn]


class SavedCells(TypedDict):
    saved: int
    waiting: int


class DueRow(TypedDict):
    review_id: str
    document_id: str


async def claim_review_row(
    worker: WorkerCalls, review_id: str, document_id: str, *, lease_seconds: int, max_attempts: int
) -> ClaimedRow | None:
    """Claims a row, with the document's text and the columns that wait.

    None: there is nothing to do, another worker holds the claim, or the last of `max_attempts` has failed.
    """
    return await worker.rpc(
        "claim_review_row",
        {
            "review_id": review_id,
            "document_id": document_id,
            "lease_seconds": lease_seconds,
            "max_attempts": max_attempts,
        },
    )


async def renew_review_claim(worker: WorkerCalls, review_id: str, document_id: str, claim: int) -> None:
    """Renews a claim's lease. Raises TakenOver when the claim is lost, or the review was cancelled."""
    await worker.rpc("renew_review_claim", {"review_id": review_id, "document_id": document_id, "claim": claim})


async def save_review_cells(
    worker: WorkerCalls, review_id: str, document_id: str, *, claim: int, revision_id: str, cells: list[AnsweredCell]
) -> SavedCells:
    """Writes answers of a claimed row. Each waiting cell is saved once. Raises TakenOver when the claim is lost."""
    return await worker.rpc(
        "save_review_cells",
        {"review_id": review_id, "document_id": document_id, "claim": claim, "revision_id": revision_id, "cells": cells},
    )


async def release_review_row(
    worker: WorkerCalls,
    review_id: str,
    document_id: str,
    *,
    claim: int,
    delay_seconds: float,
    counted: bool | None = None,
) -> None:
    """Ends a claim and queues the row for another attempt after a delay. `counted` False: does not count as an attempt."""
    await worker.rpc(
        "release_review_row",
        {
            "review_id": review_id,
            "document_id": document_id,
            "claim": claim,
            "delay_seconds": delay_seconds,
            **given(counted=counted),
        },
    )


async def due_review_rows(
    worker: WorkerCalls, lease_seconds: int, *, review_id: str | None = None, match_count: int | None = None
) -> list[DueRow]:
    """Lists rows that can be claimed at once, of one review or (None) of all."""
    return await worker.rpc(
        "due_review_rows", {"lease_seconds": lease_seconds, **given(review_id=review_id, match_count=match_count)}
    )


async def rescue_reviews(worker: WorkerCalls, lease_seconds: int) -> int:
    """Wakes workers for waiting rows that have no job. Returns their number."""
    return await worker.rpc("rescue_reviews", {"lease_seconds": lease_seconds})
