"""A file that was kept aside becomes a document of a matter: registered, stored, and queued to be read."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Literal

from orderly.errors import AlreadyThere, DocumentNotFound, Invalid, OrderlyError, StorageFailed
from orderly.models import PENDING_STATUSES, Caller
from orderly.services.document_processor import DocumentProcessor
from orderly.services.files import Spool, put_once, visible_name
from orderly.settings import Settings
from orderly.store.base import CallersBlobs, Store
from orderly.store.functions.documents import Document, StoredDocument
from orderly.store.functions.files import (
    RegisteredFile,
    Twin,
    document_stored,
    find_duplicates,
    register_document,
    withdraw_upload,
)

OnDuplicate = Literal["skip", "keep", "version"]

IfExists = Literal["ask", "skip", "keep", "new_version"]
_CHOICES: Mapping[IfExists, OnDuplicate] = {"ask": "skip", "skip": "skip", "keep": "keep", "new_version": "version"}

LEFT_OUT = "left out"
"""The note on a file that was not taken in because somebody chose so."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Duplicates:
    """What of a matter resembles a file that is about to be taken in. Documents as the store lists them."""

    filename: str
    same_content: Twin | None
    """Holds this content, or held it before ("superseded")."""
    same_name: Document | None
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

    document: Document
    settled: bool
    duplicate: bool
    note: str


@dataclass(frozen=True, slots=True)
class Intake:
    """Needs no more rights than the caller's."""

    store: Store
    blobs: CallersBlobs
    processor: DocumentProcessor
    settings: Settings

    async def receive(
        self, caller: Caller, matter_ref: str, name: str, kept: Spool, choice: Choice, folder_id: str | None = None
    ) -> Received:
        """Register and store what is kept aside. It is read by the next worker."""
        if choice.leave_out:
            found = await self.duplicates(caller, matter_ref, name, kept)
            other = found.same_content or found.same_name
            if other is not None:
                return Received(other, settled=True, duplicate=True, note=LEFT_OUT)
        content_type = await self.processor.detect(kept.path, name)
        registered = await register_document(
            self.store, caller, matter_ref, filename=name, content_type=content_type, size_bytes=kept.size, sha256=kept.sha256,
            on_duplicate=choice.on_duplicate, version_of=choice.version_of, folder_id=folder_id,
            workspace_limit=self.settings.max_chat_files,
        )  # fmt: skip
        document, key = registered["document"], registered["storage_key"]
        note = _known_as(registered, name)
        if key is not None:
            stored = await self._store(caller, document["id"], key, kept)
            return Received(stored, settled=False, duplicate=not stored["arrived"], note=note)
        waiting = document["status"] in PENDING_STATUSES
        return Received(document, settled=not waiting, duplicate=not registered["resumed"], note=note)

    async def take_in(
        self,
        caller: Caller,
        matter_ref: str,
        kept: Spool,
        if_exists: IfExists = "skip",
        folder_id: str | None = None,
        version_of: str | None = None,
    ) -> Received:
        """`receive`, by the choice of somebody who is not there to be asked.

        Raises AlreadyThere, with "ask", where the matter holds this content, or another file of this name.
        """
        name = visible_name(kept.name)
        if if_exists == "ask" and version_of is None:
            found = await self.duplicates(caller, matter_ref, name, kept)
            if found.same_content or found.same_name:
                raise AlreadyThere(name, found.same_content, found.same_name)
        choice = Choice("version", version_of) if version_of else Choice(_CHOICES[if_exists])
        return await self.receive(caller, matter_ref, name, kept, choice, folder_id)

    async def duplicates(self, caller: Caller, matter_ref: str, name: str, kept: Spool) -> Duplicates:
        found = await find_duplicates(self.store, caller, matter_ref, filename=name, sha256=kept.sha256)
        return Duplicates(name, found["same_content"], found["same_name"])

    async def _store(self, caller: Caller, document_id: str, key: str, kept: Spool) -> StoredDocument:
        try:
            await put_once(self.blobs.of(caller), key, kept.path, kept.sha256)
        except StorageFailed:
            try:
                await withdraw_upload(self.store, caller, document_id, key)
            except OrderlyError as error:  # it is purged after a day; the failure to be told is the storage's
                _log.warning("An upload that failed could not be withdrawn: %s", error.message)
            raise
        try:
            return await document_stored(self.store, caller, document_id, storage_key=key)
        except DocumentNotFound as error:
            await self.blobs.of(caller).delete(key)
            raise Invalid(f"{kept.name} was deleted while it was being taken in.") from error


def _known_as(registered: RegisteredFile, name: str) -> str:
    """What the content is in the matter already, where that is not plainly the file of this name."""
    known = registered["document"]["filename"]
    if not registered["superseded"]:
        return "" if known == name else known
    if registered["unread_reason"]:
        return f"a version of {known} that could not be read ({registered['unread_reason'].rstrip('.')})"
    return f"an earlier version of {known}"
