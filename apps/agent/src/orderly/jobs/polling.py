"""Polls for due documents and rows of reviews: on Supabase without a database connection, so without queue notifications."""

from __future__ import annotations

import asyncio
import logging

from orderly.errors import OrderlyError
from orderly.jobs.restarts import end
from orderly.jobs.upkeep import keep_up
from orderly.settings import Settings
from orderly.store.functions.review_work import DueRow, due_review_rows
from orderly.wiring.services import Operator

POLL_SECONDS = 2.0
ROUND = 10
"""Documents that are read before rows of reviews are."""

_log = logging.getLogger(__name__)


async def process_due_documents(operator: Operator, settings: Settings) -> None:
    """Processes due documents and rows one at a time until cancelled, then releases the current one. Several may run.

    Upkeep goes on beside it, so that signing and purging never wait behind reading.
    """
    upkeep = asyncio.create_task(keep_up(operator))
    try:
        while True:
            try:
                await _process_round(operator, settings)
            except OrderlyError as error:
                _log.warning("Polling failed: %s", error.message)
            await asyncio.sleep(POLL_SECONDS)
    finally:
        await end([upkeep])


async def _process_round(operator: Operator, settings: Settings) -> None:
    for _ in range(ROUND):
        if not await _read(operator):
            break
    for row in await due_review_rows(operator.worker, settings.lease_seconds):
        await _answer(operator, row)


async def _read(operator: Operator) -> bool:
    """Processes the next document. Logs every error, also bugs, so that polling continues.

    Returns False if no document waits or if the processing failed.
    """
    [outcome] = await asyncio.gather(operator.ingestor.process_next(), return_exceptions=True)
    if isinstance(outcome, OrderlyError):
        _log.warning("A document was not processed: %s", outcome.message)
    elif isinstance(outcome, BaseException):
        _log.error("A document was not processed: unexpected error.", exc_info=outcome)
    return outcome is True


async def _answer(operator: Operator, row: DueRow) -> None:
    """Answers one row of a review. Logs every error, including bugs, so that polling continues."""
    [outcome] = await asyncio.gather(operator.rows.answer(row["review_id"], row["document_id"]), return_exceptions=True)
    if isinstance(outcome, OrderlyError):
        _log.warning("Review %s, document %s: not answered: %s", row["review_id"], row["document_id"], outcome.message)
    elif isinstance(outcome, BaseException):
        _log.error("Review %s, document %s: unexpected error.", row["review_id"], row["document_id"], exc_info=outcome)
