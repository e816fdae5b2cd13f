"""The Postgres adapter: each call runs one SQL function in one transaction with the caller's role and claims."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator, Coroutine, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from functools import lru_cache
from typing import Any, Literal

import psycopg
from psycopg import AsyncConnection, AsyncCursor, sql
from psycopg.conninfo import conninfo_to_dict
from psycopg.types.json import Jsonb
from psycopg_pool import AsyncConnectionPool

from orderly.errors import Misconfigured, OrderlyError, StoreUnavailable
from orderly.models import Caller, RevisionContent
from orderly.store.base import Json, claims_of
from orderly.store.postgres_copy import publish_by_copy
from orderly.store.sqlstates import SqlFailure, domain_error

Role = Literal["anon", "authenticated", "service_role"]
Connection = AsyncConnection[tuple[Any, ...]]
Cursor = AsyncCursor[tuple[Any, ...]]
Pool = AsyncConnectionPool[Connection]
_Named = tuple[tuple[str, Json], ...]

# Two statements in one message save a round trip per call. The text contains no secrets and no document content, since a
# server's log can show statements, but not parameters.
_BEGIN = sql.SQL(
    "begin; select set_config('role', {}, true), set_config('request.jwt.claims', {}, true),"
    " set_config('TimeZone', 'UTC', true)"
)

CLOSE_TIMEOUT_SECONDS = 5.0
"""Time for active calls to end when the store is closed."""

_FUNCTION_NAME = re.compile(r"[a-z][a-z0-9_]*")

# SQLSTATEs for client-side errors of psycopg without one. Its other errors without a SQLSTATE (ProgrammingError, InternalError,
# NotSupportedError) are bugs and are not translated.
WITHOUT_SQLSTATE: Mapping[type[psycopg.Error], str] = {
    psycopg.DataError: "22000",
    psycopg.OperationalError: "08000",
    psycopg.InterfaceError: "08000",
}


def translate(exc: psycopg.Error) -> OrderlyError | None:
    """Converts a psycopg error to a domain error; None for a bug."""
    sqlstate = exc.sqlstate or next((s for kind, s in WITHOUT_SQLSTATE.items() if isinstance(exc, kind)), "")
    d = exc.diag
    error = domain_error(SqlFailure(sqlstate, d.message_primary or "", d.message_detail or "", d.message_hint or ""))
    if isinstance(error, StoreUnavailable):
        error.operator = _reason(exc)
    return error


def _reason(exc: psycopg.Error) -> str:
    """Database, address and reason, for the operator: libpq names host, port and user, never the password."""
    database = exc.pgconn.db.decode(errors="replace") if exc.pgconn is not None and exc.pgconn.db else ""
    return f"The database{f' {database}' if database else ''} cannot be used: {str(exc).strip()}"


@contextmanager
def translated_errors() -> Iterator[None]:
    try:
        yield
    except psycopg.Error as exc:
        error = translate(exc)
        if error is None:
            raise
        raise error from exc


@asynccontextmanager
async def transaction_as(pool: Pool, role: Role, claims: Mapping[str, Json]) -> AsyncIterator[Connection]:
    """Opens a transaction with `role` and `claims`. A claim named "role" does not override `role`."""
    async with _send(pool, _begin(role, tuple(claims.items()))) as cursor:
        yield cursor.connection


async def call_at_once(pool: Pool, role: Role, claims: Mapping[str, Json], function: str, params: Mapping[str, Json]) -> Json:
    """Makes a repeatable call and its transaction in one message. `params` are part of the statement's text."""
    hashable = tuple((name, tuple(value) if isinstance(value, list) else value) for name, value in params.items())
    async with _send(pool, _call_message(role, tuple(claims.items()), function, hashable)) as cursor:
        for _ in ("begin", "set_config"):
            cursor.nextset()
        return (await cursor.fetchone() or [None])[0]


@lru_cache(maxsize=1024)
def _call_message(role: Role, claims: _Named, function: str, params: _Named) -> bytes:
    """Builds the message of a repeatable call. Cached, as a run repeats its calls. Lists are passed as tuples."""
    values = [(name, list(value) if isinstance(value, tuple) else value) for name, value in params]
    named = [sql.SQL("{} => {}").format(sql.Identifier(name), sql.Literal(_adapt(value))) for name, value in values]
    statements = sql.SQL("; select public.{}({}); commit").format(sql.Identifier(function), sql.SQL(", ").join(named))
    return _begin(role, claims) + statements.as_bytes()


@lru_cache(maxsize=1024)
def _begin(role: Role, claims: _Named) -> bytes:
    return _BEGIN.format(sql.Literal(role), sql.Literal(json.dumps({**dict(claims), "role": role}))).as_bytes()


@asynccontextmanager
async def _send(pool: Pool, message: bytes) -> AsyncIterator[Cursor]:
    """Sends `message`, which must be repeatable, and retries on another connection if the connection was lost."""
    with translated_errors():
        for retries_left in range(pool.max_size, -1, -1):
            async with pool.connection() as connection:
                try:
                    cursor = await connection.execute(message)
                except psycopg.Error:
                    if retries_left and connection.closed:
                        continue  # the connection was lost while idle in the pool
                    raise
                except asyncio.CancelledError:
                    await connection.close()
                    raise
                try:
                    yield cursor
                    await connection.commit()
                except asyncio.CancelledError:
                    # A late cancel request would cancel the next call on this connection.
                    await connection.close()
                    raise
                return


async def call(connection: Connection, function: str, params: Mapping[str, Json]) -> Json:
    if not _FUNCTION_NAME.fullmatch(function):
        raise AssertionError(f"invalid function name: {function!r}")
    arguments = sql.SQL(", ").join(sql.SQL("{} => %s").format(sql.Identifier(name)) for name in params)
    query = sql.SQL("select public.{}({})").format(sql.Identifier(function), arguments)
    row = await (await connection.execute(query, [_adapt(value) for value in params.values()])).fetchone()
    return row[0] if row else None


def _adapt(value: Json) -> Any:
    return Jsonb(value) if isinstance(value, (dict, list)) else value


class _ShieldedCalls:
    """Runs each call in a task that is not cancelled with its caller. The transactions are short.

    psycopg_pool 3.3 hands over connections in several steps. A cancellation between these steps loses the connection, and
    blocks waiting clients.
    """

    def __init__(self) -> None:
        self._active: set[asyncio.Task[Json]] = set()

    async def run(self, work: Coroutine[Any, Any, Json]) -> Json:
        task = asyncio.create_task(work)
        self._active.add(task)
        task.add_done_callback(self._active.discard)
        return await asyncio.shield(task)

    async def wait(self) -> None:
        """Waits for active calls, at most CLOSE_TIMEOUT_SECONDS, as a call can wait for another program's lock."""
        if self._active:
            await asyncio.wait(self._active, timeout=CLOSE_TIMEOUT_SECONDS)


class PostgresStore:
    """Implements `store.base.Store`. Closes the pool."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool
        self._calls = _ShieldedCalls()

    async def rpc(self, caller: Caller | None, function: str, params: Mapping[str, Json], *, repeatable: bool = False) -> Json:
        role: Role = "anon" if caller is None else "authenticated"
        claims = {} if caller is None else claims_of(caller)
        if repeatable:
            return await self._calls.run(call_at_once(self._pool, role, claims, function, params))
        return await self._calls.run(self._call(role, claims, function, params))

    async def _call(self, role: Role, claims: Mapping[str, Json], function: str, params: Mapping[str, Json]) -> Json:
        async with transaction_as(self._pool, role, claims) as connection:
            return await call(connection, function, params)

    async def close(self) -> None:
        await self._calls.wait()
        await self._pool.close()


class WorkerTransaction:
    """Implements `store.base.WorkerCalls` in one transaction."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection

    async def rpc(self, function: str, params: Mapping[str, Json]) -> Json:
        return await call(self.connection, function, params)


class PostgresWorkerStore:
    """Implements `store.base.WorkerStore`. Closes the pool."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool
        self._calls = _ShieldedCalls()

    async def rpc(self, function: str, params: Mapping[str, Json]) -> Json:
        return await self._calls.run(self._call(function, params))

    async def _call(self, function: str, params: Mapping[str, Json]) -> Json:
        async with self._transaction() as transaction:
            return await transaction.rpc(function, params)

    @asynccontextmanager
    async def _transaction(self) -> AsyncIterator[WorkerTransaction]:
        async with transaction_as(self._pool, "service_role", {}) as connection:
            yield WorkerTransaction(connection)

    async def publish(self, content: RevisionContent, claim: int) -> None:
        await publish_by_copy(self._transaction(), content, claim)

    async def close(self) -> None:
        await self._calls.wait()
        await self._pool.close()


def check_connection_string(name: str, value: str) -> None:
    """Raises Misconfigured, without the value, if a setting is no connection string."""
    try:
        conninfo_to_dict(value)
    except psycopg.ProgrammingError:
        raise Misconfigured(f"{name} is no connection string such as postgresql://USER:PASSWORD@HOST/DATABASE.") from None


async def open_pool(database_url: str, *, max_size: int = 10, timeout: float = 10.0) -> Pool:
    """Opens a connection pool. `timeout`: seconds to wait for a connection. Raises StoreUnavailable.

    Uses no prepared statements, for compatibility with transaction poolers.
    """
    pool: Pool = AsyncConnectionPool(
        database_url,
        min_size=1,
        max_size=max_size,
        timeout=timeout,
        open=False,
        kwargs={"prepare_threshold": None, "autocommit": True, "application_name": "orderly"},
    )
    with translated_errors():
        try:
            await pool.open(wait=True, timeout=timeout)
        except psycopg.Error:
            await pool.close()
            raise
    return pool


QUEUE_CONNECTION: Mapping[str, Any] = {"prepare_threshold": None, "application_name": "orderly worker"}


async def use_queue_schema(connection: Connection) -> None:
    """Sets the search path, as procrastinate uses unqualified table names. Poolers drop it from the connection string."""
    await connection.execute("set search_path = queue")
    await connection.commit()


async def open_postgres(database_url: str, *, max_size: int = 10) -> PostgresStore:
    return PostgresStore(await open_pool(database_url, max_size=max_size))


async def open_postgres_worker(database_url: str, *, max_size: int = 4) -> PostgresWorkerStore:
    return PostgresWorkerStore(await open_pool(database_url, max_size=max_size))
