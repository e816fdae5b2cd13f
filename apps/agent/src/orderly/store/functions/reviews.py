"""Reviews: a question per column, put to every document of a matter.

SQL: supabase/schemas/15_reviews.sql.
"""

from __future__ import annotations

from typing import Literal, TypedDict

from orderly.models import Caller
from orderly.store.base import Store
from orderly.store.functions.arguments import given
from orderly.store.functions.review_cells import AnswerType, Cell

ReviewStatus = Literal["draft", "running", "done", "cancelled"]


class AnyQuestion(TypedDict):
    title: str
    question: str
    answer_type: AnswerType


class ColumnQuestion(AnyQuestion, total=False):
    """The question of a column."""

    options: list[str]
    """At least two for a choice, else empty."""
    subject: str | None
    """Subject to look for, such as a type of clause; None: the question is put to the document."""
    document_ids: list[str]
    """The column is put to these documents first, and to the others when the review is run. Left out: to every document."""


class ReviewChanges(TypedDict, total=False):
    name: str
    columns: list[str]
    """Ids of all columns, in their new order."""


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


class ChangedCells(TypedDict):
    review: Review
    more: bool
    cells: list[Cell]


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


async def edit_review(store: Store, caller: Caller, review_id: str, changes: ReviewChanges) -> Review:
    """Renames a review, or puts its columns into another order. For editors."""
    return await store.rpc(caller, "edit_review", {"review_id": review_id, "changes": changes})


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


async def review_changes(
    store: Store, caller: Caller, review_id: str, after: int, *, match_count: int | None = None
) -> ChangedCells:
    """Lists the cells that changed after a time (`Cell.changed`), in order."""
    return await store.rpc(caller, "review_changes", {"review_id": review_id, "after": after, **given(match_count=match_count)})
