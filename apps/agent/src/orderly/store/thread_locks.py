"""Locks conversations across processes with Postgres advisory locks, which end with their connection."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any
from weakref import WeakValueDictionary

import psycopg
from psycopg import AsyncConnection

from orderly.errors import Conflict

POLL_SECONDS = 0.2
_KEY = "hashtextextended(%s, 7234118207)"


class ThreadLocks:
    """The locks of one process, on one connection, which is opened on first use and reopened after a loss.

    A restart of the database drops all locks. Active runs then fail, or the server retries them and they lock again.
    """

    def __init__(self, database_url: str, *, wait_seconds: float = 900.0) -> None:
        self._url = database_url
        self._wait_seconds = wait_seconds
        self._connection: AsyncConnection[Any] | None = None
        self._query_lock = asyncio.Lock()
        self._process_locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    @asynccontextmanager
    async def held(self, thread_id: str) -> AsyncIterator[None]:
        """Holds the lock of a conversation. Raises Conflict if another run holds it for longer than `wait_seconds`."""
        process_lock = self._process_locks.setdefault(thread_id, asyncio.Lock())
        async with process_lock:
            await self._acquire(thread_id)
            try:
                yield
            finally:
                await asyncio.shield(self._release(thread_id))

    async def close(self) -> None:
        if self._connection is not None:
            await self._connection.close()

    async def _acquire(self, thread_id: str) -> None:
        deadline = asyncio.get_running_loop().time() + self._wait_seconds
        while not await self._try_acquire(thread_id):
            if asyncio.get_running_loop().time() > deadline:
                raise Conflict("Another question of this conversation is still being answered. Ask again when it is done.")
            await asyncio.sleep(POLL_SECONDS)

    async def _try_acquire(self, thread_id: str) -> bool:
        """Returns False also while the database is unreachable. A cancelled attempt releases the lock."""
        attempt = asyncio.ensure_future(self._query(f"select pg_try_advisory_lock({_KEY})", thread_id))
        try:
            return bool(await asyncio.shield(attempt))
        except psycopg.OperationalError:
            return False
        except asyncio.CancelledError:
            with suppress(psycopg.OperationalError):
                if await attempt:
                    await self._release(thread_id)
            raise

    async def _release(self, thread_id: str) -> None:
        """Releases the lock. A lost connection has released it already."""
        with suppress(psycopg.OperationalError):
            await self._query(f"select pg_advisory_unlock({_KEY})", thread_id)

    async def _query(self, query: str, thread_id: str) -> Any:
        async with self._query_lock:
            if self._connection is None or self._connection.closed:
                self._connection = await AsyncConnection.connect(
                    self._url, autocommit=True, prepare_threshold=None, application_name="orderly runs", connect_timeout=10
                )
            row = await (await self._connection.execute(query.encode(), (thread_id,))).fetchone()
        return row[0] if row else None
