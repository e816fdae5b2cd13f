"""Builds the world of the leak matrix."""

from __future__ import annotations

from pathlib import Path

import psycopg

from orderly.store.blobs_local import LocalBlobs
from orderly.store.postgres import open_postgres, open_postgres_worker
from security.world import Builder, World


async def built(database_url: str, home: Path) -> World:
    """Builds the world in a migrated, empty database, with files below `home`."""
    store, worker = await open_postgres(database_url), await open_postgres_worker(database_url)
    try:
        with psycopg.connect(database_url, autocommit=True) as admin:
            return await Builder(store, worker, LocalBlobs(home / "files"), admin, home, database_url).build()
    finally:
        await store.close()
        await worker.close()
