"""Applies supabase/migrations to the embedded Postgres or a `DATABASE_URL`."""

from __future__ import annotations

import asyncio
import hashlib
import logging
from collections.abc import Mapping, Sequence
from pathlib import Path

import psycopg
from psycopg import AsyncConnection

from orderly.errors import Misconfigured
from orderly.store.postgres import translated_errors

Script = tuple[str, bytes]
"""Name and text of a migration."""

_log = logging.getLogger(__name__)

_LOCK = 7_234_118_205
"""Key of the advisory lock that serialises migrations."""

_LEDGER = """
create schema if not exists private;
create table if not exists private.schema_migrations (
  name text primary key, sha256 text not null, applied_at timestamptz not null default now()
);
do $$ begin
  if not (select relrowsecurity from pg_class where oid = 'private.schema_migrations'::regclass) then
    alter table private.schema_migrations enable row level security;
  end if;
end $$;
"""
"""Alters the table only if necessary, since `alter table` waits for a running backup and blocks other queries."""

_OTHER_VERSION = (
    "This database was made by another version of Orderly, and this one cannot continue it. Nothing was changed. "
    "Back it up with the version that made it (orderly backup), then restore the backup into an empty installation with this "
    "one (orderly restore)."
)


def migrations_folder() -> Path:
    """Finds the migrations in the installed package, or in the checkout. Raises Misconfigured."""
    here = Path(__file__).resolve().parent
    candidates = [here / "migrations", *(parent / "supabase" / "migrations" for parent in here.parents)]
    for folder in candidates:
        if any(folder.glob("*.sql")):
            return folder
    raise Misconfigured("The database migrations are missing from this installation.")


async def migrate(database_url: str) -> list[str]:
    """Applies the missing migrations in order, one transaction per file, and returns their names.

    First creates the objects that hosted Supabase provides, if they are missing.
    Raises StoreUnavailable, and Misconfigured if the tables come from another baseline, or from another text of
    these migrations; nothing is changed then.
    """
    shim_script, scripts = await asyncio.to_thread(_scripts)
    with translated_errors():
        async with await AsyncConnection.connect(database_url, autocommit=True) as connection:
            await connection.execute("select pg_advisory_lock(%s)", (_LOCK,))
            await _refuse_other_version(connection, scripts)
            if await _needs_shim(connection):
                await _run(connection, await asyncio.to_thread(_roles))
                await _run(connection, shim_script)
            await connection.execute(_LEDGER)
            return await _apply_missing(connection, scripts)


async def create_roles(database_url: str) -> None:
    """Creates the roles that the grants of a dump name. Roles are shared by all databases of a server."""
    script = await asyncio.to_thread(_roles)
    with translated_errors():
        async with await AsyncConnection.connect(database_url, autocommit=True) as connection:
            await _run(connection, script)


def migration_names() -> frozenset[str]:
    """Names of this version's migrations. Blocking."""
    return frozenset(path.stem for path in migrations_folder().glob("*.sql"))


def continues(applied: Mapping[str, str]) -> bool:
    """Whether this version can migrate a database with these applied migrations and digests. Blocking."""
    return _continue(applied, _scripts()[1])


def _continue(applied: Mapping[str, str], scripts: Sequence[Script]) -> bool:
    """Whether the database has this version's baseline, and each applied migration has the text that it has here."""
    digests = {name: hashlib.sha256(script).hexdigest() for name, script in scripts}
    return scripts[0][0] in applied and all(digests.get(name, digest) == digest for name, digest in applied.items())


def _roles() -> bytes:
    return (Path(__file__).parent / "roles.sql").read_bytes()


def _scripts() -> tuple[bytes, list[Script]]:
    """Reads the shim, and the migrations with their names, in order. Blocking."""
    shim = (Path(__file__).parent / "shim.sql").read_bytes()
    return shim, [(path.stem, path.read_bytes()) for path in sorted(migrations_folder().glob("*.sql"))]


async def _refuse_other_version(connection: AsyncConnection[tuple[object, ...]], scripts: Sequence[Script]) -> None:
    """Raises Misconfigured if Orderly's tables exist but were not created by these scripts."""
    found = await connection.execute("select to_regclass('private.schema_migrations'), to_regclass('public.tenants')")
    ledger, tables = await found.fetchone() or (None, None)
    applied = await _applied(connection) if ledger else {}
    if (applied or tables) and not _continue(applied, scripts):
        raise Misconfigured(_OTHER_VERSION)


async def _applied(connection: AsyncConnection[tuple[object, ...]]) -> dict[str, str]:
    """The digests of the applied migrations, by name."""
    cursor = await connection.execute("select name, sha256 from private.schema_migrations")
    return {str(name): str(digest) for name, digest in await cursor.fetchall()}


async def _needs_shim(connection: AsyncConnection[tuple[object, ...]]) -> bool:
    found = await connection.execute("select to_regprocedure('auth.uid()') is null or to_regrole('authenticator') is null")
    row = await found.fetchone()
    return bool(row and row[0])


async def _apply_missing(connection: AsyncConnection[tuple[object, ...]], scripts: list[Script]) -> list[str]:
    known = await _applied(connection)
    missing = [(name, script) for name, script in scripts if name not in known]
    for name, script in missing:
        await _run(connection, script, record=(name, hashlib.sha256(script).hexdigest()))
    return [name for name, _ in missing]


async def _run(
    connection: AsyncConnection[tuple[object, ...]], script: bytes, *, record: tuple[str, str] | None = None
) -> None:
    try:
        async with connection.transaction():
            await connection.execute(script)
            if record:
                await connection.execute("insert into private.schema_migrations (name, sha256) values (%s, %s)", record)
    except psycopg.errors.InsufficientPrivilege as exc:
        raise Misconfigured(
            "The database user may not create the roles and schemas that Orderly needs; use the owner of the database."
        ) from exc
    except psycopg.errors.FeatureNotSupported as exc:
        raise Misconfigured("This Postgres lacks the extension pgvector, which Orderly needs.") from exc
    if record:
        _log.info("applied migration %s", record[0])
