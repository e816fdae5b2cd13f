"""Makes the tables in an empty database, and brings those of an earlier version up to date.

The schema moves forward only: the baseline, then numbered migrations, each applied once. A node works on tables that a later
version has migrated, unless a migration takes something away: it names what a version must know to work beside it.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
from psycopg import AsyncConnection

from orderly.errors import Misconfigured
from orderly.store.postgres import translated_errors
from orderly.store.rights import require_needs
from orderly.version import version

Script = tuple[str, bytes]
"""Name and text of a migration."""

_log = logging.getLogger(__name__)

_LOCK = 7_234_118_205
"""Key of the advisory lock that serialises migrations."""

_NEEDS = re.compile(rb"-- Needs: (\w+)\n")
"""The first line of a migration that takes something away: which one, perhaps itself, a version must know to work beside it."""

_LEDGER = """
create schema if not exists private;
create table if not exists private.schema_migrations (
  name text primary key, sha256 text not null, applied_at timestamptz not null default now()
);
alter table private.schema_migrations enable row level security;
alter table private.schema_migrations add column if not exists version text;
alter table private.schema_migrations add column if not exists needs text;
"""
"""Run only to migrate, since `alter table` waits for a running backup and blocks other queries."""


@dataclass(frozen=True)
class Applied:
    sha256: str
    version: str
    """Version of Orderly that applied it."""
    needs: str
    """The migration that a version must know to work with the tables; "" if every version does."""


FIRST = "0.1.0"
"""The version of migrations whose ledger names none."""


def migrations_folder() -> Path:
    """Finds the migrations in the installed package, or in the checkout. Raises Misconfigured."""
    here = Path(__file__).resolve().parent
    candidates = [here / "migrations", *(parent / "supabase" / "migrations" for parent in here.parents)]
    for folder in candidates:
        if any(folder.glob("*.sql")):
            return folder
    raise Misconfigured("The database migrations are missing from this installation.")


async def migrate(database_url: str, *, upgrade: bool = False) -> list[str]:
    """Makes the tables in an empty database, and returns the names of the applied migrations. Concurrent calls take turns.

    `upgrade`: also migrates tables of an earlier version; without it they are refused. One transaction per migration.
    First creates the objects that hosted Supabase provides, if they are missing.

    Raises StoreUnavailable, and Misconfigured if the user lacks rights, or the tables are another version's, which are then
    unchanged.
    """
    shim_script, scripts = await asyncio.to_thread(_scripts)
    with translated_errors():
        async with await AsyncConnection.connect(database_url, autocommit=True) as connection:
            await connection.execute("select pg_advisory_lock(%s)", (_LOCK,))
            missing = await _missing(connection, scripts)
            if missing and len(missing) < len(scripts) and not upgrade:
                raise Misconfigured(await _not_upgraded(connection))
            shim = await _needs_shim(connection)
            if shim or missing:
                await require_needs(connection)
            if shim:
                await _run(connection, await asyncio.to_thread(_roles))
                await _run(connection, shim_script)
                await _run(connection, await asyncio.to_thread(_default_privileges))
            if missing:
                await connection.execute(_LEDGER)
            for name, script in missing:
                await _apply(connection, name, script)
            return [name for name, _ in missing]


async def pending_migrations(database_url: str) -> list[str]:
    """Names of the migrations that tables of an earlier version lack; none in an empty database. Raises as `migrate` does."""
    _, scripts = await asyncio.to_thread(_scripts)
    with translated_errors():
        async with await AsyncConnection.connect(database_url, autocommit=True) as connection:
            missing = await _missing(connection, scripts)
    return [] if len(missing) == len(scripts) else [name for name, _ in missing]


async def create_roles(database_url: str) -> None:
    """Creates the roles that the grants of a dump name. Roles are shared by all databases of a server."""
    script = await asyncio.to_thread(_roles)
    with translated_errors():
        async with await AsyncConnection.connect(database_url, autocommit=True) as connection:
            await _run(connection, script)


async def grant_by_default(database_url: str) -> None:
    """Sets the default privileges of the shim, which a restored dump lacks."""
    with translated_errors():
        async with await AsyncConnection.connect(database_url, autocommit=True) as connection:
            ours = await connection.execute("select to_regprocedure('auth.add_local_user(text)') is not null")
            if await ours.fetchone() == (True,):
                await _run(connection, await asyncio.to_thread(_default_privileges))


def migration_names() -> frozenset[str]:
    """Names of this version's migrations. Blocking."""
    return frozenset(path.stem for path in migrations_folder().glob("*.sql"))


def continues(applied: Mapping[str, str]) -> bool:
    """Whether this version can migrate a database with these applied migrations and digests. Blocking."""
    return _continue(applied, _scripts()[1])


def _continue(applied: Mapping[str, str], scripts: Sequence[Script]) -> bool:
    """Whether the database has this version's baseline, and each applied migration has the text that it has here."""
    digests = {name: _digest(script) for name, script in scripts}
    return scripts[0][0] in applied and all(digests.get(name, digest) == digest for name, digest in applied.items())


def _digest(script: bytes) -> str:
    return hashlib.sha256(script).hexdigest()


def _roles() -> bytes:
    return (Path(__file__).parent / "roles.sql").read_bytes()


def _default_privileges() -> bytes:
    return (Path(__file__).parent / "default_privileges.sql").read_bytes()


def _scripts() -> tuple[bytes, list[Script]]:
    """Reads the shim, and the migrations with their names, in order. Blocking."""
    shim = (Path(__file__).parent / "shim.sql").read_bytes()
    return shim, [(path.stem, path.read_bytes()) for path in sorted(migrations_folder().glob("*.sql"))]


async def _missing(connection: AsyncConnection[Any], scripts: list[Script]) -> list[Script]:
    """The migrations that the database lacks. Raises Misconfigured if this version cannot work with its tables."""
    applied = await applied_here(connection)
    found = await (await connection.execute("select to_regclass('public.tenants') is not null")).fetchone()
    if (applied or (found and found[0])) and not _continue({name: each.sha256 for name, each in applied.items()}, scripts):
        here = await asyncio.to_thread(version)
        made = next((f"Orderly {each.version}" for each in applied.values()), "another version of Orderly")
        raise Misconfigured(
            f"This database was made by {made}, with other first tables than this one's ({here}), which cannot continue it. "
            "Nothing was changed. Back it up with the version that made it (orderly backup), then restore the backup "
            "into an empty installation with this one (orderly restore)."
        )
    known = {name for name, _ in scripts}
    if later := [each.version for each in applied.values() if each.needs and each.needs not in known]:
        here = await asyncio.to_thread(version)
        raise Misconfigured(
            f"Orderly {later[-1]} has upgraded this database, and this one ({here}) cannot work with it any more. Nothing was "
            f"changed. Start Orderly {later[-1]}, or restore the backup that was made before the upgrade."
        )
    return [(name, script) for name, script in scripts if name not in applied]


async def _not_upgraded(connection: AsyncConnection[Any]) -> str:
    made = list((await applied_here(connection)).values())[-1].version
    return (
        f"This database is of Orderly {made}, and this is {await asyncio.to_thread(version)}. Nothing was changed. Run "
        "`orderly node upgrade`, which makes a backup and brings the database up to date."
    )


async def applied_here(connection: AsyncConnection[Any]) -> dict[str, Applied]:
    """The applied migrations by name, in order; none without a ledger. Ledgers of 0.1.0 have fewer columns."""
    ledger = await (await connection.execute("select to_regclass('private.schema_migrations') is not null")).fetchone()
    if not (ledger and ledger[0]):
        return {}
    cursor = await connection.execute(
        "select name, sha256, to_jsonb(m) ->> 'version', to_jsonb(m) ->> 'needs' from private.schema_migrations m order by name"
    )
    return {name: Applied(digest, by or FIRST, needs or "") for name, digest, by, needs in await cursor.fetchall()}


async def _needs_shim(connection: AsyncConnection[Any]) -> bool:
    found = await connection.execute("select to_regprocedure('auth.uid()') is null or to_regrole('authenticator') is null")
    row = await found.fetchone()
    return bool(row and row[0])


async def _apply(connection: AsyncConnection[Any], name: str, script: bytes) -> None:
    """Applies a migration and its row of the ledger in one transaction."""
    needs = found.group(1).decode() if (found := _NEEDS.match(script)) else None
    row = (name, _digest(script), await asyncio.to_thread(version), needs)
    async with connection.transaction():
        await _run(connection, script)
        await connection.execute(
            "insert into private.schema_migrations (name, sha256, version, needs) values (%s, %s, %s, %s)", row
        )
    _log.info("applied migration %s", name)


async def _run(connection: AsyncConnection[Any], script: bytes) -> None:
    try:
        async with connection.transaction():
            await connection.execute(script)
    except psycopg.errors.InsufficientPrivilege as error:
        raise Misconfigured(
            "The database user may not make what Orderly needs.",
            operator=f"{connection.info.user} may not make what Orderly needs in {connection.info.dbname}: {error}",
        ) from error
