"""Purges deleted documents: first the rows, which queue their files for removal, then the files until confirmed."""

from __future__ import annotations

import logging

from orderly.errors import StorageFailed
from orderly.services.documents import purge_page_images
from orderly.services.governance.redaction import Conversations, redact_conversations
from orderly.services.visuals import VisualIndexer
from orderly.store.base import Blobs, WorkerStore
from orderly.store.functions.deletion import confirm_blobs_deleted, purge_deleted

_log = logging.getLogger(__name__)


async def purge(worker: WorkerStore, blobs: Blobs, visuals: VisualIndexer, conversations: Conversations | None) -> int:
    """Purges deleted documents, and returns the number of files and external copies whose removal the next purge retries.

    Documents under a legal hold stay. `conversations`: redacted first, because they cannot be redacted once the texts are
    gone. None if the installation has no production server.
    """
    if not await redact_conversations(worker, conversations):
        _log.info("The purge waits for a conversation that has read a deleted document and is answering.")
        return 0
    removed: list[str] = []
    for key in await purge_deleted(worker):
        try:
            await blobs.delete(key)
        except StorageFailed as error:
            _log.warning("A deleted file is still stored: %s", error.message)
        else:
            removed.append(key)
    left: int = await confirm_blobs_deleted(worker, removed)
    await purge_page_images(worker, blobs)
    return left + await visuals.purge_copies()
