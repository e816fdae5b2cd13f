"""Temporary folders, created and removed in worker threads to keep the event loop free."""

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
