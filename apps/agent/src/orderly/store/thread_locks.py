"""One holder at a time for each conversation, in whichever process: advisory locks, gone with their holder's connection."""

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
    """All of a process's locks on one connection, which is opened with the first of them and again when it was lost.

    A database that restarts forgets all locks. Runs that were under way then end with an error, or are recovered by the server,
    and wait here again.
    """

    def __init__(self, database_url: str, *, wait_seconds: float = 900.0) -> None:
        self._url = database_url
        self._wait_seconds = wait_seconds
        self._connection: AsyncConnection[Any] | None = None
        self._asking = asyncio.Lock()
        self._mine: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    @asynccontextmanager
    async def held(self, thread_id: str) -> AsyncIterator[None]:
        """Raises Conflict when another run holds the conversation for longer than `wait_seconds`."""
        mine = self._mine.setdefault(thread_id, asyncio.Lock())
        async with mine:
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
        while not await self._tried(thread_id):
            if asyncio.get_running_loop().time() > deadline:
                raise Conflict("Another question of this conversation is still being answered. Ask again when it is done.")
            await asyncio.sleep(POLL_SECONDS)

    async def _tried(self, thread_id: str) -> bool:
        """False also while the database is away. Who gives up waiting leaves no lock behind."""
        asked = asyncio.ensure_future(self._ask(f"select pg_try_advisory_lock({_KEY})", thread_id))
        try:
            return bool(await asyncio.shield(asked))
        except psycopg.OperationalError:
            return False
        except asyncio.CancelledError:
            with suppress(psycopg.OperationalError):
                if await asked:
                    await self._release(thread_id)
            raise

    async def _release(self, thread_id: str) -> None:
        """Where the connection was lost, so was the lock."""
        with suppress(psycopg.OperationalError):
            await self._ask(f"select pg_advisory_unlock({_KEY})", thread_id)

    async def _ask(self, query: str, thread_id: str) -> Any:
        async with self._asking:
            if self._connection is None or self._connection.closed:
                self._connection = await AsyncConnection.connect(
                    self._url, autocommit=True, prepare_threshold=None, application_name="orderly runs", connect_timeout=10
                )
            row = await (await self._connection.execute(query.encode(), (thread_id,))).fetchone()
        return row[0] if row else None
