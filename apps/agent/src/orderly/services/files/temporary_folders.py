"""Temporary folders, created and removed in worker threads to keep the event loop free.

Reader processes may read files below the system's folder for temporary files alone.
"""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path


@asynccontextmanager
async def temporary_folder() -> AsyncIterator[Path]:
    """Creates a folder. Deletes it at exit, also on cancellation."""
    folder = Path(await asyncio.to_thread(tempfile.mkdtemp, prefix="orderly-"))
    try:
        yield folder
    finally:
        await asyncio.shield(asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True))


@asynccontextmanager
async def within_reach(path: Path) -> AsyncIterator[Path]:
    """Yields a path at which a reader process can read the file: its own, or a copy's. A missing file stays missing."""
    if await asyncio.to_thread(_is_temporary, path) or not await asyncio.to_thread(path.is_file):
        yield path
        return
    async with temporary_folder() as folder:
        copy = folder / "file"
        await asyncio.to_thread(shutil.copyfile, path, copy)
        yield copy


def _is_temporary(path: Path) -> bool:
    return path.resolve().is_relative_to(Path(tempfile.gettempdir()).resolve())
