"""Indexes a document's visuals after its text is published. Failures are recorded; the text stays searchable."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from orderly.errors import NotFound, SightFailed, StorageFailed, Unreadable
from orderly.models import Extracted
from orderly.services.document_processor import DocumentProcessor
from orderly.services.files import temporary_folder
from orderly.services.policy import permitted
from orderly.services.visuals.colivara import ColiVara
from orderly.store.base import Blobs, WorkerStore
from orderly.store.functions.ingestion import WorkerDocument
from orderly.store.functions.visuals import Visual, forget_visual_copies, orphaned_visual_copies, put_visuals

EMBEDDED = "embedded"


@dataclass(frozen=True, slots=True)
class VisualIndexer:
    worker: WorkerStore
    blobs: Blobs
    colivara: ColiVara | None
    processor: DocumentProcessor

    async def index(self, document: WorkerDocument, revision_id: str, extracted: Extracted) -> None:
        """Indexes one revision; idempotent."""
        if not extracted.paged:
            return await self._record_status(revision_id, EMBEDDED, "ready", "", [])
        async with temporary_folder() as folder:
            path = folder / "file"
            try:
                await self.blobs.get(document["storage_key"], path)
            except StorageFailed as error:
                return await self._record_status(revision_id, EMBEDDED, "failed", error.message, [])
            await self._index_pages(path, revision_id, extracted)
            if self.colivara is not None and permitted("colivara"):
                await self._upload(self.colivara, path, document, revision_id)
        return None

    async def _index_pages(self, path: Path, revision_id: str, extracted: Extracted) -> None:
        try:
            records, unseen = await self.processor.find_visuals(path, extracted)
        except Unreadable as error:
            return await self._record_status(revision_id, EMBEDDED, "failed", error.message, [])
        reason = f"Not looked at: page {', '.join(map(str, unseen))}." if unseen else ""
        return await self._record_status(revision_id, EMBEDDED, "ready", reason, records)

    async def _upload(self, colivara: ColiVara, path: Path, document: WorkerDocument, revision_id: str) -> None:
        # Recorded before the upload, so that an uploaded copy is always known and can be deleted.
        await self._record_status(revision_id, colivara.name, "failed", "The upload was interrupted.", [])
        data = await asyncio.to_thread(path.read_bytes)
        metadata = {"document_id": document["id"], "revision_id": revision_id}
        try:
            await colivara.upsert(document["matter_id"], revision_id, data, metadata)
        except SightFailed as error:
            return await self._record_status(revision_id, colivara.name, "failed", error.message, [])
        return await self._record_status(revision_id, colivara.name, "ready", "", [])

    async def _record_status(
        self, revision_id: str, engine: str, status: Literal["ready", "failed"], reason: str, visuals: list[Visual]
    ) -> None:
        try:
            await put_visuals(self.worker, revision_id, engine=engine, status=status, reason=reason, visuals=visuals)
        except NotFound:
            return  # the document was purged meanwhile

    async def purge_copies(self) -> int:
        """Deletes copies of deleted and replaced revisions at ColiVara. Returns how many remain for the next attempt."""
        copies = await orphaned_visual_copies(self.worker)
        if self.colivara is None:
            return len(copies)
        deleted = []
        for copy in copies:
            with suppress(SightFailed):
                await self.colivara.delete(copy["matter_id"], copy["revision_id"])
                deleted.append(copy["revision_id"])
        await forget_visual_copies(self.worker, deleted)
        return len(copies) - len(deleted)
