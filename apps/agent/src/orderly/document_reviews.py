"""Reviews of one matter from Python: `DocumentService.reviews`. All calls block. Documented in docs/python.md."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from pathlib import Path
from typing import Any, Literal, TypedDict, cast

from orderly.errors import Invalid
from orderly.models import Caller
from orderly.services.exports import FORMATS
from orderly.services.reviews import (
    ReviewTable,
    columns_to_ask,
    effective_state,
    effective_value,
    find_cell,
    named_column,
)
from orderly.store.functions.review_cells import Cell, CellValue
from orderly.store.functions.reviews import Review
from orderly.wiring.services import Operator, Services

POLL_SECONDS = 0.5
"""Interval of looking for rows that a worker elsewhere holds."""

Opened = tuple[Services, Operator, Caller, str]


class ReviewCell(TypedDict):
    source_file: str
    column: str
    state: str
    """A person's verdict (accepted, corrected, rejected), else found, candidate, not_found, queued, stale or failed."""
    value: str | None
    quotation: str | None
    page: int | None


class DocumentReviews:
    """Reviews of a `DocumentService`, by their names."""

    def __init__(self, run: Callable[[Coroutine[Any, Any, Any]], Any], opened: Callable[[], Opened]) -> None:
        self._run, self._opened = run, opened

    def make(self, name: str, questions: Sequence[str] = (), sets: Sequence[str] = ()) -> None:
        """Makes a review of every document. `sets`: of ready-made columns, such as "leases"."""
        self._run(self._make(name, questions, sets))

    def add_columns(self, name: str, questions: Sequence[str] = (), sets: Sequence[str] = ()) -> None:
        """Adds the columns that the review does not have yet. `run` answers them."""
        self._run(self._add_columns(name, questions, sets))

    def run(self, name: str) -> int:
        """Answers what is missing, stale or failed, and returns the number of cells of the review."""
        return cast(int, self._run(self._answer(name)))

    def cells(self, name: str) -> list[ReviewCell]:
        """The cells of a review, row by row."""
        return cast(list[ReviewCell], self._run(self._cells(name)))

    def judge(
        self,
        name: str,
        source_file: str,
        column: str,
        verdict: Literal["accepted", "corrected", "rejected", "none"],
        *,
        value: str | None = None,
        note: str = "",
    ) -> None:
        """Gives a verdict on a cell, or withdraws it. `value`: of a correction.

        Raises:
            Invalid: the value has another form than the column's answers.

        """
        self._run(self._judge(name, source_file, column, verdict, value, note))

    def export(self, name: str, path: str | Path) -> None:
        """Writes a review to an .xlsx, .docx or .csv file."""
        self._run(self._export(name, Path(path)))

    async def _make(self, name: str, questions: Sequence[str], sets: Sequence[str]) -> None:
        services, _, caller, matter = self._opened()
        await services.reviews.create(caller, matter, name, await columns_to_ask(services.engine, questions, sets))

    async def _add_columns(self, name: str, questions: Sequence[str], sets: Sequence[str]) -> None:
        services, _, caller, _ = self._opened()
        review = await self._review(name)
        if columns := await columns_to_ask(services.engine, questions, sets, review["columns"]):
            await services.reviews.add_columns(caller, review["id"], columns)

    async def _answer(self, name: str) -> int:
        services, operator, caller, matter = self._opened()
        review = await services.reviews.run(caller, (await self._review(name))["id"])
        while review["status"] == "running":
            await operator.rows.answer_due(review["id"])
            review = await services.reviews.find(caller, matter, review["id"])
            if review["status"] == "running":
                await asyncio.sleep(POLL_SECONDS)
        return sum(sum(column["states"].values()) for column in review["columns"])

    async def _cells(self, name: str) -> list[ReviewCell]:
        table = await self._table(await self._review(name))
        titles = {column["id"]: column["title"] for column in table.review["columns"]}
        return [
            _shown(row["document"]["filename"], titles[cell["column_id"]], cell) for row in table.rows for cell in row["cells"]
        ]

    async def _judge(self, name: str, source_file: str, column: str, verdict: Any, value: str | None, note: str) -> None:
        services, _, caller, _ = self._opened()
        review = await self._review(name)
        asked = named_column(column, review["columns"])
        cell = find_cell(await self._table(review), source_file, asked)
        corrected = None if value is None else cast(CellValue, {"type": asked["answer_type"], "text": value})
        await services.reviews.judge(caller, cell["id"], verdict, seen=cell["edition"], value=corrected, note=note)

    async def _export(self, name: str, path: Path) -> None:
        services, _, caller, _ = self._opened()
        wanted = next((format for format in FORMATS if path.suffix.lower() == f".{format}"), None)
        if wanted is None:
            raise Invalid(f"The name must end in {', '.join(f'.{format}' for format in FORMATS)}.")
        content = await services.exports.export(caller, await self._review(name), wanted)
        await asyncio.to_thread(path.write_bytes, content)

    async def _review(self, name: str) -> Review:
        services, _, caller, matter = self._opened()
        return await services.reviews.find(caller, matter, name)

    async def _table(self, review: Review) -> ReviewTable:
        services, _, caller, _ = self._opened()
        return await services.reviews.table(caller, review)


def _shown(source_file: str, column: str, cell: Cell) -> ReviewCell:
    value = effective_value(cell)
    citation = next(iter(cell["citations"]), None)
    return {
        "source_file": source_file,
        "column": column,
        "state": effective_state(cell),
        "value": None if value is None else value["text"],
        "quotation": None if citation is None else citation["quote"],
        "page": citation["page"] if citation is not None and citation["paged"] else None,
    }
