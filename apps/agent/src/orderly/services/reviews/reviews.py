"""The operations that a caller may do with reviews. The store checks access."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args
from uuid import UUID

from orderly.errors import Invalid, NotFound
from orderly.models import Caller
from orderly.services.engines import LegalEngine
from orderly.services.reviews.asked_columns import propose_column
from orderly.services.reviews.corrections import corrected_value
from orderly.services.text import validate_query
from orderly.store.base import Store
from orderly.store.functions import review_cells as stored_cells
from orderly.store.functions import reviews as stored
from orderly.store.functions.matters import get_matter
from orderly.store.functions.review_cells import AnswerType, Cell, CellValue, ReviewRow, ReviewRows
from orderly.store.functions.reviews import ColumnChanges, ColumnQuestion, DeletedReview, Review, ReviewChanges

ANSWER_TYPES: tuple[AnswerType, ...] = get_args(AnswerType)
MAX_TITLE = 200
MAX_QUESTION = 1000
MAX_OPTIONS = 50
ROWS_AT_ONCE = 100
MAX_NAMES = 20
NO_REVIEW = "Review {review} not found or you don't have access."


@dataclass(frozen=True, slots=True)
class ReviewTable:
    """A review with rows: all, or one page of them."""

    review: Review
    rows: Sequence[ReviewRow]
    total: int


@dataclass(frozen=True, slots=True)
class Reviews:
    store: Store
    engine: LegalEngine
    cell_limit: int
    """Cells of all reviews of one matter."""

    async def of_matter(self, caller: Caller, matter_ref: str) -> list[Review]:
        """Lists the reviews of a matter, the newest first."""
        return await stored.list_reviews(self.store, caller, matter_ref)

    async def find(self, caller: Caller, matter_ref: str, review: str) -> Review:
        """Finds a review of a matter by its id or name. Raises NotFound."""
        matter = await get_matter(self.store, caller, matter_ref)
        if _is_id(review):
            found = await stored.get_review(self.store, caller, review)
            if found["matter_id"] == matter["id"]:
                return found
            raise NotFound(NO_REVIEW.format(review=review))
        reviews = await stored.list_reviews(self.store, caller, matter_ref)
        named = [found for found in reviews if found["name"].casefold() == review.strip().casefold()]
        if not named:
            names = ", ".join(found["name"] for found in reviews[:MAX_NAMES])
            listed = f"Reviews of this matter: {names}." if names else "The matter has none."
            raise NotFound(f"{NO_REVIEW.format(review=review)} {listed}")
        return named[0]

    async def create(
        self,
        caller: Caller,
        matter_ref: str,
        name: str,
        columns: Sequence[ColumnQuestion] = (),
        *,
        document_ids: Sequence[str] | None = None,
        run: bool = False,
    ) -> Review:
        """Creates a review of chosen documents, or (None) of every document of the matter, also of later ones."""
        checked = [check_column(column) for column in columns]
        ids = None if document_ids is None else list(document_ids)
        made = await stored.create_review(self.store, caller, matter_ref, name, document_ids=ids)
        if checked:
            made = await stored.add_review_columns(self.store, caller, made["id"], checked, cell_limit=self.cell_limit)
        return await self.run(caller, made["id"]) if run else made

    async def keep_question(
        self, caller: Caller, matter_ref: str, name: str, question: str, document_ids: Sequence[str] | None
    ) -> Review:
        """Keeps a question as a column of the review with this name, creates it if there is none, and queues its cells."""
        column = await propose_column(self.engine, question)
        known = [r for r in await self.of_matter(caller, matter_ref) if r["name"].casefold() == name.strip().casefold()]
        if not known:
            return await self.create(caller, matter_ref, name, [column], document_ids=document_ids, run=True)
        if all(c["question"] != column["question"] for c in known[0]["columns"]):
            await self.add_columns(caller, known[0]["id"], [column])
        return await self.run(caller, known[0]["id"])

    async def add_columns(self, caller: Caller, review_id: str, columns: Sequence[ColumnQuestion]) -> Review:
        checked = [check_column(column) for column in columns]
        return await stored.add_review_columns(self.store, caller, review_id, checked, cell_limit=self.cell_limit)

    async def edit(self, caller: Caller, review_id: str, changes: ReviewChanges) -> Review:
        """Renames a review, or puts its columns into another order."""
        return await stored.edit_review(self.store, caller, review_id, changes)

    async def edit_column(self, caller: Caller, column_id: str, changes: ColumnChanges) -> Review:
        """Changes a column; unless only the title changes, it is answered again, and no other column is."""
        return await stored.edit_review_column(self.store, caller, column_id, check_changes(changes))

    async def delete_column(self, caller: Caller, column_id: str) -> Review:
        return await stored.delete_review_column(self.store, caller, column_id)

    async def delete(self, caller: Caller, review_id: str) -> DeletedReview:
        return await stored.delete_review(self.store, caller, review_id)

    async def run(self, caller: Caller, review_id: str, *, again: bool = False) -> Review:
        """Queues the cells that are missing, stale or failed. `again`: also answered cells without a verdict."""
        return await stored.run_review(self.store, caller, review_id, cell_limit=self.cell_limit, again=again or None)

    async def cancel(self, caller: Caller, review_id: str) -> Review:
        return await stored.cancel_review(self.store, caller, review_id)

    async def rows(self, caller: Caller, review_id: str, *, limit: int = ROWS_AT_ONCE, offset: int = 0) -> ReviewRows:
        return await stored_cells.review_rows(self.store, caller, review_id, match_count=limit, skip=offset)

    async def table(self, caller: Caller, review: Review) -> ReviewTable:
        """Reads all rows of a review."""
        rows: list[ReviewRow] = []
        while True:
            page = await self.rows(caller, review["id"], offset=len(rows))
            rows += page["rows"]
            if not page["rows"] or len(rows) >= page["total"]:
                return ReviewTable(review, rows, page["total"])

    async def judge(
        self,
        caller: Caller,
        cell_id: str,
        verdict: Literal["accepted", "corrected", "rejected", "none"],
        *,
        seen: int,
        value: CellValue | None = None,
        note: str = "",
    ) -> Cell:
        """Gives a verdict on a cell, or withdraws it. `seen`: the edition of the cell that the person looked at.

        A correction is read by the type of its value. Raises Invalid with what is accepted if it has another form, Changed if
        the cell has changed since.
        """
        if value is not None and value["type"] in ANSWER_TYPES:
            value = corrected_value(value)
        return await stored_cells.judge_cell(self.store, caller, cell_id, verdict, seen=seen, value=value, note=note or None)


def check_column(column: ColumnQuestion) -> ColumnQuestion:
    """Normalises a column's words. Raises Invalid with what is accepted."""
    options = _options(column.get("options") or ())
    if column["answer_type"] not in ANSWER_TYPES:
        raise Invalid(f"The type of a column's answers is one of {', '.join(ANSWER_TYPES)}.")
    if (column["answer_type"] == "choice") != (len(options) >= 2):
        raise Invalid("A choice names at least two options, and no other type names any.")
    subject = column.get("subject")
    checked: ColumnQuestion = {
        "title": _title(column["title"]),
        "question": validate_query(column["question"], "question", MAX_QUESTION),
        "answer_type": column["answer_type"],
        "options": options,
        "subject": validate_query(subject, "subject", 500) if subject else None,
    }
    return {**checked, "document_ids": column["document_ids"]} if "document_ids" in column else checked


def check_changes(changes: ColumnChanges) -> ColumnChanges:
    checked: ColumnChanges = {**changes}
    if "title" in checked:
        checked["title"] = _title(checked["title"])
    if "question" in checked:
        checked["question"] = validate_query(checked["question"], "question", MAX_QUESTION)
    if "options" in checked:
        checked["options"] = _options(checked["options"])
    return checked


def _title(title: str) -> str:
    words = " ".join(title.split())
    if not 0 < len(words) <= MAX_TITLE or not words.isprintable():
        raise Invalid(f"A column's title is one line of visible text, of at most {MAX_TITLE} characters.")
    return words


def _options(options: Sequence[str]) -> list[str]:
    words = list(dict.fromkeys(" ".join(option.split()) for option in options if option.strip()))
    if len(words) > MAX_OPTIONS or any(len(word) > MAX_TITLE or not word.isprintable() for word in words):
        raise Invalid(f"A choice has at most {MAX_OPTIONS} options, each of at most {MAX_TITLE} visible characters.")
    return words


def _is_id(ref: str) -> bool:
    try:
        UUID(ref)
    except ValueError:
        return False
    return True
