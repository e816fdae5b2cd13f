"""Answers one row of a review as a worker: claims it, reads the document once, saves the answers as they come."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from functools import partial
from typing import Any

from orderly.errors import EngineUnavailable, OrderlyError, TakenOver
from orderly.services.documents import coverage_of_revision
from orderly.services.engines import LegalEngine
from orderly.services.policy import matter_usage, policy_of_document
from orderly.services.reviews.cell_answers import CellAnswer
from orderly.services.reviews.cells import answer_cells
from orderly.services.reviews.model_proposals import Proposer
from orderly.services.text import RevisionView
from orderly.settings import Settings
from orderly.store.base import WorkerStore
from orderly.store.functions.review_cells import CellReading
from orderly.store.functions.review_work import (
    AnsweredCell,
    ClaimedRow,
    claim_review_row,
    due_review_rows,
    release_review_row,
    renew_review_claim,
    save_review_cells,
)
from orderly.store.functions.reviews import WaitingColumn
from orderly.store.leases import RENEWALS, under_lease

SAVE_SECONDS = 0.5
"""Answers of this time are saved together."""


_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class RowAnswerer:
    worker: WorkerStore
    engine: LegalEngine
    settings: Settings
    proposer: Proposer | None = None
    """Puts what is open to the language model; None: there is none."""

    async def answer(self, review_id: str, document_id: str) -> bool:
        """Answers the waiting cells of one row. Idempotent; can be repeated after any interruption.

        Returns False if there is nothing to do, or if another worker holds the row or takes it over.
        """
        claimed = await claim_review_row(
            self.worker,
            review_id,
            document_id,
            lease_seconds=self.settings.lease_seconds,
            max_attempts=self.settings.max_attempts,
        )
        if claimed is None:
            return False
        row = _Row(self.worker, review_id, document_id, claimed, self.settings.lease_seconds)
        try:
            async with policy_of_document(self.worker, document_id):
                await row.run(self._answer(row))
        except TakenOver as error:
            _log.info("Review %s, document %s: %s", review_id, document_id, error.message)
            return False
        except EngineUnavailable as error:
            await self._put_off(row, error)
        except asyncio.CancelledError:
            with suppress(OrderlyError):
                await asyncio.shield(row.release(0, counted=False))
            raise
        return True

    async def answer_due(self, review_id: str) -> int:
        """Answers the rows of one review that no worker holds. Returns their number."""
        done = 0
        while rows := await due_review_rows(self.worker, self.settings.lease_seconds, review_id=review_id, match_count=1000):
            for row in rows:
                done += await self.answer(row["review_id"], row["document_id"])
        return done

    async def _answer(self, row: _Row) -> None:
        view = RevisionView(row.claimed["revision"])
        reading = _reading(view)
        async with matter_usage.charge_ingestion(self.worker, row.document_id), row.saving() as batch:
            answers = answer_cells(
                self.engine, view, row.claimed["columns"], seconds=self.settings.isaacus_seconds, proposer=self.proposer
            )
            async for answer in answers:
                await batch.add(_saved(answer, reading, self.engine.description))

    async def _put_off(self, row: _Row, error: EngineUnavailable) -> None:
        """Queues the row again, or fails its waiting cells after the last attempt."""
        with suppress(TakenOver):
            if row.claimed["attempts"] < self.settings.max_attempts:
                await row.release(self.settings.retry_seconds * 2 ** (row.claimed["attempts"] - 1))
                return
            reading = _reading(RevisionView(row.claimed["revision"]))
            failed = [CellAnswer(column, "failed", note=error.message) for column in row.claimed["columns"]]
            await row.save([_saved(answer, reading, self.engine.description) for answer in failed])


@dataclass(slots=True)
class _Row:
    """A claimed row. Its methods raise TakenOver if the claim is lost or the review was cancelled."""

    worker: WorkerStore
    review_id: str
    document_id: str
    claimed: ClaimedRow
    lease_seconds: int

    async def save(self, cells: list[AnsweredCell]) -> None:
        revision = self.claimed["revision"]["document"]["revision"]
        assert revision is not None, "a row is claimed with its revision"
        await save_review_cells(
            self.worker,
            self.review_id,
            self.document_id,
            claim=self.claimed["claim"],
            revision_id=revision["id"],
            cells=cells,
        )

    async def release(self, delay_seconds: float, *, counted: bool = True) -> None:
        await release_review_row(
            self.worker,
            self.review_id,
            self.document_id,
            claim=self.claimed["claim"],
            delay_seconds=delay_seconds,
            counted=counted,
        )

    @asynccontextmanager
    async def saving(self) -> AsyncIterator[_Batch]:
        """Saves what the batch holds at the end, also when the engine fails in between."""
        batch = _Batch(self)
        try:
            yield batch
        except EngineUnavailable:
            await batch.flush()
            raise
        await batch.flush()

    async def run(self, work: Coroutine[Any, Any, None]) -> None:
        """Awaits `work` while renewing the lease. Cancels `work` if the claim is lost."""
        renew = partial(renew_review_claim, self.worker, self.review_id, self.document_id, self.claimed["claim"])
        await under_lease(work, renew, seconds=self.lease_seconds / RENEWALS)


class _Batch:
    def __init__(self, row: _Row) -> None:
        self._row = row
        self._cells: list[AnsweredCell] = []
        self._saved = time.monotonic()

    async def add(self, cell: AnsweredCell) -> None:
        self._cells.append(cell)
        if time.monotonic() - self._saved >= SAVE_SECONDS:
            await self.flush()

    async def flush(self) -> None:
        if self._cells:
            await self._row.save(self._cells)
        self._cells = []
        self._saved = time.monotonic()


def _saved(answer: CellAnswer, reading: CellReading, engine: str) -> AnsweredCell:
    column: WaitingColumn = answer.column
    return {
        "column_id": column["id"],
        "column_edition": column["edition"],
        "state": answer.state,
        "value": answer.value,
        "citations": list(answer.spans),
        "read": reading,
        "confidence": answer.confidence,
        "engine": answer.engine or engine,
        "model": answer.model,
        "note": answer.note,
    }


def _reading(view: RevisionView) -> CellReading:
    coverage = coverage_of_revision(view)
    return {
        "characters": coverage.characters,
        "pages": coverage.pages,
        "unread": sorted(coverage.unread),
        "incomplete": view.status_reason if view.status == "partial" else "",
    }
