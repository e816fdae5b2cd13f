"""Cells of a review: values, quotations, verdicts of people; rows as they are read.

SQL: supabase/schemas/15_reviews.sql.
"""

from __future__ import annotations

from typing import Literal, TypedDict

from orderly.models import Caller, DocumentStatus
from orderly.store.base import Store
from orderly.store.functions.arguments import given

AnswerType = Literal["text", "date", "duration", "money", "number", "yes_no", "jurisdiction", "parties", "choice"]
CellState = Literal["queued", "found", "candidate", "not_found", "failed", "stale"]
"""queued: never answered. stale: the document or the question has changed since the answer."""
Verdict = Literal["accepted", "corrected", "rejected"]


class AnyValue(TypedDict):
    """Fields of every value."""

    type: AnswerType
    text: str
    """The value as people read it."""


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
    """Contradiction in the document, such as "ninety (30)"; the cell is then a candidate."""
    computed: str
    """How the value follows from its quotations, where no quotation states it."""


class Party(TypedDict):
    name: str
    defined: str | None
    """The defined term by which the document names the party."""


class CellReading(TypedDict):
    """The part of the document that was read for an answer."""

    characters: int
    pages: int | None
    """None: the format has no pages."""
    unread: list[int]
    """Numbers of pages whose text may be missing."""
    incomplete: str
    """Why text of the document may be missing; empty if all was read."""


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
    """The value that was accepted, or that replaces the answer. A correction has no quotation."""
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
