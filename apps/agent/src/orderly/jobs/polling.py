"""Polls for due documents and rows of reviews: on Supabase without a database connection, so without queue notifications."""

from __future__ import annotations

import asyncio
import logging
import time

from orderly.errors import DocumentNotFound, OrderlyError
from orderly.services.governance import purge
from orderly.settings import Settings
from orderly.store.functions.ingestion import due_documents
from orderly.store.functions.review_work import DueRow, due_review_rows
from orderly.wiring.services import Operator

POLL_SECONDS = 2.0
PURGE_SECONDS = 600.0
ROUND = 10
"""Documents that are read before rows of reviews have their turn."""

_log = logging.getLogger(__name__)


async def process_due_documents(operator: Operator, settings: Settings) -> None:
    """Processes due documents and rows one at a time until cancelled, then releases the current one. Several may run."""
    purged = 0.0
    while True:
        try:
            for _ in range(ROUND):
                due = await due_documents(operator.worker, settings.lease_seconds, match_count=1)
                if not due or not await _read(operator, due[0]):
                    break
            for row in await due_review_rows(operator.worker, settings.lease_seconds):
                await _answer(operator, row)
            if time.monotonic() - purged > PURGE_SECONDS:
                await purge(operator.worker, operator.blobs, operator.ingestor.visuals)
                purged = time.monotonic()
        except OrderlyError as error:
            _log.warning("Polling failed: %s", error.message)
        await asyncio.sleep(POLL_SECONDS)


async def _read(operator: Operator, document_id: str) -> bool:
    """Processes one document. Logs every error, also bugs, so that polling continues. Returns False if nothing was done."""
    [outcome] = await asyncio.gather(operator.ingestor.process(document_id, retry=True), return_exceptions=True)
    if isinstance(outcome, DocumentNotFound):
        _log.info("Document %s no longer exists.", document_id)
    elif isinstance(outcome, OrderlyError):
        _log.warning("Document %s was not processed: %s", document_id, outcome.message)
    elif isinstance(outcome, BaseException):
        _log.error("Document %s: unexpected error.", document_id, exc_info=outcome)
    return outcome is not None and not isinstance(outcome, BaseException)


async def _answer(operator: Operator, row: DueRow) -> None:
    """Answers one row of a review. Logs every error, including bugs, so that polling continues."""
    [outcome] = await asyncio.gather(operator.rows.answer(row["review_id"], row["document_id"]), return_exceptions=True)
    if isinstance(outcome, OrderlyError):
        _log.warning("Review %s, document %s: not answered: %s", row["review_id"], row["document_id"], outcome.message)
    elif isinstance(outcome, BaseException):
        _log.error("Review %s, document %s: unexpected error.", row["review_id"], row["document_id"], exc_info=outcome)
