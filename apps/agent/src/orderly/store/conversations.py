"""The database of the production server's conversations: beside Orderly's own, and filled by the server alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from urllib.parse import quote, urlencode

import psycopg
from psycopg import AsyncConnection, sql
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from orderly.store.postgres import translated_errors


def sibling(database_url: str, suffix: str) -> str:
    """The address of another database on the same server, named after this one. Always as a URI, as all drivers read it."""
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
    """Whether the database that the address names had to be made."""
    known = conninfo_to_dict(database_url)
    name = str(known.pop("dbname", ""))
    with translated_errors():
        admin_url = make_conninfo("", **{**known, "dbname": "postgres"})
        async with await AsyncConnection.connect(admin_url, autocommit=True) as admin:
            found = await admin.execute("select from pg_database where datname = %s", (name,))
            if await found.fetchone() is not None:
                return False
            await admin.execute(sql.SQL("create database {}").format(sql.Identifier(name)))
    return True


async def schema_revision(database_url: str) -> str | None:
    """Of the server's tables; None where there are none, or no such database. Raises StoreUnavailable."""
    with translated_errors():
        try:
            async with await AsyncConnection.connect(database_url, autocommit=True) as connection:
                row = await (await connection.execute("select version_num from public.alembic_version")).fetchone()
        except psycopg.errors.UndefinedTable:
            return None
        except psycopg.OperationalError as error:
            if "does not exist" in str(error):  # libpq gives failed connections no SQLSTATE
                return None
            raise
    return str(row[0]) if row else None


async def server_conversations(database_url: str | None) -> ServerConversations | None:
    """None where the production server has never been."""
    if database_url is None or await schema_revision(database_url) is None:
        return None
    return ServerConversations(database_url)


class ServerConversations:
    """`services.retention.Conversations` in the production server's tables."""

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
        # Last, so that what is interrupted is found again. Its runs go with it.
        "delete from public.thread where thread_id = any (%s)",
    )

    def __init__(self, database_url: str) -> None:
        self._url = database_url

    async def unchanged(self, days: int, after: str, count: int) -> list[dict[str, Any]]:
        with translated_errors():
            async with await AsyncConnection.connect(self._url) as connection:
                rows = await (await connection.execute(self.OLD, (days, after, count))).fetchall()
        return [{"thread_id": thread, "user_id": user, "changed_at": at.isoformat()} for thread, user, at in rows]

    async def remove(self, thread_ids: Sequence[str]) -> None:
        with translated_errors():
            async with await AsyncConnection.connect(self._url) as connection:
                for removal in self.REMOVALS:
                    await connection.execute(removal, (list(thread_ids),))
