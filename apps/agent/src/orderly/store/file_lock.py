"""File locks (flock), released by the kernel when the process ends."""

from __future__ import annotations

import asyncio
import fcntl
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from orderly.errors import StoreUnavailable


class FileLock:
    """A shared or exclusive lock of one open file, effective between processes and within one."""

    def __init__(self, path: Path) -> None:
        self._fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)

    def try_acquire(self, *, shared: bool = False) -> bool:
        """Acquires the lock without waiting, or converts a held lock between shared and exclusive."""
        try:
            fcntl.flock(self._fd, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def keep_over_exec(self) -> None:
        """The program that replaces this one holds the lock then; programs that it starts do not."""
        os.set_inheritable(self._fd, True)

    def close(self) -> None:
        os.close(self._fd)


@asynccontextmanager
async def exclusive(path: Path, *, timeout: float) -> AsyncIterator[None]:
    """Holds an exclusive lock on `path`. Raises StoreUnavailable after `timeout` seconds."""
    lock = FileLock(path)
    try:
        deadline = asyncio.get_running_loop().time() + timeout
        while not lock.try_acquire():
            if asyncio.get_running_loop().time() > deadline:
                raise StoreUnavailable("Another process is starting or stopping the embedded database.")
            await asyncio.sleep(0.02)
        yield
    finally:
        lock.close()
