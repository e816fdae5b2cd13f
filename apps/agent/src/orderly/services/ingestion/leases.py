"""A worker's claim on a document, with lease renewal. All writes carry the claim's number."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Coroutine
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, TypeVar

from orderly.errors import StoreUnavailable
from orderly.models import WORK_STAGES, DocumentStatus
from orderly.store.base import WorkerStore
from orderly.store.functions.ingestion import ClaimedDocument, renew_claim, retry_document, set_document_status

T = TypeVar("T")
Progress = Callable[[str, int, int], None]
"""Called with (stage, done, total); `total` is 0 if unknown."""

RENEWALS = 6
"""Renewals per lease duration."""

PROGRESS_SECONDS = 1.0
"""Interval of progress reports."""

_log = logging.getLogger(__name__)


@dataclass(slots=True)
class Claim:
    """A claim. Its methods raise TakenOver if another worker holds a newer claim, DocumentNotFound after a deletion."""

    worker: WorkerStore
    document: ClaimedDocument
    lease_seconds: int
    _stage: tuple[str, int, int] | None = field(default=None, init=False)

    @property
    def number(self) -> int:
        return self.document["claim"]

    @property
    def attempts(self) -> int:
        """Number of this attempt, from 1."""
        return self.document["attempts"]

    async def status(self, status: DocumentStatus, reason: str = "") -> None:
        self._stage = None
        await set_document_status(self.worker, self.document["id"], claim=self.number, status=status, reason=reason)

    async def retry(self, reason: str, delay_seconds: float, *, counted: bool = True) -> None:
        """Releases the document for another attempt after a delay."""
        document_id = self.document["id"]
        await retry_document(
            self.worker, document_id, claim=self.number, reason=reason, delay_seconds=delay_seconds, counted=counted
        )

    def reporting(self, progress: Progress) -> Progress:
        """Wraps `progress`, so that the next renewal reports the stage too."""

        def report(stage: str, done: int, total: int) -> None:
            if stage in WORK_STAGES:
                self._stage = (stage, done, total)
            progress(stage, done, total)

        return report

    async def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Awaits `work` while renewing the lease. Cancels `work` if the claim is lost."""
        over = asyncio.Event()
        working, renewing = asyncio.create_task(work), asyncio.create_task(self._renew(over))
        try:
            await asyncio.wait((working, renewing), return_when=asyncio.FIRST_COMPLETED)
            if not working.done():
                renewing.result()
            return await working
        finally:
            working.cancel()
            # The renewal is not cancelled, as cancelling a database call closes its connection.
            over.set()
            await asyncio.gather(working, renewing, return_exceptions=True)

    async def _renew(self, over: asyncio.Event) -> None:
        """Renews the lease until `over` is set or the claim is lost. Ignores an unreachable database."""
        reported, renewed = self._stage, time.monotonic()
        while True:
            with suppress(TimeoutError):
                await asyncio.wait_for(over.wait(), min(PROGRESS_SECONDS, self.lease_seconds / RENEWALS))
                return
            if self._stage == reported and time.monotonic() - renewed < self.lease_seconds / RENEWALS:
                continue
            reported, renewed = self._stage, time.monotonic()
            stage, done, total = self._stage or (None, None, None)
            try:
                await renew_claim(
                    self.worker, self.document["id"], self.number, stage=stage, stage_done=done, stage_total=total or None
                )
            except StoreUnavailable:
                _log.warning("The claim on document %s could not be renewed just now.", self.document["id"])
