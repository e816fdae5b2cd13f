"""Resumable uploads, stored on disk across requests and restarts until they are complete or expire."""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import re
import shutil
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar, TypeVarTuple
from uuid import uuid4

from orderly.errors import Conflict, NotFound, StorageFailed
from orderly.models import DuplicatePolicy
from orderly.services.files import Spool
from orderly.store.file_lock import FileLock

Ts = TypeVarTuple("Ts")
R = TypeVar("R")

_ID = re.compile(r"[0-9a-f]{32}")
_DATA, _INFO, _LOCK = "data", "info.json", "lock"

INTERRUPT_TIMEOUT_SECONDS = 5.0
"""Time for an older request to stop writing when a newer one arrives."""


class Busy(Conflict):
    """Another request is writing to this upload."""


@dataclass(frozen=True, slots=True)
class Upload:
    """Metadata of an upload. Times are in seconds since 1970."""

    id: str
    owner: str
    filename: str
    matter_id: str
    expires: int
    begun: float = 0
    content_type: str = "application/octet-stream"
    """According to the client."""
    length: int | None = None
    """Bytes; None until the client has sent it."""
    thread_id: str | None = None
    """The conversation whose workspace receives the file."""
    folder_id: str | None = None
    if_exists: DuplicatePolicy = "skip"
    document: dict[str, Any] | None = None
    """The registered document, once the upload is complete: {id, duplicate, note}."""
    refused: str = ""
    """Reason why registration was refused, if only the client can resolve it."""


@dataclass(slots=True)
class _Writer:
    """A request that appends to an upload."""

    interrupted: asyncio.Event = field(default_factory=asyncio.Event)
    ended: asyncio.Event = field(default_factory=asyncio.Event)


class Appending:
    """Exclusive access of one request to an upload. `size`: bytes stored so far."""

    def __init__(self, upload: Upload, path: Path, size: int, digest: hashlib._Hash | None, interrupted: asyncio.Event) -> None:
        self.upload = upload
        """As it is since no other request can change it."""
        self.size, self.interrupted = size, interrupted
        self.digest = digest
        """SHA-256 of all `size` bytes; None if another process received some of them."""
        self._path = path

    async def append(self, block: bytes) -> None:
        """Raises StorageFailed."""
        await asyncio.to_thread(self._append, block)

    async def truncate(self, size: int) -> None:
        """Discards all but the first `size` bytes."""
        if size != self.size:
            await _on_disk(os.truncate, self._path, size)
            self.size, self.digest = size, None

    async def sync(self) -> None:
        """Flushes the file to disk."""
        await _on_disk(_sync, self._path)

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
    """The uploads below one folder, which all nodes share. File work runs in threads."""

    def __init__(self, folder: Path, *, limit_mb: int, hours: float, most: int) -> None:
        """`hours`: lifetime of an unfinished upload. `most`: maximum number of unfinished uploads per user."""
        self.limit_mb = limit_mb
        self._folder, self._hours, self._most = folder, hours, most
        self._writers: dict[str, _Writer] = {}
        self._digests: dict[str, tuple[int, hashlib._Hash]] = {}

    async def create(self, upload: Upload) -> Upload:
        """Creates an upload, and sets its id and times. Raises Conflict if its owner has too many, StorageFailed."""
        created = replace(upload, id=uuid4().hex, begun=time.time(), expires=int(time.time() + self._hours * 3600))
        await _on_disk(self._create, created)
        # Counted afterwards, so that concurrent requests, also to other nodes, count each other.
        unfinished = [u for u in await _on_disk(self._all) if u.owner == upload.owner and u.document is None]
        if len(unfinished) > self._most:
            await self.remove(created)
            raise Conflict(f"You have {self._most} unfinished uploads. Finish or end some first.")
        self._digests[created.id] = (0, hashlib.sha256())
        return created

    async def find(self, owner: str, id: str) -> Upload:
        """Finds an upload. Raises NotFound if it is missing, expired, or belongs to another user."""
        found = await _on_disk(self._read, id) if _ID.fullmatch(id) else None
        if found is None or found.owner != owner or found.expires < time.time():
            raise _not_found(id)
        return found

    async def unfinished(self, owner: str, matter_id: str) -> list[Upload]:
        """Lists a user's unfinished uploads to a matter, oldest first."""
        mine = [u for u in await _on_disk(self._all) if (u.owner, u.matter_id) == (owner, matter_id)]
        return sorted((u for u in mine if u.document is None and u.expires > time.time()), key=lambda u: u.begun)

    async def offset(self, upload: Upload) -> int:
        """Number of bytes received. Raises NotFound if the upload is gone."""
        return await _on_disk(self._size, upload)

    async def update(self, upload: Upload) -> None:
        """Raises StorageFailed; the metadata is then as before."""
        await _on_disk(self._write, upload)

    @asynccontextmanager
    async def appending(self, upload: Upload) -> AsyncIterator[Appending]:
        """Opens an upload exclusively, and interrupts an older request of this process. Raises Busy, NotFound if it is gone."""
        await self.interrupt(upload)
        if upload.id in self._writers:
            raise Busy("Another request is still writing to this upload.")
        writer = self._writers[upload.id] = _Writer()
        try:
            try:
                lock = FileLock(self._path(upload.id, _LOCK))
            except FileNotFoundError as exc:
                raise _not_found(upload.id) from exc
            try:
                if not lock.try_acquire():
                    raise Busy("Another request is still writing to this upload.")
                current = await self.find(upload.owner, upload.id)
                size = await self.offset(current)
                seen, digest = self._digests.pop(upload.id, (-1, None))
                digest = digest if seen == size else None
                appending = Appending(current, self._path(upload.id, _DATA), size, digest, writer.interrupted)
                try:
                    yield appending
                finally:
                    if appending.digest is not None:
                        self._digests[upload.id] = (appending.size, appending.digest)
            finally:
                lock.close()
        finally:
            del self._writers[upload.id]
            writer.ended.set()

    async def interrupt(self, upload: Upload) -> None:
        """Stops the request of this process that writes to the upload, if any."""
        if (writer := self._writers.get(upload.id)) is not None:
            writer.interrupted.set()
            with suppress(TimeoutError):
                await asyncio.wait_for(writer.ended.wait(), INTERRUPT_TIMEOUT_SECONDS)

    async def completed_file(self, upload: Upload, appending: Appending) -> Spool:
        """Returns the complete file. Hashes it from disk if another process received a part."""
        path = self._path(upload.id, _DATA)
        digest = appending.digest if appending.digest is not None else await _on_disk(_digest, path)
        return Spool(upload.filename, path, self.limit_mb, appending.size, digest)

    async def complete(self, upload: Upload, document: dict[str, Any]) -> Upload:
        """Records the document and deletes the data. The metadata stays for a client that missed the response.

        Raises StorageFailed; the upload is then unfinished, and the client repeats the last request.
        """
        done = replace(upload, document=document, refused="")
        await self.update(done)
        self._digests.pop(upload.id, None)
        with suppress(StorageFailed):  # The sweep removes it.
            await _on_disk(lambda: self._path(upload.id, _DATA).unlink(missing_ok=True))
        return done

    async def remove(self, upload: Upload) -> None:
        await self.interrupt(upload)
        self._digests.pop(upload.id, None)
        await asyncio.to_thread(shutil.rmtree, self._folder / upload.id, ignore_errors=True)

    async def remove_thread(self, owner: str, thread_id: str) -> None:
        """Remove the owner's unfinished uploads to a chat."""
        for upload in await asyncio.to_thread(self._all):
            if (upload.owner, upload.thread_id) == (owner, thread_id) and upload.document is None:
                await self.remove(upload)

    async def sweep(self) -> int:
        """Removes expired uploads, and returns their number."""
        digests = set(self._digests)
        found = await asyncio.to_thread(self._all)
        expired = [u for u in found if u.expires < time.time()]
        for upload in expired:
            await self.remove(upload)
        for id in digests - {u.id for u in found if u.document is None}:  # completed, or removed by another node
            self._digests.pop(id, None)
        return len(expired)

    def _path(self, id: str, name: str) -> Path:
        return self._folder / id / name

    def _create(self, upload: Upload) -> None:
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        folder = self._folder / upload.id
        folder.mkdir(mode=0o700)
        try:
            self._path(upload.id, _DATA).touch(mode=0o600)
            self._write(upload)
        except OSError:
            shutil.rmtree(folder, ignore_errors=True)
            raise

    def _size(self, upload: Upload) -> int:
        if upload.document is None:
            with suppress(FileNotFoundError):
                return self._path(upload.id, _DATA).stat().st_size
            # Another request registered or removed it since the caller found it.
            done = self._read(upload.id)
            if done is None or done.document is None:
                raise _not_found(upload.id)
            upload = done
        return upload.length or 0

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


async def _on_disk(work: Callable[[*Ts], R], *args: *Ts) -> R:
    """Runs file work in a thread. Raises StorageFailed."""
    try:
        return await asyncio.to_thread(work, *args)
    except OSError as exc:
        raise StorageFailed(
            "The upload cannot be kept on this machine just now. What came before is kept; try again later."
        ) from exc


def _not_found(id: str) -> NotFound:
    return NotFound(f"Upload {id} not found or you don't have access.")


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _digest(path: Path) -> hashlib._Hash:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256")
