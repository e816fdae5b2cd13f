"""Dumps a database from a snapshot with pg_dump, and restores it with pg_restore."""

from __future__ import annotations

import asyncio
import logging
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from psycopg import AsyncConnection
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from orderly.errors import Conflict, Misconfigured, StoreUnavailable
from orderly.store.embedded import postgres_binaries
from orderly.store.migrate import create_roles, grant_by_default
from orderly.store.postgres import translated_errors

_log = logging.getLogger(__name__)

_HAS_RELATIONS = """
select exists (
  select from pg_class c join pg_namespace n on n.oid = c.relnamespace where n.nspname !~ '^(pg_|information_schema)'
)
"""
_LEDGER_ROWS = " TABLE DATA private schema_migrations "
"""Entry of the migrations' rows in a dump's table of contents."""
_LEDGER_ROW = re.compile(r"^([^\t\n]+)\t([^\t\n]+)\t[^\n]+$", re.MULTILINE)
"""Name and digest in a row of the migrations, as the dump has it."""

_DUMP_FAILED = "The database could not be dumped."
_ATOMIC = ("--single-transaction", "--exit-on-error", "--no-owner")
_LEFT_EMPTY = "The database could not be restored; it was left empty."
_ROWS_DO_NOT_FIT = (
    "Another version of Orderly made this backup, and its rows could not be brought into the tables of this one: none of them "
    "was. Restore it with the version that made it."
)
LOCK_TRIES = 50
"""Attempts, 0.2 s apart. A purge holds the lock for a shorter time."""


@dataclass(frozen=True)
class StoredFile:
    key: str
    sha256: str


@dataclass(frozen=True)
class Snapshot:
    """An exported snapshot. The files that it lists are not removed while it is held."""

    id: str
    server_version: str
    migrations: tuple[str, ...]
    files: tuple[StoredFile, ...]


@asynccontextmanager
async def held_snapshot(database_url: str) -> AsyncIterator[Snapshot]:
    """Holds a snapshot. Only the removal of files is blocked meanwhile. Raises Conflict if another backup is running."""
    with translated_errors():
        async with await AsyncConnection.connect(database_url, autocommit=True) as connection:
            await _lock(connection)
            await connection.execute("begin transaction isolation level repeatable read, read only")
            yield await _read_snapshot(connection)
            await connection.execute("commit")


async def _lock(connection: AsyncConnection[Any]) -> None:
    for _ in range(LOCK_TRIES):
        if await _value(connection, "select pg_try_advisory_lock(private.backup_lock())"):
            return
        await asyncio.sleep(0.2)
    raise Conflict("Another backup of this database is under way.")


async def _read_snapshot(connection: AsyncConnection[Any]) -> Snapshot:
    files = await connection.execute(
        "select storage_key, sha256 from public.document_files where stored_at is not null order by storage_key"
    )
    migrations = await connection.execute("select name from private.schema_migrations order by name")
    return Snapshot(
        files=tuple(StoredFile(*row) for row in await files.fetchall()),
        migrations=tuple(row[0] for row in await migrations.fetchall()),
        server_version=str(await _value(connection, "show server_version")),
        id=str(await _value(connection, "select pg_export_snapshot()")),
    )


async def dump(database_url: str, target: Path, snapshot: Snapshot | None = None) -> None:
    """Dumps the database in the state of `snapshot`, or in its present state. Raises StoreUnavailable."""
    state = [] if snapshot is None else [f"--snapshot={snapshot.id}"]
    await _run(database_url, "pg_dump", "--format=custom", *state, "--no-owner", f"--file={target}", failure=_DUMP_FAILED)


async def require_empty(database_url: str) -> None:
    """Raises Conflict if the database contains any relation."""
    with translated_errors():
        async with await AsyncConnection.connect(database_url, autocommit=True) as connection:
            if await _value(connection, _HAS_RELATIONS):
                raise Conflict("The database is not empty. A backup is restored into an empty installation only.")


async def require_no_older(database_url: str, server_version: str) -> None:
    """Raises Misconfigured if the server's major version is older than the dumped one.

    Postgres supports restoring into the same or a newer major version only.
    """
    with translated_errors():
        async with await AsyncConnection.connect(database_url, autocommit=True) as connection:
            here = _major(str(await _value(connection, "show server_version")))
    if here < (dumped := _major(server_version)):
        raise Misconfigured(
            f"The backup was made of Postgres {dumped}, and the server here is Postgres {here}, which cannot be relied on to "
            f"take it. Restore it into Postgres {dumped} or newer. Nothing was restored."
        )


def _major(server_version: str) -> int:
    """Parses versions such as "18.4", "18beta1" and "17.2 (Debian 17.2-1)"."""
    found = re.match(r"\d+", server_version)
    return int(found.group()) if found else 0


async def restore(database_url: str, source: Path) -> None:
    """Restores a dump into an empty database, in which schema and extension may be prepared. Atomic.

    Raises Conflict, StoreUnavailable.
    """
    await require_empty(database_url)
    await create_roles(database_url)
    prepared = await _prepared(database_url)
    async with _chosen(source, lambda entry: not any(part in entry for part in prepared), _LEFT_EMPTY) as use_list:
        await _run(database_url, "pg_restore", *_ATOMIC, use_list, str(source), failure=_LEFT_EMPTY)
    await grant_by_default(database_url)


async def _prepared(database_url: str) -> list[str]:
    """Parts of a dump's table of contents that are not restored: what is there, or belongs to the user who restores."""
    with translated_errors():
        async with await AsyncConnection.connect(database_url, autocommit=True) as connection:
            schema = await _value(connection, "select to_regnamespace('extensions') is not null")
            extension = await _value(connection, "select exists (select from pg_extension where extname = 'vector')")
    # Only an extension's owner may comment on it; default privileges are of the user who made the dump.
    parts = [" COMMENT - EXTENSION ", " DEFAULT ACL "]
    return [*parts, *([" SCHEMA - extensions "] if schema else []), *([" EXTENSION - vector "] if extension else [])]


@asynccontextmanager
async def _chosen(source: Path, is_chosen: Callable[[str], bool], failure: str) -> AsyncIterator[str]:
    """The option that restores only the chosen entries of a dump's table of contents."""
    listed = await _run("", "pg_restore", "--list", str(source), failure=failure, connected=False)
    with tempfile.NamedTemporaryFile("w", suffix=".list", encoding="utf-8") as entries:
        entries.write("\n".join(entry for entry in listed.splitlines() if is_chosen(entry)))
        entries.flush()
        yield f"--use-list={entries.name}"


async def restore_rows(database_url: str, source: Path) -> None:
    """Restores the rows of a dump of another version of Orderly into a migrated database without rows. Atomic.

    Requires a superuser. Raises StoreUnavailable, also if the rows do not fit the tables.
    """
    async with _chosen(source, lambda entry: _LEDGER_ROWS not in entry, _ROWS_DO_NOT_FIT) as use_list:
        # Without triggers, no jobs and notifications are created, and references are not checked in the order of the rows.
        rows = ("--data-only", "--disable-triggers", use_list)
        await _run(database_url, "pg_restore", *_ATOMIC, *rows, str(source), failure=_ROWS_DO_NOT_FIT)


async def applied_migrations(source: Path) -> dict[str, str]:
    """The digests of the migrations that the dumped database had, by name. Raises StoreUnavailable."""
    ledger = ("--data-only", "--schema=private", "--table=schema_migrations", "--file=-")
    script = await _run("", "pg_restore", *ledger, str(source), failure=_LEFT_EMPTY, connected=False)
    return dict(_LEDGER_ROW.findall(script))


async def _value(connection: AsyncConnection[Any], query: str) -> Any:
    row = await (await connection.execute(query)).fetchone()
    return row[0] if row else None


async def _run(database_url: str, program: str, *arguments: str, failure: str, connected: bool = True) -> str:
    """Returns the program's output. Passes the password in the environment, as other users can read arguments."""
    known = conninfo_to_dict(database_url)
    password = str(known.pop("password", "") or "")
    environment = {**os.environ, "LC_ALL": "C", **({"PGPASSWORD": password} if password else {})}
    done = await asyncio.to_thread(
        subprocess.run,
        [_program(program), *(("--dbname", make_conninfo("", **known)) if connected else ()), *arguments],
        check=False,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        env=environment,
    )
    if done.returncode != 0:
        reason = done.stderr.decode(errors="replace").strip()
        _log.error("%s: %s", program, reason)
        raise StoreUnavailable(f"{failure} {program} says why in the log.", operator=f"{failure} {program}: {reason}")
    return done.stdout.decode(errors="replace")


def _program(name: str) -> str:
    """Finds the program of the embedded Postgres, which supports older servers too, or on the PATH."""
    try:
        return str(postgres_binaries() / "bin" / name)
    except Misconfigured:
        found = shutil.which(name)
        if found is None:
            raise Misconfigured(f"{name} is not on this machine: install Postgres' client programs.") from None
        return found
