"""Reviews: a question per column, put to every document of a matter; cells with answers and verdicts.

SQL: supabase/schemas/15_reviews.sql.
"""

from __future__ import annotations

from typing import Literal, TypedDict

from orderly.models import Caller, DocumentStatus
from orderly.store.base import Store, WorkerCalls
from orderly.store.functions.arguments import given
from orderly.store.functions.revisions import RevisionText, Span

AnswerType = Literal["text", "date", "duration", "money", "number", "yes_no", "jurisdiction", "parties", "choice"]
CellState = Literal["queued", "found", "candidate", "not_found", "failed", "stale"]
"""queued: never answered. stale: the document or the question has changed since the answer."""
ReviewStatus = Literal["draft", "running", "done", "cancelled"]
Verdict = Literal["accepted", "corrected", "rejected"]


class AnyValue(TypedDict):
    """What every value has."""

    type: AnswerType
    text: str
    """What a person reads."""


class CellValue(AnyValue, total=False):
    """A typed value. Its type decides which fields it has."""

    iso: str | None
    """ISO 8601. A date, also partial ("2019-03-05", "2019-03", "2019"; None: left open); a duration of one unit ("P90D")."""
    number: float | None
    """For sorting: a number, an amount, the days of a duration."""
    business_days: bool
    perpetual: bool
    amount: str | None
    """Of money, as a decimal number."""
    currency: str | None
    """ISO 4217; None: the document says "dollars" only."""
    yes: bool | None
    jurisdiction: str | None
    """Canonical name, such as "New South Wales, Australia"."""
    parties: list[Party]
    choice: str | None
    partial: bool
    """Something is missing: a day, a currency."""
    conflict: str
    """What does not agree, such as "ninety (30)"; the cell is then a candidate."""
    computed: str
    """How the value follows from its quotations, where no quotation states it."""


class Party(TypedDict):
    name: str
    defined: str | None
    """The name by which the document goes on to call them."""


class CellReading(TypedDict):
    """What was read for an answer."""

    characters: int
    pages: int | None
    """None: the format has no pages."""
    unread: list[int]
    """Numbers of pages whose text may be missing."""
    incomplete: str
    """Why text of the document may be missing; empty if all was read."""


class AnyQuestion(TypedDict):
    title: str
    question: str
    answer_type: AnswerType


class ColumnQuestion(AnyQuestion, total=False):
    """What a column asks."""

    options: list[str]
    """At least two for a choice, else empty."""
    subject: str | None
    """What the column looks for, such as a type of clause; None: the question is put to the document."""


class ColumnChanges(TypedDict, total=False):
    title: str
    question: str
    answer_type: AnswerType
    options: list[str]
    subject: str | None


class WaitingColumn(TypedDict):
    """A column that waits for its answer in one document."""

    id: str
    title: str
    question: str
    answer_type: AnswerType
    options: list[str]
    subject: str | None
    edition: int
    """Grows when the question changes."""


class Column(WaitingColumn):
    states: dict[str, int]
    """Number of cells of readable documents by state."""
    verdicts: int


class Review(TypedDict):
    id: str
    matter_id: str
    matter_number: str
    name: str
    status: ReviewStatus
    chosen: bool
    """Whether it is about chosen documents, not about every document of the matter."""
    made_by: str | None
    """E-mail address."""
    created_at: str
    documents: int
    """Readable ones."""
    waiting: int
    """Cells that are queued or stale."""
    changed: int
    """Time of the last change of a cell, in microseconds."""
    columns: list[Column]


class DeletedReview(TypedDict):
    id: str
    name: str


class CellCitation(TypedDict):
    id: str
    revision_id: str
    start: int
    end: int
    quote: str
    page: int
    paged: bool
    section_label: str | None
    section_title: str | None


class CellVerdict(TypedDict):
    verdict: Verdict
    value: CellValue | None
    """What was accepted or put in place of the answer. A correction has no quotation of its own."""
    note: str
    by: str | None
    """E-mail address."""
    at: str
    current: bool
    """Whether it is about the document's current revision and the column's current question."""


class Cell(TypedDict):
    id: str
    column_id: str
    document_id: str
    state: CellState
    edition: int
    """Grows with every change of the cell."""
    changed: int
    revision_id: str | None
    """The revision that was read; None: never answered."""
    current: bool
    """Whether the answer is of the document's current revision and the column's current question."""
    value: CellValue | None
    citations: list[CellCitation]
    read: CellReading | None
    confidence: float | None
    engine: str | None
    model: str | None
    note: str
    answered_at: str | None
    verdict: CellVerdict | None


class ReviewedDocument(TypedDict):
    id: str
    filename: str
    status: DocumentStatus
    status_reason: str
    current_revision_id: str | None
    """None: the document has not been read, so it has no cells."""


class ReviewRow(TypedDict):
    document: ReviewedDocument
    cells: list[Cell]


class ReviewRows(TypedDict):
    total: int
    rows: list[ReviewRow]


class ReviewChanges(TypedDict):
    review: Review
    more: bool
    cells: list[Cell]


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


async def create_review(
    store: Store, caller: Caller, matter_ref: str, name: str, *, document_ids: list[str] | None = None
) -> Review:
    """Creates a review of chosen documents, or (None) of every document of the matter, also of later ones. For editors."""
    return await store.rpc(
        caller, "create_review", {"matter_ref": matter_ref, "name": name, **given(document_ids=document_ids)}
    )


async def list_reviews(store: Store, caller: Caller, matter_ref: str) -> list[Review]:
    """Lists the reviews of a matter, the newest first."""
    return await store.rpc(caller, "list_reviews", {"matter_ref": matter_ref})


async def get_review(store: Store, caller: Caller, review_id: str) -> Review:
    return await store.rpc(caller, "get_review", {"review_id": review_id})


async def delete_review(store: Store, caller: Caller, review_id: str) -> DeletedReview:
    """Deletes a review with its cells and verdicts. For editors."""
    return await store.rpc(caller, "delete_review", {"review_id": review_id})


async def add_review_columns(
    store: Store, caller: Caller, review_id: str, columns: list[ColumnQuestion], *, cell_limit: int
) -> Review:
    """Adds columns; an active review answers them at once. For editors. Raises Invalid over the matter's limit of cells."""
    return await store.rpc(caller, "add_review_columns", {"review_id": review_id, "columns": columns, "cell_limit": cell_limit})


async def edit_review_column(store: Store, caller: Caller, column_id: str, changes: ColumnChanges) -> Review:
    """Changes a column. Its cells become stale, and no others, unless only the title changes. For editors."""
    return await store.rpc(caller, "edit_review_column", {"column_id": column_id, "changes": changes})


async def delete_review_column(store: Store, caller: Caller, column_id: str) -> Review:
    """Deletes a column with its cells and verdicts. For editors."""
    return await store.rpc(caller, "delete_review_column", {"column_id": column_id})


async def run_review(store: Store, caller: Caller, review_id: str, *, cell_limit: int, again: bool | None = None) -> Review:
    """Queues the cells that are missing, stale or failed. `again`: also answered cells without a verdict. For editors."""
    return await store.rpc(caller, "run_review", {"review_id": review_id, "cell_limit": cell_limit, **given(again=again)})


async def cancel_review(store: Store, caller: Caller, review_id: str) -> Review:
    """Stops the work on a review; what is answered stays. For editors."""
    return await store.rpc(caller, "cancel_review", {"review_id": review_id})


async def review_rows(
    store: Store,
    caller: Caller,
    review_id: str,
    *,
    document_ids: list[str] | None = None,
    match_count: int | None = None,
    skip: int | None = None,
) -> ReviewRows:
    """Reads rows, in the order of upload. `document_ids`: only these documents."""
    return await store.rpc(
        caller,
        "review_rows",
        {"review_id": review_id, **given(document_ids=document_ids, match_count=match_count, skip=skip)},
    )


async def review_changes(
    store: Store, caller: Caller, review_id: str, after: int, *, match_count: int | None = None
) -> ReviewChanges:
    """Lists the cells that changed after a time (`Cell.changed`), in order."""
    return await store.rpc(caller, "review_changes", {"review_id": review_id, "after": after, **given(match_count=match_count)})


async def judge_cell(
    store: Store,
    caller: Caller,
    cell_id: str,
    verdict: Literal["accepted", "corrected", "rejected", "none"],
    *,
    seen: int,
    value: CellValue | None = None,
    note: str | None = None,
) -> Cell:
    """Gives a verdict, or withdraws it ("none"). For editors.

    `seen`: the cell's edition that the person looked at. Raises Changed if the cell has changed since.
    """
    return await store.rpc(
        caller, "judge_cell", {"cell_id": cell_id, "verdict": verdict, "seen": seen, **given(value=value, note=note)}
    )


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
