"""A worker's claim on a document, with lease renewal. All writes carry the claim's number."""

from __future__ import annotations

import time
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from typing import Any, TypeVar

from orderly.models import WORK_STAGES, DocumentStatus
from orderly.store.base import WorkerStore
from orderly.store.functions.ingestion import ClaimedDocument, renew_claim, retry_document, set_document_status
from orderly.store.leases import RENEWALS, under_lease

T = TypeVar("T")
Progress = Callable[[str, int, int], None]
"""Called with (stage, done, total); `total` is 0 if unknown."""

PROGRESS_SECONDS = 1.0
"""Interval of progress reports."""


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
        """Awaits `work` while renewing the lease and reporting its progress. Cancels `work` if the claim is lost."""
        renewal = self.lease_seconds / RENEWALS
        reported, renewed = self._stage, time.monotonic()

        async def renew() -> None:
            nonlocal reported, renewed
            if self._stage == reported and time.monotonic() - renewed < renewal:
                return
            reported, renewed = self._stage, time.monotonic()
            stage, done, total = self._stage or (None, None, None)
            document_id = self.document["id"]
            await renew_claim(self.worker, document_id, self.number, stage=stage, stage_done=done, stage_total=total or None)

        return await under_lease(work, renew, seconds=min(PROGRESS_SECONDS, renewal))
