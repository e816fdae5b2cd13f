"""Uploads that come in pieces: kept on disk between requests, and over a restart, until they are whole or have expired."""

from __future__ import annotations

import asyncio
import hashlib
import json
import logging
import os
import re
import shutil
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any
from uuid import uuid4

from orderly.errors import Conflict, NotFound, StorageFailed
from orderly.models import DuplicatePolicy
from orderly.services.files import BLOCK_BYTES, Spool
from orderly.store.file_lock import FileLock

_ID = re.compile(r"[0-9a-f]{32}")
_DATA, _INFO, _LOCK = "data", "info.json", "lock"

PATIENCE_SECONDS = 5.0
"""For a request that still writes to give way to a newer one."""

_log = logging.getLogger(__name__)


class Busy(Conflict):
    """Another request is writing to this upload."""


@dataclass(frozen=True, slots=True)
class Upload:
    """What is known of one upload; `length` and `expires` in bytes and seconds since 1970."""

    id: str
    owner: str
    filename: str
    matter_id: str
    expires: int
    begun: float = 0
    content_type: str = "application/octet-stream"
    """As the client says."""
    length: int | None = None
    """None until the client has said it."""
    thread_id: str | None = None
    """Of the chat that it is for."""
    folder_id: str | None = None
    if_exists: DuplicatePolicy = "skip"
    document: dict[str, Any] | None = None
    """What it became, once it is whole and taken in: {id, duplicate, note}."""
    refused: str = ""
    """Why it was not taken in, where only the client can mend that."""


@dataclass(slots=True)
class _Writing:
    """One request that appends to an upload."""

    give_way: asyncio.Event = field(default_factory=asyncio.Event)
    over: asyncio.Event = field(default_factory=asyncio.Event)


class Appending:
    """An upload held by one request. `size`: bytes that are there."""

    def __init__(self, path: Path, size: int, digest: hashlib._Hash | None, give_way: asyncio.Event) -> None:
        self.size, self.give_way = size, give_way
        self.digest = digest
        """Of all `size` bytes; None where they were not all seen by this process."""
        self._path = path

    async def append(self, block: bytes) -> None:
        """Raises StorageFailed."""
        await asyncio.to_thread(self._append, block)

    async def cut(self, size: int) -> None:
        """Forget what came after the first `size` bytes."""
        await asyncio.to_thread(os.truncate, self._path, size)
        self.size, self.digest = size, None

    async def kept(self) -> None:
        """What was appended stays after a power cut from now on."""
        await asyncio.to_thread(_sync, self._path)

    def _append(self, block: bytes) -> None:
        try:
            with self._path.open("ab") as file:
                file.write(block)
        except OSError as exc:
            with suppress(OSError):
                os.truncate(self._path, self.size)
            raise StorageFailed(
                "There is no room to keep the upload just now. What came before is kept; try again later."
            ) from exc
        self.size += len(block)
        if self.digest is not None:
            self.digest.update(block)


class Uploads:
    """Below one folder, which nodes that share the work share too. File work runs in threads."""

    def __init__(self, folder: Path, *, limit_mb: int, hours: float, most: int) -> None:
        """`hours`: how long an unfinished upload is kept. `most`: unfinished uploads of one person."""
        self.limit_mb = limit_mb
        self._folder, self._hours, self._most = folder, hours, most
        self._writing: dict[str, _Writing] = {}
        self._digests: dict[str, tuple[int, hashlib._Hash]] = {}

    async def create(self, upload: Upload) -> Upload:
        """`upload` without an id or an end. Raises Conflict where its owner has too many unfinished ones, StorageFailed."""
        open_ones = [u for u in await asyncio.to_thread(self._all) if u.owner == upload.owner and u.document is None]
        if len(open_ones) >= self._most:
            raise Conflict(f"You have {len(open_ones)} unfinished uploads. Finish or end some first.")
        made = replace(upload, id=uuid4().hex, begun=time.time(), expires=int(time.time() + self._hours * 3600))
        try:
            await asyncio.to_thread(self._create, made)
        except OSError as exc:
            raise StorageFailed("The upload cannot be kept on this machine just now.") from exc
        self._digests[made.id] = (0, hashlib.sha256())
        return made

    async def find(self, owner: str, id: str) -> Upload:
        """Raises NotFound: missing, expired, or another person's."""
        found = await asyncio.to_thread(self._read, id) if _ID.fullmatch(id) else None
        if found is None or found.owner != owner or found.expires < time.time():
            raise NotFound(f"Upload {id} not found or you don't have access.")
        return found

    async def unfinished(self, owner: str, matter_id: str) -> list[Upload]:
        """Those on their way to a matter, the oldest first."""
        mine = [u for u in await asyncio.to_thread(self._all) if (u.owner, u.matter_id) == (owner, matter_id)]
        return sorted((u for u in mine if u.document is None and u.expires > time.time()), key=lambda u: u.begun)

    async def offset(self, upload: Upload) -> int:
        """Bytes that have come."""
        if upload.document is not None:
            return upload.length or 0
        return await asyncio.to_thread(lambda: self._path(upload.id, _DATA).stat().st_size)

    async def update(self, upload: Upload) -> None:
        await asyncio.to_thread(self._write, upload)

    @asynccontextmanager
    async def appending(self, upload: Upload) -> AsyncIterator[Appending]:
        """Held alone: an older request of this process gives way, because its client came back. Raises Busy."""
        await self.interrupt(upload)
        if upload.id in self._writing:
            raise Busy("Another request is still writing to this upload.")
        writing = self._writing[upload.id] = _Writing()
        try:
            lock = FileLock(self._path(upload.id, _LOCK))
            try:
                if not lock.try_acquire():
                    raise Busy("Another request is still writing to this upload.")
                size = await self.offset(upload)
                seen, digest = self._digests.pop(upload.id, (-1, None))
                appending = Appending(self._path(upload.id, _DATA), size, digest if seen == size else None, writing.give_way)
                try:
                    yield appending
                finally:
                    if appending.digest is not None:
                        self._digests[upload.id] = (appending.size, appending.digest)
            finally:
                lock.close()
        finally:
            del self._writing[upload.id]
            writing.over.set()

    async def interrupt(self, upload: Upload) -> None:
        """Have the request that writes to it, if any, stop."""
        if (writing := self._writing.get(upload.id)) is not None:
            writing.give_way.set()
            with suppress(TimeoutError):
                await asyncio.wait_for(writing.over.wait(), PATIENCE_SECONDS)

    async def whole(self, upload: Upload, appending: Appending) -> Spool:
        """The finished file. What this process did not see arrive is hashed from the disk."""
        path = self._path(upload.id, _DATA)
        digest = appending.digest if appending.digest is not None else await asyncio.to_thread(_digest, path)
        return Spool(upload.filename, path, self.limit_mb, appending.size, digest)

    async def settle(self, upload: Upload, document: dict[str, Any]) -> Upload:
        """It is taken in: only the note of it stays, so that a client that missed the answer gets it."""
        done = replace(upload, document=document, refused="")
        await self.update(done)
        self._digests.pop(upload.id, None)
        await asyncio.to_thread(self._path(upload.id, _DATA).unlink, missing_ok=True)
        return done

    async def remove(self, upload: Upload) -> None:
        await self.interrupt(upload)
        self._digests.pop(upload.id, None)
        await asyncio.to_thread(shutil.rmtree, self._folder / upload.id, ignore_errors=True)

    async def sweep(self) -> int:
        """Remove what has expired; how many."""
        old = [u for u in await asyncio.to_thread(self._all) if u.expires < time.time()]
        for upload in old:
            await self.remove(upload)
        return len(old)

    def _path(self, id: str, name: str) -> Path:
        return self._folder / id / name

    def _create(self, upload: Upload) -> None:
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        (self._folder / upload.id).mkdir(mode=0o700)
        self._path(upload.id, _DATA).touch(mode=0o600)
        self._write(upload)

    def _write(self, upload: Upload) -> None:
        path = self._path(upload.id, _INFO)
        unfinished = path.with_suffix(".new")
        unfinished.write_text(json.dumps(asdict(upload)), encoding="utf-8")
        _sync(unfinished)
        unfinished.replace(path)

    def _read(self, id: str) -> Upload | None:
        try:
            return Upload(**json.loads(self._path(id, _INFO).read_text(encoding="utf-8")))
        except (FileNotFoundError, NotADirectoryError):
            return None

    def _all(self) -> list[Upload]:
        if not self._folder.is_dir():
            return []
        found = [self._read(path.name) for path in self._folder.iterdir() if _ID.fullmatch(path.name)]
        return [upload for upload in found if upload is not None]


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _digest(path: Path) -> hashlib._Hash:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(BLOCK_BYTES):
            digest.update(block)
    return digest
