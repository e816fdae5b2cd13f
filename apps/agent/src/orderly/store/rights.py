"""What Orderly's user needs in a database, each with the statement by which an administrator gives it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, LiteralString

from psycopg import AsyncConnection
from psycopg.conninfo import conninfo_to_dict
from psycopg.rows import dict_row

from orderly.errors import Misconfigured
from orderly.store.postgres import translated_errors

PGVECTOR = "0.7"
"""The first version with the functions on binary codes that search uses."""


@dataclass(frozen=True)
class Need:
    name: str
    lacks: str = ""
    """A sentence about what is missing; empty if nothing is."""
    statements: tuple[str, ...] = ()
    """For psql, as the server's superuser, in this database."""


_STATE: LiteralString = """
select format('%%I', current_user) as "user", format('%%I', current_database()) as database,
  current_setting('server_version_num')::int / 10000 as postgres,
  u.rolsuper, u.rolcreaterole, u.rolcreatedb, u.rolbypassrls,
  pg_encoding_to_char(d.encoding) as encoding, pg_has_role(d.datdba, 'USAGE') as owns_database,
  exists (select from pg_class c join pg_namespace n on n.oid = c.relnamespace where n.nspname !~ '^(pg_|information_schema)')
    as holds_tables,
  array(select r from unnest(array['anon', 'authenticated', 'service_role', 'authenticator']) r where to_regrole(r) is null)
    as absent_roles,
  array(
    select r from unnest(array['anon', 'authenticated', 'service_role']) r
    where to_regrole(r) is not null and not (
      case when current_setting('server_version_num')::int >= 160000 then pg_has_role(to_regrole(r), 'SET')
      else pg_has_role(to_regrole(r), 'MEMBER') end)
      -- A role that this user made is one that it may grant to itself.
      and not exists (select from pg_auth_members m where m.roleid = to_regrole(r) and m.member = u.oid and m.admin_option)
  ) as foreign_roles,
  (select pg_has_role(n.nspowner, 'USAGE') from pg_namespace n where n.nspname = 'extensions') as owns_extensions,
  (select format('%%I', e.extnamespace::regnamespace) from pg_extension e where e.extname = 'vector') as vector_schema,
  (select e.extversion from pg_extension e where e.extname = 'vector') as vector_version,
  (select coalesce(max(string_to_array(v.version, '.')::int[]) filter (where v.version ~ '^[0-9.]+$'), '{}')
     from pg_available_extension_versions v where v.name = 'vector') as vector_available,
  exists (select from pg_available_extension_versions v where v.name = 'vector' and v.trusted) as vector_trusted,
  format('%%I', coalesce(%(conversations)s::text, '')) as conversations,
  exists (select from pg_database c where c.datname = %(conversations)s::text) as has_conversations
from pg_roles u, pg_database d
where u.rolname = current_user and d.datname = current_database()
"""


async def database_needs(connection: AsyncConnection[Any], conversations: str | None = None) -> list[Need]:
    """What must be so before Orderly's tables can be made, or kept up to date, in the connection's database.

    `conversations`: also whether the database of this name exists or can be made.
    """
    await connection.execute("set client_encoding = 'UTF8'")  # of SQL_ASCII, names would come as bytes
    async with connection.cursor(row_factory=dict_row) as cursor:
        state = await (await cursor.execute(_STATE, {"conversations": conversations})).fetchone()
    assert state is not None, "a session has a user and a database"
    if state["encoding"] != "UTF8":
        inside = [_other_encoding(state)]  # made again, the database has nothing of what is in it now
    else:
        inside = [Need("encoding"), _owner(state), _schema(state), _vector(state)]
    needs = [*_roles(state), *inside]
    return needs if conversations is None else [*needs, _conversations(state)]


async def needs_of(database_url: str, conversations: str | None) -> list[Need]:
    """`database_needs` at an address. Raises StoreUnavailable. `conversations`: address of a database that Orderly may make."""
    name = None if conversations is None else str(conninfo_to_dict(conversations)["dbname"])
    with translated_errors():
        async with await AsyncConnection.connect(database_url, autocommit=True) as connection:
            return await database_needs(connection, name)


async def require_needs(connection: AsyncConnection[Any]) -> None:
    """Raises Misconfigured, with everything that is missing for the operator."""
    require_all(await database_needs(connection))


def require_all(needs: Sequence[Need]) -> None:
    """Raises Misconfigured, with everything that is missing for the operator."""
    if lacking := [need for need in needs if need.lacks]:
        raise Misconfigured(
            "The database is not prepared for Orderly; `orderly doctor` says what is missing.",
            operator=told(lacking),
        )


def told(lacking: Sequence[Need]) -> str:
    """The sentences, and the statements in the order in which they are run."""
    statements = dict.fromkeys(statement for need in lacking for statement in need.statements)
    lines = [*(need.lacks for need in lacking)]
    if statements:
        lines += ["In psql, as the server's superuser, in this database:", *(f"  {each}" for each in statements)]
    return "\n".join(lines)


def _other_encoding(state: dict[str, Any]) -> Need:
    database, user = state["database"], state["user"]
    lacks = f"The database {database} is encoded in {state['encoding']}; documents need UTF8."
    if state["holds_tables"]:
        return Need("encoding", f"{lacks} Restore a backup into a database of that encoding.")
    return Need(
        "encoding",
        f"{lacks} It is empty: make it again.",
        (
            "\\c postgres",
            f"drop database {database};",
            f"create database {database} owner {user} template template0 encoding 'UTF8' locale 'C.UTF-8';",
            f"\\c {database}",
            f"create schema extensions authorization {user};",
            "create extension vector with schema extensions;",
        ),
    )


def _owner(state: dict[str, Any]) -> Need:
    if state["owns_database"] or state["rolsuper"]:
        return Need("owner")
    return Need(
        "owner",
        f"The user {state['user']} does not own the database {state['database']}.",
        (f"alter database {state['database']} owner to {state['user']};",),
    )


def _roles(state: dict[str, Any]) -> list[Need]:
    """The roles belong to the server, and each of its databases with Orderly's tables uses them."""
    user, absent, foreign = state["user"], state["absent_roles"], state["foreign_roles"]
    makes = absent and not state["rolsuper"]
    needs = [
        Need(
            "roles",
            f"The user {user} may not make the roles {', '.join(absent)} (CREATEROLE).",
            (f"alter role {user} createrole;",),
        )
        if makes and not state["rolcreaterole"]
        else Need("roles")
    ]
    if makes and "service_role" in absent and state["postgres"] < 16:
        needs.append(
            Need(
                "role of the workers",
                f"On Postgres {state['postgres']} only a superuser makes service_role, which passes row level security.",
                ("create role service_role nologin noinherit bypassrls;",),
            )
        )
    elif makes and "service_role" in absent and not state["rolbypassrls"]:
        needs.append(
            Need(
                "role of the workers",
                f"The user {user} may not make the role service_role, which passes row level security (BYPASSRLS).",
                (f"alter role {user} bypassrls;",),
            )
        )
    may_grant = state["rolsuper"] or (state["postgres"] < 16 and state["rolcreaterole"])
    if foreign and not may_grant:
        needs.append(
            Need(
                "roles of another installation",
                f"The roles {', '.join(foreign)} were made by another user, and {user} may not act as them.",
                (f"grant {', '.join(foreign)} to {user};",),
            )
        )
    return needs


def _schema(state: dict[str, Any]) -> Need:
    if state["owns_extensions"] is not False or state["rolsuper"]:
        return Need("schema extensions")
    return Need(
        "schema extensions",
        f"The schema extensions belongs to another user than {state['user']}.",
        (f"alter schema extensions owner to {state['user']};",),
    )


def _conversations(state: dict[str, Any]) -> Need:
    name, user, database = "database of the conversations", state["user"], state["conversations"]
    if state["has_conversations"] or state["rolcreatedb"] or state["rolsuper"]:
        return Need(name)
    return Need(
        name,
        f"The user {user} may not make the database {database} (CREATEDB).",
        (f"create database {database} owner {user} template template0 encoding 'UTF8';",),
    )


def _vector(state: dict[str, Any]) -> Need:
    name, user = "pgvector", state["user"]
    schema = () if state["owns_extensions"] is not None else (f"create schema extensions authorization {user};",)
    least = [int(part) for part in PGVECTOR.split(".")]
    if state["vector_schema"] not in (None, "extensions"):
        return Need(
            name,
            f"The extension vector is in the schema {state['vector_schema']}; Orderly needs it in the schema extensions.",
            (*schema, "alter extension vector set schema extensions;"),
        )
    if state["vector_version"] is not None:
        if [int(part) for part in state["vector_version"].split(".")] >= least:
            return Need(name)
        return Need(
            name,
            f"The extension vector has version {state['vector_version']}; Orderly needs {PGVECTOR} or newer.",
            ("alter extension vector update;",),
        )
    if state["vector_available"] < least:
        return Need(
            name,
            f"The database server lacks pgvector {PGVECTOR} or newer. Install it there; on Debian 13: "
            f"apt-get install postgresql-{state['postgres']}-pgvector",
            (*schema, "create extension vector with schema extensions;"),
        )
    if state["rolsuper"] or (state["vector_trusted"] and state["owns_database"]):
        return Need(name)
    return Need(
        name,
        f"The extension vector is not in the database, and {user} may not make it.",
        (*schema, "create extension vector with schema extensions;"),
    )
