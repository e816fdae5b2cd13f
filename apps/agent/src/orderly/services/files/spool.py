"""Spools incoming files to local disk while counting and hashing their bytes."""

from __future__ import annotations

import asyncio
import errno
import hashlib
import os
import shutil
import stat
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from orderly.errors import Invalid, StorageFailed, TooLarge

BLOCK_BYTES = 1 << 20
MEGABYTE = 1 << 20

_DISK_FULL_ERRORS = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
_DISK_FULL = "There is no room left on this machine to take in {name}. Nothing of it was kept."


@dataclass(slots=True)
class Spool:
    """A temporary file that is being written. All methods block."""

    name: str
    """Used in messages."""
    path: Path
    limit_mb: int
    size: int = 0
    _digest: hashlib._Hash = field(default_factory=hashlib.sha256)
    _file: BinaryIO | None = None

    @property
    def sha256(self) -> str:
        return self._digest.hexdigest()

    def write(self, block: bytes) -> None:
        """Raises TooLarge past the limit, StorageFailed if the disk is full."""
        self.size += len(block)
        if self.size > self.limit_mb * MEGABYTE:
            raise too_large_error(self.name, self.limit_mb)
        self._digest.update(block)
        try:
            if self._file is None:
                self._file = self.path.open("xb")
            self._file.write(block)
        except OSError as exc:
            raise _storage_error(self.name, exc) from exc

    def finish(self) -> None:
        try:
            if self._file is None:
                self.path.touch(exist_ok=False)
            else:
                self._file.close()
        except OSError as exc:
            raise _storage_error(self.name, exc) from exc

    def discard(self) -> None:
        if self._file is not None:
            with suppress(OSError):  # flushing the buffer to a full disk fails again
                self._file.close()
        shutil.rmtree(self.path.parent, ignore_errors=True)


@asynccontextmanager
async def open_spool(name: str, limit_mb: int) -> AsyncIterator[Spool]:
    """Opens an empty spool, called `name` in messages. Deletes its file at exit, also on cancellation."""
    try:
        folder = await asyncio.to_thread(tempfile.mkdtemp, prefix="orderly-")
    except OSError as exc:
        raise _storage_error(name, exc) from exc
    spool = Spool(name, Path(folder) / "file", limit_mb)
    try:
        yield spool
    finally:
        await asyncio.shield(asyncio.to_thread(spool.discard))


def copy_to_spool(source: Path, spool: Spool) -> None:
    """Copies a file to the spool. Blocking. Raises Invalid if `source` is no regular file or cannot be read."""
    with _open_regular_file(source) as file:
        while True:
            try:
                block = file.read(BLOCK_BYTES)
            except OSError as exc:
                raise Invalid(f"{spool.name} could not be read to its end: {_read_error(exc)}.") from exc
            if not block:
                break
            spool.write(block)
    spool.finish()


@contextmanager
def _open_regular_file(source: Path) -> Iterator[BinaryIO]:
    """Opens without blocking on named pipes, which are rejected."""
    try:
        descriptor = os.open(source, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as exc:
        if exc.errno == errno.ENXIO:  # a socket
            raise Invalid(f"{source.name} is not a file.") from exc
        raise Invalid(f"{source.name} cannot be opened: {_read_error(exc)}.") from exc
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise Invalid(f"{source.name} is not a file.")
    with os.fdopen(descriptor, "rb") as file:
        yield file


def sha256_of(path: Path) -> str:
    """Hex digest of a file. Blocking."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def too_large_error(name: str, limit_mb: int) -> TooLarge:
    return TooLarge(f"{name} is larger than {limit_mb} MB, the most that is accepted.")


def _read_error(exc: OSError) -> str:
    known = {
        errno.ENOENT: "it is no longer there",
        errno.EACCES: "there is no permission to read it",
        errno.EPERM: "there is no permission to read it",
        errno.ENAMETOOLONG: "its name is too long",
        errno.ELOOP: "its links lead in a circle",
        errno.EIO: "the disk that holds it reports an error",
    }
    return known.get(exc.errno or 0, "the system refuses it")


def _storage_error(name: str, exc: OSError) -> StorageFailed:
    if exc.errno in _DISK_FULL_ERRORS:
        return StorageFailed(_DISK_FULL.format(name=name))
    return StorageFailed(f"{name} could not be kept on this machine. Nothing of it was kept.")
