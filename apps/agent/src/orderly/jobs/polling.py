"""Reading what is due without the queue's notifications: on Supabase, where only its HTTP interface can be reached."""

from __future__ import annotations

import asyncio
import logging
import time

from orderly.errors import DocumentNotFound, OrderlyError
from orderly.services.governance import purge
from orderly.settings import Settings
from orderly.store.functions.ingestion import due_documents
from orderly.wiring.services import Operator

LOOK_SECONDS = 2.0
PURGE_SECONDS = 600.0

_log = logging.getLogger(__name__)


async def poll_pending_documents(operator: Operator, settings: Settings) -> None:
    """Until cancelled, one document at a time; a cancelled one is handed back. Several processes may do it at once."""
    purged = 0.0
    while True:
        try:
            for document_id in await due_documents(operator.worker, settings.lease_seconds):
                await _read(operator, document_id)
            if time.monotonic() - purged > PURGE_SECONDS:
                await purge(operator.worker, operator.blobs, operator.ingestor.visuals)
                purged = time.monotonic()
        except OrderlyError as error:
            _log.warning("What is due cannot be read just now: %s", error.message)
        await asyncio.sleep(LOOK_SECONDS)


async def _read(operator: Operator, document_id: str) -> None:
    """A file that brings out an error of Orderly's own does not keep the others from being read."""
    [outcome] = await asyncio.gather(operator.ingestor.process(document_id, retry=True), return_exceptions=True)
    if isinstance(outcome, DocumentNotFound):
        _log.info("Document %s is gone.", document_id)
    elif isinstance(outcome, OrderlyError):
        _log.warning("Document %s was left: %s", document_id, outcome.message)
    elif isinstance(outcome, BaseException):
        _log.error("Document %s: reading it ended in an error of Orderly's own.", document_id, exc_info=outcome)
