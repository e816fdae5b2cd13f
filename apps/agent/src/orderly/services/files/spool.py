"""Bytes on their way in: kept aside while they are counted and hashed, so that what is registered is what is stored."""

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

BLOCK = 1 << 20
MEGABYTE = 1 << 20

_NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
_FULL = "There is no room left on this machine to take in {name}. Nothing of it was kept."


@dataclass(slots=True)
class Spool:
    """The file at `path`, as far as it has come. All methods block."""

    name: str
    """For messages."""
    path: Path
    limit_mb: int
    size: int = 0
    _digest: hashlib._Hash = field(default_factory=hashlib.sha256)
    _file: BinaryIO | None = None

    @property
    def sha256(self) -> str:
        return self._digest.hexdigest()

    def write(self, block: bytes) -> None:
        """Raises TooLarge past the limit, StorageFailed where there is no room."""
        self.size += len(block)
        if self.size > self.limit_mb * MEGABYTE:
            raise too_large(self.name, self.limit_mb)
        self._digest.update(block)
        try:
            if self._file is None:
                self._file = self.path.open("xb")
            self._file.write(block)
        except OSError as exc:
            raise _not_kept(self.name, exc) from exc

    def finish(self) -> None:
        try:
            if self._file is None:
                self.path.touch(exist_ok=False)
            else:
                self._file.close()
        except OSError as exc:
            raise _not_kept(self.name, exc) from exc

    def discard(self) -> None:
        if self._file is not None:
            with suppress(OSError):  # a full disk shows itself again while what is buffered is written
                self._file.close()
        shutil.rmtree(self.path.parent, ignore_errors=True)


@asynccontextmanager
async def spooled(name: str, limit_mb: int) -> AsyncIterator[Spool]:
    """An empty file to write to, called `name` in messages, gone when the context ends."""
    try:
        folder = await asyncio.to_thread(tempfile.mkdtemp, prefix="orderly-")
    except OSError as exc:
        raise _not_kept(name, exc) from exc
    kept = Spool(name, Path(folder) / "file", limit_mb)
    try:
        yield kept
    finally:
        await asyncio.to_thread(kept.discard)


def copy_in(source: Path, kept: Spool) -> None:
    """Blocking. Raises Invalid for what is no file, cannot be opened, or goes away meanwhile."""
    with _opened(source) as file:
        while True:
            try:
                block = file.read(BLOCK)
            except OSError as exc:
                raise Invalid(f"{kept.name} could not be read to its end: {_reason(exc)}.") from exc
            if not block:
                break
            kept.write(block)
    kept.finish()


@contextmanager
def _opened(source: Path) -> Iterator[BinaryIO]:
    """Without waiting for the other end of a pipe, which is no file."""
    try:
        descriptor = os.open(source, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as exc:
        if exc.errno == errno.ENXIO:  # a socket
            raise Invalid(f"{source.name} is not a file.") from exc
        raise Invalid(f"{source.name} cannot be opened: {_reason(exc)}.") from exc
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise Invalid(f"{source.name} is not a file.")
    with os.fdopen(descriptor, "rb") as file:
        yield file


def sha256_of(path: Path) -> str:
    """Blocking."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def too_large(name: str, limit_mb: int) -> TooLarge:
    return TooLarge(f"{name} is larger than {limit_mb} MB, the most that is accepted.")


def _reason(exc: OSError) -> str:
    known = {
        errno.ENOENT: "it is no longer there",
        errno.EACCES: "there is no permission to read it",
        errno.EPERM: "there is no permission to read it",
        errno.ENAMETOOLONG: "its name is too long",
        errno.ELOOP: "its links lead in a circle",
        errno.EIO: "the disk that holds it reports an error",
    }
    return known.get(exc.errno or 0, "the system refuses it")


def _not_kept(name: str, exc: OSError) -> StorageFailed:
    if exc.errno in _NO_ROOM:
        return StorageFailed(_FULL.format(name=name))
    return StorageFailed(f"{name} could not be kept on this machine. Nothing of it was kept.")
