"""The store on Postgres: each call is one SQL function in one transaction, under the caller's role and claims."""

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
from psycopg.types.json import Jsonb
from psycopg_pool import AsyncConnectionPool

from orderly.errors import OrderlyError
from orderly.models import Caller, RevisionContent
from orderly.store.base import Json
from orderly.store.postgres_copy import publish_by_copy
from orderly.store.sqlstates import SqlFailure, domain_error

Role = Literal["anon", "authenticated", "service_role"]
Connection = AsyncConnection[tuple[Any, ...]]
Cursor = AsyncCursor[tuple[Any, ...]]
Pool = AsyncConnectionPool[Connection]
_Named = tuple[tuple[str, Json], ...]

# Two statements in one message: a database may be a millisecond away, and every call begins so. They hold no secret, and
# nothing of a document: a server's log may show the text of a statement, but not its parameters.
_BEGIN = sql.SQL(
    "begin; select set_config('role', {}, true), set_config('request.jwt.claims', {}, true),"
    " set_config('TimeZone', 'UTC', true)"
)

PATIENCE_SECONDS = 5.0
"""For calls that are under way when their store is closed."""

_FUNCTION_NAME = re.compile(r"[a-z][a-z0-9_]*")

# The SQLSTATE that stands in where psycopg has none, for failures on this side of the wire. Its other kinds
# (ProgrammingError, InternalError, NotSupportedError) without one are bugs and stay what they are.
WITHOUT_SQLSTATE: Mapping[type[psycopg.Error], str] = {
    psycopg.DataError: "22000",
    psycopg.OperationalError: "08000",
    psycopg.InterfaceError: "08000",
}


def translate(exc: psycopg.Error) -> OrderlyError | None:
    """The domain error behind a psycopg error; None when it can only be a bug."""
    sqlstate = exc.sqlstate or next((s for kind, s in WITHOUT_SQLSTATE.items() if isinstance(exc, kind)), "")
    d = exc.diag
    return domain_error(SqlFailure(sqlstate, d.message_primary or "", d.message_detail or "", d.message_hint or ""))


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
    """One transaction under `role`, which comes from our code alone: a claim named "role" never becomes one."""
    async with _sent(pool, _begin(role, tuple(claims.items()))) as cursor:
        yield cursor.connection


async def ask(pool: Pool, role: Role, claims: Mapping[str, Json], function: str, params: Mapping[str, Json]) -> Json:
    """Makes a repeatable call with its transaction in one message. `params` are part of the statement's text."""
    asked = tuple((name, tuple(value) if isinstance(value, list) else value) for name, value in params.items())
    async with _sent(pool, _question(role, tuple(claims.items()), function, asked)) as cursor:
        for _ in ("begin", "set_config"):
            cursor.nextset()
        return (await cursor.fetchone() or [None])[0]


@lru_cache(maxsize=1024)
def _question(role: Role, claims: _Named, function: str, params: _Named) -> bytes:
    """The message of a repeatable call, cached because a run makes the same call again and again. Lists come as tuples."""
    values = [(name, list(value) if isinstance(value, tuple) else value) for name, value in params]
    named = [sql.SQL("{} => {}").format(sql.Identifier(name), sql.Literal(_sent_as(value))) for name, value in values]
    question = sql.SQL("; select public.{}({}); commit").format(sql.Identifier(function), sql.SQL(", ").join(named))
    return _begin(role, claims) + question.as_bytes()


@lru_cache(maxsize=1024)
def _begin(role: Role, claims: _Named) -> bytes:
    return _BEGIN.format(sql.Literal(role), sql.Literal(json.dumps({**dict(claims), "role": role}))).as_bytes()


@asynccontextmanager
async def _sent(pool: Pool, message: bytes) -> AsyncIterator[Cursor]:
    """Sends `message` on a working connection, and sends it again when the connection was lost: it must be repeatable."""
    with translated_errors():
        for more in range(pool.max_size, -1, -1):
            async with pool.connection() as connection:
                try:
                    cursor = await connection.execute(message)
                except psycopg.Error:
                    if more and connection.closed:
                        continue  # it was lost while it lay in the pool; the next may do
                    raise
                except asyncio.CancelledError:
                    await connection.close()
                    raise
                try:
                    yield cursor
                    await connection.commit()
                except asyncio.CancelledError:
                    # What tells the server to stop may reach it late, and would stop the next call on this connection.
                    await connection.close()
                    raise
                return


async def call(connection: Connection, function: str, params: Mapping[str, Json]) -> Json:
    if not _FUNCTION_NAME.fullmatch(function):
        raise AssertionError(f"not the name of a store function: {function!r}")
    arguments = sql.SQL(", ").join(sql.SQL("{} => %s").format(sql.Identifier(name)) for name in params)
    query = sql.SQL("select public.{}({})").format(sql.Identifier(function), arguments)
    row = await (await connection.execute(query, [_sent_as(value) for value in params.values()])).fetchone()
    return row[0] if row else None


def _sent_as(value: Json) -> Any:
    return Jsonb(value) if isinstance(value, (dict, list)) else value


class _Calls:
    """Calls of a store, each in a task of its own that goes on to its end when whoever asked is broken off: a short transaction
    that is done or not, as if its answer had been lost. Broken off itself it could cost the pool a connection, and others
    their turn: psycopg_pool 3.3 hands a connection on in several steps, and forgets both when it is stopped between them.
    """

    def __init__(self) -> None:
        self._under_way: set[asyncio.Task[Json]] = set()

    async def result(self, work: Coroutine[Any, Any, Json]) -> Json:
        task = asyncio.create_task(work)
        self._under_way.add(task)
        task.add_done_callback(self._under_way.discard)
        return await asyncio.shield(task)

    async def ended(self) -> None:
        """Or not, after PATIENCE_SECONDS: who stops a program waits for no lock that somebody else holds."""
        if self._under_way:
            await asyncio.wait(self._under_way, timeout=PATIENCE_SECONDS)


def _claims(caller: Caller) -> dict[str, Json]:
    within = {"thread_id": caller.thread_id, "run_id": caller.run_id}
    return {"sub": caller.user_id, **{name: value for name, value in within.items() if value is not None}}


class PostgresStore:
    """`store.base.Store` over a pool, which it closes."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool
        self._calls = _Calls()

    async def rpc(self, caller: Caller | None, function: str, params: Mapping[str, Json], *, repeatable: bool = False) -> Json:
        role: Role = "anon" if caller is None else "authenticated"
        claims = {} if caller is None else _claims(caller)
        work = ask(self._pool, role, claims, function, params) if repeatable else self._call(role, claims, function, params)
        return await self._calls.result(work)

    async def _call(self, role: Role, claims: Mapping[str, Json], function: str, params: Mapping[str, Json]) -> Json:
        async with transaction_as(self._pool, role, claims) as connection:
            return await call(connection, function, params)

    async def close(self) -> None:
        await self._calls.ended()
        await self._pool.close()


class WorkerTransaction:
    """Calls as the service role in one transaction: `store.base.WorkerCalls`."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection

    async def rpc(self, function: str, params: Mapping[str, Json]) -> Json:
        return await call(self.connection, function, params)


class PostgresWorkerStore:
    """`store.base.WorkerStore` over a pool, which it closes."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool
        self._calls = _Calls()

    async def rpc(self, function: str, params: Mapping[str, Json]) -> Json:
        return await self._calls.result(self._call(function, params))

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
        await self._calls.ended()
        await self._pool.close()


async def open_pool(database_url: str, *, max_size: int = 10, timeout: float = 10.0) -> Pool:
    """`timeout`: seconds to wait for a connection. Raises StoreUnavailable.

    No prepared statements, so that a transaction pooler may stand between.
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
    """The library names its tables without a schema. Said on the connection: poolers drop it from the connection string."""
    await connection.execute("set search_path = queue")
    await connection.commit()


async def open_postgres(database_url: str, *, max_size: int = 10) -> PostgresStore:
    return PostgresStore(await open_pool(database_url, max_size=max_size))


async def open_postgres_worker(database_url: str, *, max_size: int = 4) -> PostgresWorkerStore:
    return PostgresWorkerStore(await open_pool(database_url, max_size=max_size))
