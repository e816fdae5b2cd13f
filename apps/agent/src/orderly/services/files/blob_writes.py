"""Idempotent writes of files to blob storage."""

from __future__ import annotations

import hashlib
from pathlib import Path

from orderly.errors import Conflict
from orderly.store.base import Blobs


async def put_once(blobs: Blobs, key: str, path: Path, sha256: str) -> None:
    """Stores the file at `path`, whose hash is `sha256`. Raises StorageFailed.

    An existing blob with the same hash stays untouched, since a worker may be reading it. A different one is replaced.
    """
    try:
        await blobs.put(key, path)
    except Conflict:
        if await _stored_sha256(blobs, key) != sha256:
            await blobs.delete(key)
            await blobs.put(key, path)


async def _stored_sha256(blobs: Blobs, key: str) -> str:
    digest = hashlib.sha256()
    async for block in blobs.stream(key):
        digest.update(block)
    return digest.hexdigest()
