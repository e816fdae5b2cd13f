"""Stores over one connection whose transactions are rolled back, so that every case runs in the same world."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

import psycopg

from orderly.errors import StoreUnavailable
from orderly.models import Caller
from orderly.store.base import Json, claims_of
from orderly.store.postgres import Role, call, translated_errors
from support.result_shapes import as_declared

Connection = psycopg.AsyncConnection[tuple[Any, ...]]

BECOME = "select set_config('role', %s, true), set_config('request.jwt.claims', %s, true), set_config('TimeZone', 'UTC', true)"


class Desk:
    """A connection of the database's owner that assumes the caller's role for each call."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self._one_at_a_time = asyncio.Lock()
        self._depth = self._round = 0

    @asynccontextmanager
    async def undone(self) -> AsyncIterator[None]:
        """Rolls back everything done inside; calls that arrive afterwards are refused."""
        transaction = self.connection.transaction(force_rollback=True)
        await transaction.__aenter__()
        self._depth += 1
        try:
            yield
        finally:
            async with self._one_at_a_time:
                self._depth -= 1
                self._round += 1
                await transaction.__aexit__(None, None, None)

    @asynccontextmanager
    async def undone_as(self, role: Role, claims: Mapping[str, Json]) -> AsyncIterator[Connection]:
        """Assumes a caller's role for one step and rolls back."""
        async with self.undone():
            await self._become(role, claims)
            yield self.connection

    async def _become(self, role: Role, claims: Mapping[str, Json]) -> None:
        await self.connection.execute(BECOME, (role, json.dumps({**claims, "role": role})))

    async def recorded_in(self, *, after: int) -> str:
        """Returns the ids of matters whose audit record has entries after `after`."""
        await self.connection.execute("select set_config('role', 'none', true)")
        found = await self.connection.execute(
            "select coalesce(string_agg(distinct matter_id::text, ' '), '') from public.audit_log where id > %s", (after,)
        )
        ((matters,),) = await found.fetchall()
        return str(matters)

    async def call(self, role: Role, claims: Mapping[str, Json], function: str, params: Mapping[str, Json]) -> Json:
        """Calls a function. A cancelled caller does not cancel the call, since all callers share the connection."""
        return await asyncio.shield(asyncio.create_task(self._call(self._round, role, claims, function, params)))

    async def _call(
        self, asked_in: int, role: Role, claims: Mapping[str, Json], function: str, params: Mapping[str, Json]
    ) -> Json:
        with translated_errors():
            async with self._one_at_a_time, self.connection.transaction(force_rollback=self._depth == 0):
                if asked_in != self._round:
                    raise StoreUnavailable("The case that asked for this is over.")
                await self._become(role, claims)
                result = as_declared(function, await call(self.connection, function, params))
                await self.connection.execute("select set_config('role', 'none', true)")
                return result


class UndoneStore:
    """`store.base.Store` over a desk."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    async def rpc(self, caller: Caller | None, function: str, params: Mapping[str, Json], *, repeatable: bool = False) -> Json:
        role: Role = "anon" if caller is None else "authenticated"
        return await self._desk.call(role, {} if caller is None else claims_of(caller), function, params)

    async def close(self) -> None:
        """The desk belongs to the matrix."""


class UndoneWorkerStore:
    """`store.base.WorkerStore` over a desk, without publishing."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    async def rpc(self, function: str, params: Mapping[str, Json]) -> Json:
        return await self._desk.call("service_role", {}, function, params)

    async def publish(self, content: object, claim: int) -> None:
        raise AssertionError("the matrix reads no files")

    async def close(self) -> None:
        """The desk belongs to the matrix."""
