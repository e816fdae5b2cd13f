"""Ingests pending documents by polling, for Supabase without a database connection, where the queue cannot notify."""

from __future__ import annotations

import asyncio
import logging
import time

from orderly.errors import DocumentNotFound, OrderlyError
from orderly.services.governance import purge
from orderly.settings import Settings
from orderly.store.functions.ingestion import due_documents
from orderly.wiring.services import Operator

POLL_SECONDS = 2.0
PURGE_SECONDS = 600.0

_log = logging.getLogger(__name__)


async def poll_pending_documents(operator: Operator, settings: Settings) -> None:
    """Ingests pending documents one at a time and purges deleted ones, until cancelled.

    Cancellation returns the current document to the queue. Several processes may poll at the same time.
    """
    purged = 0.0
    while True:
        try:
            for document_id in await due_documents(operator.worker, settings.lease_seconds):
                await _ingest(operator, document_id)
            if time.monotonic() - purged > PURGE_SECONDS:
                await purge(operator.worker, operator.blobs, operator.ingestor.visuals)
                purged = time.monotonic()
        except OrderlyError as error:
            _log.warning("Pending documents cannot be ingested; retrying: %s", error.message)
        await asyncio.sleep(POLL_SECONDS)


async def _ingest(operator: Operator, document_id: str) -> None:
    """Ingests one document. Logs an unexpected exception, so that the next documents are still ingested."""
    [outcome] = await asyncio.gather(operator.ingestor.process(document_id, retry=True), return_exceptions=True)
    if isinstance(outcome, DocumentNotFound):
        _log.info("Document %s was deleted.", document_id)
    elif isinstance(outcome, OrderlyError):
        _log.warning("Document %s was not ingested: %s", document_id, outcome.message)
    elif isinstance(outcome, BaseException):
        _log.error("Document %s: ingestion raised an unexpected error.", document_id, exc_info=outcome)
