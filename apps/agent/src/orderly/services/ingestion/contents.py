"""Files that arrive as bytes, inside a request: registration, and waiting until workers have read them."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence

from orderly.models import PENDING_STATUSES, Caller
from orderly.services.files import open_spool
from orderly.services.ingestion.registration import Choice, Registrar
from orderly.store.base import Store
from orderly.store.functions.documents import FullDocument, get_document

READING_SECONDS = 120
"""How long a request waits until its files are read."""
POLL_SECONDS = 0.3


async def add_contents(
    registrar: Registrar, caller: Caller, matter_id: str, contents: Sequence[tuple[str, bytes]]
) -> list[str]:
    """Registers files, given by name and bytes; a content that the matter holds already is not added again. Returns the ids."""
    return [await _add(registrar, caller, matter_id, name, content) for name, content in contents]


async def _add(registrar: Registrar, caller: Caller, matter_id: str, name: str, content: bytes) -> str:
    async with open_spool(name, registrar.settings.max_file_mb) as spool:
        await asyncio.to_thread(spool.write, content)
        await asyncio.to_thread(spool.finish)
        return (await registrar.register(caller, matter_id, spool, Choice("skip"))).document["id"]


async def wait_until_read(store: Store, caller: Caller, document_ids: Sequence[str]) -> list[FullDocument]:
    """Waits until the documents are read, at most `READING_SECONDS` for all. Returns them as they are then."""
    deadline = time.monotonic() + READING_SECONDS
    documents = []
    for document_id in document_ids:
        document = await get_document(store, caller, document_id)
        while document["status"] in PENDING_STATUSES and time.monotonic() < deadline:
            await asyncio.sleep(POLL_SECONDS)
            document = await get_document(store, caller, document_id)
        documents.append(document)
    return documents
