"""The schema files and the migrations define the same database."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from uuid import uuid4

import psycopg
import pytest

import orderly
from orderly.store.migrate import migrate
from store.catalogue import catalogue, differences
from store.conftest import Admin

SUPABASE = Path(__file__).parents[2] / "supabase"
STORAGE = """
create schema storage;
create table storage.buckets (id text primary key, name text, public boolean);
create table storage.objects (id uuid primary key, bucket_id text, name text, owner_id text);
alter table storage.objects enable row level security;
"""
"""The part of Supabase Storage that the schema files refer to."""

Database = Callable[[], AbstractContextManager[str]]


@pytest.fixture(scope="session")
def database(embedded_postgres) -> Database:
    @contextmanager
    def made() -> Iterator[str]:
        name = f"schema_{uuid4().hex[:12]}"
        with psycopg.connect(embedded_postgres.database_url, autocommit=True) as admin:
            admin.execute(f"create database {name}")
            with psycopg.connect(embedded_postgres.url_of(name), autocommit=True) as inside:
                inside.execute(STORAGE)
            yield embedded_postgres.url_of(name)
            admin.execute(f"drop database {name} with (force)")

    return made


def schema_files() -> list[Path]:
    """In the order in which they apply to an empty database."""
    config = tomllib.loads((SUPABASE / "config.toml").read_text(encoding="utf-8"))
    return [SUPABASE / path for path in config["db"]["migrations"]["schema_paths"]]


def read(url: str) -> dict[str, str]:
    with psycopg.connect(url, autocommit=True) as admin:
        return catalogue(admin)


@pytest.fixture(scope="session")
def from_schemas(database: Database) -> Iterator[str]:
    """A database created from the schema files in the order of schema_paths."""
    store = Path(orderly.__file__).parent / "store"
    with database() as url, psycopg.connect(url, autocommit=True) as admin:
        for script in (*(store / name for name in ("roles.sql", "shim.sql", "default_privileges.sql")), *schema_files()):
            with admin.transaction():
                admin.execute(script.read_bytes())
        yield url


async def test_schemas_and_migrations_make_the_same_database(database, from_schemas):
    with database() as url:
        await migrate(url)
        assert differences(read(from_schemas), read(url)) == []


CHANGES = {
    "a column's type": "alter table public.folders alter column name type varchar(100)",
    "a column's default": "alter table public.profiles alter column is_admin set default true",
    "a column's nullability": "alter table public.chunks alter column text drop not null",
    "a column's storage": "alter table public.chunk_embeddings alter column embedding set storage external",
    "a further column": "alter table private.watchers add column note text",
    "a constraint": "alter table public.matters drop constraint matters_processors",
    "a foreign key's action": "alter table public.folders drop constraint folders_parent_id_fkey,"
    " add constraint folders_parent_id_fkey foreign key (parent_id) references public.folders (id)",
    "an index": "drop index public.matters_slug",
    "an index's setting": "alter index public.chunks_terms set (gin_pending_list_limit = 64)",
    "a table's setting": "alter table public.chunks reset (autovacuum_vacuum_insert_scale_factor)",
    "row level security": "alter table public.threads disable row level security",
    "a policy": 'alter policy "thread of one\'s own" on public.threads using (true)',
    "a policy of Storage": 'drop policy "file of the caller\'s that has not arrived" on storage.objects',
    "a table's grant": "grant insert on public.matters to authenticated",
    "a column's grant": "grant update (title) on public.matters to authenticated",
    "a schema's grant": "grant usage on schema queue to authenticated",
    "a function's grant": "grant execute on function private.locate to authenticated",
    "a function's grant to everybody": "grant execute on function public.create_tenant to public",
    "a function's setting": "alter function private.reach(public.matters, jsonb) reset enable_seqscan",
    "a function's security": "alter function private.my_run_id() security definer",
    "a function's volatility": "alter function private.slug(text) stable",
    "a function's body": "create or replace function private.backup_lock() returns bigint language sql immutable"
    " set search_path = '' as $$ select 1::bigint $$",
    "a further function": "create function public.extra() returns integer language sql as 'select 1'",
    "a trigger": "drop trigger delete_responses on public.documents",
    "a trigger that is off": "alter table public.audit_log disable trigger note_reads",
    "a type's attribute": "alter type private.reach add attribute extra integer",
    "an enumeration": "alter type queue.procrastinate_job_event_type add value 'lost'",
    "a comment": "comment on column public.documents.claim is 'Another text.'",
    "a default privilege": "alter default privileges in schema private grant execute on functions to authenticated",
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES.keys())
def test_the_comparison_finds_every_kind_of_change(from_schemas, change):
    with psycopg.connect(from_schemas) as admin:
        before = catalogue(admin)
        admin.execute(change)
        assert differences(before, catalogue(admin)) != []
        admin.rollback()


def test_every_schema_file_is_named_once_and_in_order():
    assert schema_files() == sorted((SUPABASE / "schemas").glob("*.sql"))


def test_every_function_is_defined_once():
    text = "".join(path.read_text(encoding="utf-8") for path in schema_files())
    names = re.findall(r"^create (?:or replace )?function ([\w.]+)", text, re.MULTILINE)
    assert len(names) > 300
    assert sorted({name for name in names if names.count(name) > 1}) == []


def test_every_private_function_is_used(from_schemas):
    """A user is another function, a policy, a trigger, an index, a generated column, or the package."""
    package = "".join(path.read_text(encoding="utf-8") for path in Path(orderly.__file__).parent.rglob("*.py"))
    objects = read(from_schemas)
    functions = {name: re.search(r"FUNCTION (private\.\w+)\(", text) for name, text in objects.items()}
    private = {found.group(1): name for name, found in functions.items() if found and name.startswith("function private.")}
    assert len(private) > 150
    unused = [
        called for called, itself in private.items()
        if f"{called}(" not in package and not any(f"{called}(" in text for name, text in objects.items() if name != itself)
    ]  # fmt: skip
    assert unused == []


def test_the_body_of_every_function_is_valid(from_schemas):
    """The files are applied without check_function_bodies, because functions call functions of later files."""
    with psycopg.connect(from_schemas, autocommit=True) as admin:
        assert invalid_bodies(admin) == []
        admin.execute("set check_function_bodies = off")
        admin.execute("create function private.broken() returns uuid language sql as 'select nothing from nowhere'")
        assert [name for name, _ in invalid_bodies(admin)] == ["private.broken()"]
        admin.execute("drop function private.broken")


def invalid_bodies(admin: Admin) -> list[tuple[str, str]]:
    """Returns the functions that their language's validator refuses, with the reason."""
    admin.execute("set check_function_bodies = on")
    functions = admin.execute("""
        select p.oid::regprocedure::text, p.oid, l.lanvalidator::regproc::text
        from pg_proc p join pg_language l on l.oid = p.prolang
        where p.pronamespace in ('public'::regnamespace, 'private'::regnamespace)
    """).fetchall()
    refused = []
    for name, oid, validator in functions:
        try:
            admin.execute(f"select {validator}({oid})")
        except psycopg.Error as error:
            refused.append((name, str(error)))
    return refused
