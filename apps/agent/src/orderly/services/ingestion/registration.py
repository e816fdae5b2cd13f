"""Registers files in a matter (database row and blob), and ingests local files."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from pathlib import Path

from orderly.errors import AlreadyThere, DocumentNotFound, Invalid, OrderlyError, StorageFailed
from orderly.models import PENDING_STATUSES, Caller, DuplicatePolicy
from orderly.services.document_processor import DocumentProcessor
from orderly.services.files import Spool, copy_to_spool, open_spool, put_once, visible_name
from orderly.services.ingestion.claims import Progress
from orderly.services.ingestion.pipeline import Ingested, Ingestor, quiet, report_of
from orderly.settings import Settings
from orderly.store.base import CallersBlobs, Store
from orderly.store.functions.attachments import AttachedDocument, attached_documents
from orderly.store.functions.documents import Document, StoredDocument
from orderly.store.functions.files import (
    RegisteredFile,
    Twin,
    document_stored,
    find_duplicates,
    register_document,
    withdraw_upload,
)

LEFT_OUT = "left out"
"""Note on a file that the user chose to leave out."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Duplicates:
    """Documents of a matter that a new file may duplicate."""

    filename: str
    same_content: Twin | None
    """Has this content now, or had it in an earlier version ("superseded")."""
    same_name: Document | None
    """Has this name and different content."""


@dataclass(frozen=True, slots=True)
class Choice:
    """How to handle a duplicate."""

    policy: DuplicatePolicy
    version_of: str | None = None
    """Id of the document that gets a new version. Implies the policy "new_version"."""
    leave_out: bool = False
    """Do not register a duplicate at all."""


Choose = Callable[[Duplicates], Awaitable[Choice]]


@dataclass(frozen=True, slots=True)
class Registered:
    document: Document
    settled: bool
    """The matter holds the content already, and no reading is pending. False: the file is stored and waits to be read."""
    duplicate: bool
    note: str


@dataclass(frozen=True, slots=True)
class Registrar:
    """Registers and stores spooled files with the caller's permissions."""

    store: Store
    blobs: CallersBlobs
    processor: DocumentProcessor
    settings: Settings

    async def register(
        self, caller: Caller, matter_ref: str, spool: Spool, choice: Choice, folder_id: str | None = None
    ) -> Registered:
        """Registers and stores a file, and queues it for the workers.

        Raises AlreadyThere, with the policy "ask", if the matter holds this content, or another file of this name.
        """
        name = visible_name(spool.name)
        policy: DuplicatePolicy = "new_version" if choice.version_of else choice.policy
        if choice.leave_out or policy == "ask":
            found = await self.find_duplicates(caller, matter_ref, spool)
            if (existing := found.same_content or found.same_name) is not None:
                if not choice.leave_out:
                    raise AlreadyThere(name, found.same_content, found.same_name)
                return Registered(existing, settled=True, duplicate=True, note=LEFT_OUT)
        content_type, pages = await self.processor.survey(spool.path, name)
        registered = await register_document(
            self.store, caller, matter_ref, filename=name, content_type=content_type, size_bytes=spool.size,
            sha256=spool.sha256, on_duplicate=policy, version_of=choice.version_of,
            folder_id=folder_id, pages=pages,
        )  # fmt: skip
        if (already := registered["already"]) is not None:  # registered since it was looked for
            raise AlreadyThere(name, already["same_content"], already["same_name"])
        document, key = registered["document"], registered["storage_key"]
        note = _known_name(registered, name)
        if key is not None:
            stored = await self._store(caller, document["id"], key, spool)
            return Registered(stored, settled=False, duplicate=not stored["arrived"], note=note)
        waiting = document["status"] in PENDING_STATUSES
        return Registered(document, settled=not waiting, duplicate=not registered["resumed"], note=note)

    async def find_duplicates(self, caller: Caller, matter_ref: str, spool: Spool) -> Duplicates:
        name = visible_name(spool.name)
        found = await find_duplicates(self.store, caller, matter_ref, filename=name, sha256=spool.sha256)
        return Duplicates(name, found["same_content"], found["same_name"])

    async def _store(self, caller: Caller, document_id: str, key: str, spool: Spool) -> StoredDocument:
        try:
            await put_once(self.blobs.of(caller), key, spool.path, spool.sha256)
        except StorageFailed:
            try:
                await withdraw_upload(self.store, caller, document_id, key)
            except OrderlyError as error:  # the registration is purged after a day; the caller gets the storage error
                _log.warning("An upload that failed could not be withdrawn: %s", error.message)
            raise
        try:
            return await document_stored(self.store, caller, document_id, storage_key=key)
        except DocumentNotFound as error:
            await self.blobs.of(caller).delete(key)
            raise Invalid(f"{spool.name} was deleted while it was being taken in.") from error


def _known_name(registered: RegisteredFile, name: str) -> str:
    """Describes the document that has the content already; "" if it is a file of this name."""
    known = registered["document"]["filename"]
    if not registered["superseded"]:
        return "" if known == name else known
    if registered["unread_reason"]:
        return f"a version of {known} that could not be read ({registered['unread_reason'].rstrip('.')})"
    return f"an earlier version of {known}"


@dataclass(frozen=True, slots=True)
class FileIngestor:
    """Registers local files as a caller, and ingests them with their attachments as a worker."""

    store: Store
    blobs: CallersBlobs
    ingestor: Ingestor
    settings: Settings

    @property
    def registrar(self) -> Registrar:
        return Registrar(self.store, self.blobs, self.ingestor.processor, self.settings)

    async def add(
        self,
        caller: Caller,
        matter_ref: str,
        path: Path,
        *,
        on_duplicate: DuplicatePolicy = "skip",
        choose: Choose | None = None,
        version_of: str | None = None,
        progress: Progress = quiet,
        wait: bool = True,
    ) -> Ingested:
        """Adds a file to a matter, with the files attached to it. An unreadable file is stored too, with status and reason.

        `choose` is called if the matter holds a duplicate; otherwise `on_duplicate` applies. Without `wait`, the file is left
        to the queue's workers.

        Raises:
            MatterNotFound, DocumentNotFound, Denied: the caller may not add to this matter or document.
            Invalid: the file is too large, is not a file, or cannot be opened.
            StorageFailed: the disk is full, or the storage fails; nothing is registered then.

        """
        name = visible_name(path.name)
        async with open_spool(name, self.settings.max_file_mb) as spool:
            await asyncio.to_thread(copy_to_spool, path, spool)
            choice = Choice(on_duplicate, version_of)
            if choose is not None and version_of is None:
                found = await self.registrar.find_duplicates(caller, matter_ref, spool)
                choice = await choose(found) if found.same_content or found.same_name else choice
            registered = await self.registrar.register(caller, matter_ref, spool, choice)
        if registered.settled or not wait:
            done = report_of(registered.document)
        else:
            done = await self.finish(registered.document["id"], progress)
        if not registered.duplicate:
            return done
        return replace(done, filename=name, duplicate=True, note=registered.note)

    async def finish(self, document_id: str, progress: Progress = quiet) -> Ingested:
        """Ingests a stored document and its attachments, or waits for the workers that hold them."""
        done = await self.ingestor.finish(document_id, progress=progress)
        attached = await attached_documents(self.ingestor.worker, document_id)
        return replace(done, attachments=tuple([await self._finish_attached(a, progress) for a in attached]))

    async def _finish_attached(self, attached: AttachedDocument, progress: Progress) -> Ingested:
        if not attached["own"]:
            return replace(report_of(attached, duplicate=True), filename=attached["name"])
        if attached["status"] == "uploading":  # the attachment is stored when its document is read again
            return report_of(attached)
        return await self.finish(attached["id"], progress)
