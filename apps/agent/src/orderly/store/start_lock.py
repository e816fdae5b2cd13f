"""Lets nodes prepare their databases one after the other, with a Postgres advisory lock, which ends with its connection."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import psycopg
from psycopg import AsyncConnection

from orderly.errors import StoreUnavailable
from orderly.store.postgres import translated_errors

_KEY = 7_234_118_208


@asynccontextmanager
async def start_lock(database_url: str, *, wait_seconds: int = 600) -> AsyncIterator[None]:
    """Holds the lock. Raises StoreUnavailable if other nodes hold it for longer than `wait_seconds`."""
    with translated_errors():
        connection = await AsyncConnection.connect(
            database_url, autocommit=True, prepare_threshold=None, application_name="orderly start"
        )
    async with connection:
        with translated_errors():
            await connection.execute("select set_config('lock_timeout', %s, false)", (f"{wait_seconds}s",))
            try:
                await connection.execute("select pg_advisory_lock(%s)", (_KEY,))
            except psycopg.errors.LockNotAvailable as error:
                raise StoreUnavailable("Another node has been preparing the databases for too long: see its log.") from error
        yield
