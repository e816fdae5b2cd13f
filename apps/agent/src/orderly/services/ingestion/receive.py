"""A file comes into a matter: kept aside and hashed, registered, stored, and then read."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from pathlib import Path

from orderly.models import Caller
from orderly.services.files import Spool, copy_to_spool, open_spool, visible_name
from orderly.services.ingestion.intake import Choice, Choose, Intake, OnDuplicate
from orderly.services.ingestion.leases import Progress
from orderly.services.ingestion.pipeline import Ingested, Ingestor, quiet, report_of
from orderly.settings import Settings
from orderly.store.base import CallersBlobs, Store
from orderly.store.functions.attachments import AttachedDocument, attached_documents


@dataclass(frozen=True, slots=True)
class Receiver:
    store: Store
    blobs: CallersBlobs
    ingestor: Ingestor
    settings: Settings

    @property
    def intake(self) -> Intake:
        return Intake(self.store, self.blobs, self.ingestor.processor, self.settings)

    async def add(
        self,
        caller: Caller,
        matter_ref: str,
        path: Path,
        *,
        on_duplicate: OnDuplicate = "skip",
        choose: Choose | None = None,
        version_of: str | None = None,
        progress: Progress = quiet,
        wait: bool = True,
    ) -> Ingested:
        """Store the file at `path` in a matter as `caller` and make it, and what is attached to it, readable.

        Not `wait`: reading is left to the queue's workers. A file that cannot be read is stored all the same; its status and
        reason say why it is silent. `choose` is asked only where the matter holds something like it; else, and for those who
        are not asked, `on_duplicate` counts.

        Raises:
            MatterNotFound, DocumentNotFound, Denied: the caller may not add to this matter or document.
            Invalid: the file is too large, is not a file, or cannot be opened.
            StorageFailed: there is no room for it, or the storage fails; nothing of it is registered then.

        """
        name = visible_name(path.name)
        async with open_spool(name, self.settings.max_file_mb) as kept:
            await asyncio.to_thread(copy_to_spool, path, kept)
            choice = Choice("version" if version_of else on_duplicate, version_of)
            if choose is not None and version_of is None:
                choice = await self._choice(caller, matter_ref, name, kept, choose, choice)
            received = await self.intake.receive(caller, matter_ref, name, kept, choice)
        if received.settled or not wait:
            done = report_of(received.document)
        else:
            done = await self.finish(received.document["id"], progress)
        if not received.duplicate:
            return done
        return replace(done, filename=name, duplicate=True, note=received.note)

    async def finish(self, document_id: str, progress: Progress = quiet) -> Ingested:
        """Read a stored document and what is attached to it, or wait until others have."""
        done = await self.ingestor.finish(document_id, progress=progress)
        attached = await attached_documents(self.ingestor.worker, document_id)
        return replace(done, attachments=tuple([await self._finish_attached(a, progress) for a in attached]))

    async def _finish_attached(self, attached: AttachedDocument, progress: Progress) -> Ingested:
        if not attached["own"]:
            return replace(report_of(attached, duplicate=True), filename=attached["name"])
        if attached["status"] == "uploading":  # it comes when the carrier is read again
            return report_of(attached)
        return await self.finish(attached["id"], progress)

    async def _choice(
        self, caller: Caller, matter_ref: str, name: str, kept: Spool, choose: Choose, otherwise: Choice
    ) -> Choice:
        found = await self.intake.duplicates(caller, matter_ref, name, kept)
        return await choose(found) if found.same_content or found.same_name else otherwise
