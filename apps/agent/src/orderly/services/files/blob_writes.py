"""Putting a received file among the stored ones, also when another upload of the same content was there first."""

from __future__ import annotations

import hashlib
from pathlib import Path

from orderly.errors import Conflict
from orderly.store.base import Blobs


async def keep(blobs: Blobs, key: str, path: Path, sha256: str) -> None:
    """`sha256`: of the file at `path`. The key is the registration's own, so what stands there should be this very file.

    It is looked at, not replaced: a worker may be reading it. Raises StorageFailed.
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
