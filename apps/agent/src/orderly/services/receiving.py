"""A file comes into a matter: kept aside and hashed, registered, stored, and then read."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from orderly.errors import DocumentNotFound, Invalid, OrderlyError, StorageFailed
from orderly.models import PENDING_STATUSES, Caller
from orderly.services.claims import Progress
from orderly.services.file_names import visible_name
from orderly.services.ingestion import Ingested, Ingestor, quiet, report_of
from orderly.services.keeping import keep
from orderly.services.spooling import Spool, copy_in, spooled
from orderly.settings import Settings
from orderly.store.base import Blobs, Store

OnDuplicate = Literal["skip", "keep", "version"]

LEFT_OUT = "left out"
"""The note on a file that was not taken in because somebody chose so."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Duplicates:
    """What of a matter resembles a file that is about to be taken in. Documents as the store lists them."""

    filename: str
    same_content: Mapping[str, Any] | None
    """Holds this content, or held it before ("superseded")."""
    same_name: Mapping[str, Any] | None
    """Has this name and other content."""


@dataclass(frozen=True, slots=True)
class Choice:
    """`leave_out`: the file is not taken in at all. `version_of`: with on_duplicate "version", the document that gets it."""

    on_duplicate: OnDuplicate
    version_of: str | None = None
    leave_out: bool = False


Choose = Callable[[Duplicates], Awaitable[Choice]]


@dataclass(frozen=True, slots=True)
class Received:
    """A file that is stored and waits to be read; `settled`: nothing is to be done, because the matter holds it already."""

    document: Mapping[str, Any]
    settled: bool
    duplicate: bool
    note: str


@dataclass(frozen=True, slots=True)
class Receiver:
    store: Store
    blobs: Blobs
    ingestor: Ingestor
    settings: Settings

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
        async with spooled(name, self.settings.max_file_mb) as kept:
            await asyncio.to_thread(copy_in, path, kept)
            choice = Choice("version" if version_of else on_duplicate, version_of)
            if choose is not None and version_of is None:
                choice = await self._choice(caller, matter_ref, name, kept, choose, choice)
            received = await self.receive(caller, matter_ref, name, kept, choice)
        if received.settled or not wait:
            done = report_of(received.document)
        else:
            done = await self.finish(received.document["id"], progress)
        if not received.duplicate:
            return done
        return replace(done, filename=name, duplicate=True, note=received.note)

    async def receive(self, caller: Caller, matter_ref: str, name: str, kept: Spool, choice: Choice) -> Received:
        """Register and store what is kept aside. It is read by the next worker."""
        if choice.leave_out:
            found = await self._duplicates(caller, matter_ref, name, kept)
            other = found.same_content or found.same_name
            if other is not None:
                return Received(other, settled=True, duplicate=True, note=LEFT_OUT)
        content_type = await self.ingestor.processor.detect(kept.path, name)
        registered = await self.store.rpc(caller, "register_document", {
            "matter_ref": matter_ref, "filename": name, "content_type": content_type, "size_bytes": kept.size,
            "sha256": kept.sha256, "on_duplicate": choice.on_duplicate, "version_of": choice.version_of,
            "workspace_limit": self.settings.max_chat_files,
        })  # fmt: skip
        document, key = registered["document"], registered["storage_key"]
        note = _known_as(registered, name)
        if key is not None:
            stored = await self._store(caller, document["id"], key, kept)
            return Received(stored, settled=False, duplicate=not stored["arrived"], note=note)
        waiting = document["status"] in PENDING_STATUSES
        return Received(document, settled=not waiting, duplicate=not registered["resumed"], note=note)

    async def finish(self, document_id: str, progress: Progress = quiet) -> Ingested:
        """Read a stored document and what is attached to it, or wait until others have."""
        done = await self.ingestor.finish(document_id, progress=progress)
        attached = await self.ingestor.worker.rpc("attached_documents", {"document_id": document_id})
        return replace(done, attachments=tuple([await self._finish_attached(a, progress) for a in attached]))

    async def _finish_attached(self, attached: Mapping[str, Any], progress: Progress) -> Ingested:
        if not attached["own"]:
            return report_of({**attached, "filename": attached["name"]}, duplicate=True)
        if attached["status"] == "uploading":  # it comes when the carrier is read again
            return report_of(attached)
        return await self.finish(attached["id"], progress)

    async def _choice(
        self, caller: Caller, matter_ref: str, name: str, kept: Spool, choose: Choose, otherwise: Choice
    ) -> Choice:
        found = await self._duplicates(caller, matter_ref, name, kept)
        return await choose(found) if found.same_content or found.same_name else otherwise

    async def _duplicates(self, caller: Caller, matter_ref: str, name: str, kept: Spool) -> Duplicates:
        wanted = {"matter_ref": matter_ref, "filename": name, "sha256": kept.sha256}
        found = await self.store.rpc(caller, "find_duplicates", wanted)
        return Duplicates(name, found["same_content"], found["same_name"])

    async def _store(self, caller: Caller, document_id: str, key: str, kept: Spool) -> Mapping[str, Any]:
        upload = {"document_id": document_id, "storage_key": key}
        try:
            await keep(self.blobs, key, kept.path, kept.sha256)
        except StorageFailed:
            try:
                await self.store.rpc(caller, "withdraw_upload", upload)
            except OrderlyError as error:  # it is purged after a day; the failure to be told is the storage's
                _log.warning("An upload that failed could not be withdrawn: %s", error.message)
            raise
        try:
            stored: Mapping[str, Any] = await self.store.rpc(caller, "document_stored", upload)
        except DocumentNotFound as error:
            await self.blobs.delete(key)
            raise Invalid(f"{kept.name} was deleted while it was being taken in.") from error
        return stored


def _known_as(registered: Mapping[str, Any], name: str) -> str:
    """What the content is in the matter already, where that is not plainly the file of this name."""
    known = registered["document"]["filename"]
    if not registered["superseded"]:
        return "" if known == name else known
    if registered["unread_reason"]:
        return f"a version of {known} that could not be read ({registered['unread_reason'].rstrip('.')})"
    return f"an earlier version of {known}"
