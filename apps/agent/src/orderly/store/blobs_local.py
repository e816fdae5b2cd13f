"""Stored files in a local folder. Writes are atomic and durable."""

from __future__ import annotations

import asyncio
import errno
import os
import shutil
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4

from orderly.errors import Conflict, StorageFailed
from orderly.models import Caller
from orderly.store.blob_keys import validate_key

_BLOCK = 1 << 20


@contextmanager
def _translated_errors() -> Iterator[None]:
    try:
        yield
    except FileExistsError as exc:
        raise Conflict("A file is stored under this key already.") from exc
    except FileNotFoundError as exc:
        raise StorageFailed("The stored file is missing.") from exc
    except OSError as exc:
        if exc.errno in (errno.ENOSPC, errno.EDQUOT):
            raise StorageFailed("The file storage is full.") from exc
        raise StorageFailed("The file storage could not be read or written.") from exc


class LocalBlobs:
    """Implements `store.base.Blobs` below `root`, a folder with mode 0700. File work runs in threads."""

    def __init__(self, root: Path) -> None:
        self._root = root.absolute()

    def of(self, caller: Caller) -> LocalBlobs:
        """Returns the same object: for local files, the SQL functions that return keys check access."""
        return self

    async def put(self, key: str, source: Path) -> None:
        with _translated_errors():
            await asyncio.to_thread(self._put, self._path(key), source)

    async def get(self, key: str, target: Path) -> None:
        with _translated_errors():
            await asyncio.to_thread(shutil.copyfile, self._path(key), target)

    async def size(self, key: str) -> int:
        with _translated_errors():
            return (await asyncio.to_thread(self._path(key).stat)).st_size

    async def stream(self, key: str, start: int = 0, end: int | None = None) -> AsyncIterator[bytes]:
        with _translated_errors():
            file = await asyncio.to_thread(self._path(key).open, "rb")
            try:
                await asyncio.to_thread(file.seek, start)
                left = float("inf") if end is None else end - start
                while left and (block := await asyncio.to_thread(file.read, int(min(_BLOCK, left)))):
                    left -= len(block)
                    yield block
            finally:
                file.close()

    async def delete(self, key: str) -> None:
        with _translated_errors():
            await asyncio.to_thread(self._delete, self._path(key))

    async def close(self) -> None:
        """Does nothing: no file stays open between calls."""

    def _path(self, key: str) -> Path:
        return self._root / validate_key(key)

    def _put(self, path: Path, source: Path) -> None:
        self._root.mkdir(mode=0o700, parents=True, exist_ok=True)
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        unfinished = path.parent / f".{uuid4().hex}"
        try:
            with source.open("rb") as reading, unfinished.open("xb") as writing:
                shutil.copyfileobj(reading, writing, _BLOCK)
                writing.flush()
                os.fsync(writing.fileno())
            # link, unlike rename, fails if the target exists.
            os.link(unfinished, path)
        finally:
            unfinished.unlink(missing_ok=True)
        sync_folder(path.parent)

    def _delete(self, path: Path) -> None:
        path.unlink(missing_ok=True)
        for folder in list(path.parents)[:3]:
            if not folder.is_dir() or any(folder.iterdir()):
                return
            folder.rmdir()


def sync_folder(folder: Path) -> None:
    """Makes the entries of a folder durable."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
