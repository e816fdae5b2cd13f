"""The production server's database of conversations, a sibling of Orderly's database. The server owns its tables."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

import psycopg
from psycopg import AsyncConnection, sql
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg.types.json import Jsonb

from orderly.errors import Misconfigured
from orderly.store.functions.conversations import ThreadAge
from orderly.store.postgres import translated_errors


def sibling(database_url: str, suffix: str) -> str:
    """Returns the URI of the database with `suffix` on the same server, in a form that all drivers accept."""
    known = conninfo_to_dict(database_url)
    name = f"{known.pop('dbname', None) or known.get('user') or 'orderly'}{suffix}"
    user, password = (quote(str(known.pop(part, "") or ""), safe="") for part in ("user", "password"))
    who = f"{user}:{password}@" if password else f"{user}@" if user else ""
    host, port = str(known.pop("host", "") or ""), known.pop("port", None)
    if host.startswith("/") or "," in host:
        known["host"], place = host, ""
    else:
        place = f"[{host}]" if ":" in host else host
    if port and place:
        place = f"{place}:{port}"
    elif port:
        known["port"] = port
    options = urlencode({name: str(value) for name, value in known.items() if value is not None}, quote_via=quote, safe="")
    return f"postgresql://{who}{place}/{quote(name, safe='')}{'?' + options if options else ''}"


async def make_database(database_url: str) -> bool:
    """Creates the database if it is missing, and returns whether it was created. Raises Misconfigured without the right to."""
    known = conninfo_to_dict(database_url)
    name = str(known.pop("dbname", ""))
    with translated_errors():
        admin_url = make_conninfo("", **{**known, "dbname": "postgres"})
        async with await AsyncConnection.connect(admin_url, autocommit=True) as admin:
            found = await admin.execute("select from pg_database where datname = %s", (name,))
            if await found.fetchone() is not None:
                return False
            statement = sql.SQL("create database {} owner {} template template0 encoding 'UTF8'").format(
                sql.Identifier(name), sql.Identifier(admin.info.user)
            )
            try:
                await admin.execute(statement)
            except psycopg.errors.InsufficientPrivilege as error:
                raise Misconfigured(
                    "The database of the conversations is missing.",
                    operator=f"The user {admin.info.user} may not make the database of the conversations.\n"
                    f"As the server's superuser (psql -U postgres):\n  {statement.as_string()};",
                ) from error
    return True


async def schema_revision(database_url: str) -> str | None:
    """Returns the revision of the server's tables; None without tables or database. Raises StoreUnavailable."""
    with translated_errors():
        try:
            async with await AsyncConnection.connect(database_url, autocommit=True) as connection:
                row = await (await connection.execute("select version_num from public.alembic_version")).fetchone()
        except psycopg.errors.UndefinedTable:
            return None
        except psycopg.OperationalError as error:
            if "does not exist" in str(error):  # failed connections have no SQLSTATE
                return None
            raise
    return str(row[0]) if row else None


async def name_threads(database_url: str) -> None:
    """Installs the trigger that adds owner and id to each thread's metadata, for `@auth.on` filters. Idempotent."""
    script = await asyncio.to_thread((Path(__file__).parent / "conversation_threads.sql").read_bytes)
    with translated_errors():
        async with await AsyncConnection.connect(database_url) as connection:
            await connection.execute(script)


async def threads_are_named(database_url: str) -> bool:
    """Whether the trigger of `name_threads` is installed."""
    with translated_errors():
        async with await AsyncConnection.connect(database_url) as connection:
            found = await connection.execute("select from pg_trigger where tgname = 'orderly_names_thread'")
            return await found.fetchone() is not None


async def ended_runs(database_url: str, run_ids: Sequence[str], seconds: float) -> list[str]:
    """Those of the runs that ended at least `seconds` ago."""
    query = """
        select run_id from public.runs
        where run_id = any (%s) and status not in ('pending', 'running') and updated_at < now() - make_interval(secs => %s)
    """
    with translated_errors():
        async with await AsyncConnection.connect(database_url) as connection:
            return [row[0] for row in await (await connection.execute(query, (list(run_ids), seconds))).fetchall()]


async def server_conversations(database_url: str | None) -> ServerConversations | None:
    """Returns None if the production server has created no tables."""
    if database_url is None or await schema_revision(database_url) is None:
        return None
    return ServerConversations(database_url)


class ServerConversations:
    """Implements `services.governance.retention.Conversations` on the production server's tables."""

    OLD = """
        select t.thread_id, t.user_id, t.updated_at from public.thread t
        where t.updated_at <= now() - make_interval(days => %s) and t.thread_id > %s
          and not exists (select from public.runs r where r.thread_id = t.thread_id and r.status in ('pending', 'running'))
        order by t.thread_id limit %s
    """
    REMOVALS = (
        "delete from public.checkpoint_writes where thread_id = any (%s)",
        "delete from public.checkpoint_blobs where thread_id = any (%s)",
        "delete from public.checkpoints where thread_id = any (%s)",
        # Last, so that an interrupted removal is repeated. Deletes the thread's runs by cascade.
        "delete from public.thread where thread_id = any (%s)",
    )

    def __init__(self, database_url: str) -> None:
        self._url = database_url

    async def unchanged(self, days: int, after: str, count: int) -> list[ThreadAge]:
        with translated_errors():
            async with await AsyncConnection.connect(self._url) as connection:
                rows = await (await connection.execute(self.OLD, (days, after, count))).fetchall()
        return [{"thread_id": thread, "user_id": user, "changed_at": at.isoformat()} for thread, user, at in rows]

    async def remove(self, thread_ids: Sequence[str]) -> None:
        with translated_errors():
            async with await AsyncConnection.connect(self._url) as connection:
                for removal in self.REMOVALS:
                    await connection.execute(removal, (list(thread_ids),))

    BUSY = "select from public.runs r where r.thread_id = any (%s) and r.status in ('pending', 'running') limit 1"
    # Table, key columns, and columns with content: JSON, or a serialised value of the checkpointer.
    JSON_COLUMNS = (
        ("checkpoints", ("thread_id", "checkpoint_ns", "checkpoint_id"), ("checkpoint", "metadata")),
        ("runs", ("run_id",), ("input", "output")),
    )
    VALUES = (
        ("checkpoint_blobs", ("thread_id", "checkpoint_ns", "channel", "version")),
        ("checkpoint_writes", ("thread_id", "checkpoint_ns", "checkpoint_id", "task_id", "idx")),
    )

    async def rewrite(
        self,
        thread_ids: Sequence[str],
        value: Callable[[tuple[str, bytes]], tuple[str, bytes] | None],
        document: Callable[[Any], Any],
    ) -> bool:
        """Rewrites the stored values of threads in all their checkpoints. Atomic. False if a thread has an active run.

        Args:
            thread_ids: The threads.
            value: Rewrites a serialised value (type, bytes); None leaves it unchanged.
            document: Rewrites a JSON value; the same object leaves it unchanged.
        """
        with translated_errors():
            async with await AsyncConnection.connect(self._url) as connection:
                if await (await connection.execute(self.BUSY, (list(thread_ids),))).fetchone() is not None:
                    return False
                for thread in thread_ids:
                    for table, key, columns in self.JSON_COLUMNS:
                        await _rewrite_json(connection, thread, table, key, columns, document)
                    for values, place in self.VALUES:
                        await _rewrite_values(connection, thread, values, place, value)
        return True


def _where(key: Sequence[str]) -> sql.Composed:
    return sql.SQL(" and ").join(sql.SQL("{} = %s").format(sql.Identifier(name)) for name in key)


def _names(names: Sequence[str]) -> sql.Composed:
    return sql.SQL(", ").join(map(sql.Identifier, names))


async def _rewrite_json(
    connection: AsyncConnection[Any],
    thread: str,
    table: str,
    key: Sequence[str],
    columns: Sequence[str],
    document: Callable[[Any], Any],
) -> None:
    query = sql.SQL("select {} from public.{} where thread_id = %s for update").format(
        _names([*key, *columns]), sql.Identifier(table)
    )
    for row in await (await connection.execute(query, (thread,))).fetchall():
        old = row[len(key) :]
        new = [document(found) for found in old]
        if any(a is not b for a, b in zip(new, old, strict=True)):
            setting = sql.SQL(", ").join(sql.SQL("{} = %s").format(sql.Identifier(name)) for name in columns)
            change = sql.SQL("update public.{} set {} where {}").format(sql.Identifier(table), setting, _where(key))
            await connection.execute(change, [*map(_json, new), *row[: len(key)]])


def _json(found: Any) -> Jsonb | None:
    return None if found is None else Jsonb(found)


async def _rewrite_values(
    connection: AsyncConnection[Any],
    thread: str,
    table: str,
    key: Sequence[str],
    value: Callable[[tuple[str, bytes]], tuple[str, bytes] | None],
) -> None:
    query = sql.SQL("select {}, type, blob from public.{} where thread_id = %s and blob is not null for update").format(
        _names(key), sql.Identifier(table)
    )
    for *place, kind, blob in await (await connection.execute(query, (thread,))).fetchall():
        if (new := value((kind, bytes(blob)))) is not None:
            change = sql.SQL("update public.{} set type = %s, blob = %s where {}").format(sql.Identifier(table), _where(key))
            await connection.execute(change, [*new, *place])
