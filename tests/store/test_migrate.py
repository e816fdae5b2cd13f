"""Migrations are applied once, in order, by one process; tables of another version are refused."""

from __future__ import annotations

import asyncio
from uuid import uuid4

import psycopg
import pytest

from orderly.errors import Misconfigured, StoreUnavailable
from orderly.store import migrate as module
from orderly.store.migrate import migrate, migrations_folder
from store.catalogue import catalogue, differences


@pytest.fixture
def empty_database(embedded_postgres):
    name = f"empty_{uuid4().hex[:12]}"
    with psycopg.connect(embedded_postgres.database_url, autocommit=True) as admin:
        admin.execute(f"create database {name}")
        yield embedded_postgres.url_of(name)
        admin.execute(f"drop database {name} with (force)")


async def test_concurrent_migrations_apply_each_file_once(empty_database):
    applied = await asyncio.gather(*(migrate(empty_database) for _ in range(3)))
    names = [path.stem for path in sorted(migrations_folder().glob("*.sql"))]
    assert sorted(name for some in applied for name in some) == names


async def test_a_failing_migration_is_rolled_back(empty_database, tmp_path, monkeypatch):
    for path in migrations_folder().glob("*.sql"):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    (tmp_path / "29991231000000_bad.sql").write_text("create table public.half (id int); select 1 / 0;")
    monkeypatch.setattr(module, "migrations_folder", lambda: tmp_path)
    with pytest.raises(Exception, match="form the store expects"):
        await migrate(empty_database)
    with psycopg.connect(empty_database) as admin:
        assert admin.execute("select to_regclass('public.half')").fetchone() == (None,)
        assert admin.execute("select to_regclass('public.matters') is not null").fetchone() == (True,)


ANOTHER_VERSION = {
    "an earlier text of the same baseline": "update private.schema_migrations set sha256 = 'other' where name like '%baseline'",
    "the ledger of other migrations": "update private.schema_migrations set name = '20261120090000_identity' where name like '%baseline'",
    "tables and no ledger": "drop table private.schema_migrations",
    "tables and an empty ledger": "delete from private.schema_migrations",
}


@pytest.mark.parametrize("made", ANOTHER_VERSION.values(), ids=ANOTHER_VERSION.keys())
async def test_a_database_of_another_version_is_refused_and_not_changed(empty_database, made):
    await migrate(empty_database)
    with psycopg.connect(empty_database, autocommit=True) as admin:
        admin.execute(made)
        admin.execute("drop function public.run_opening")
        before = catalogue(admin)
        with pytest.raises(
            Misconfigured, match=r"made by (another version of )?Orderly.*Nothing was changed.*orderly backup.*orderly restore"
        ):
            await migrate(empty_database)
        assert differences(before, catalogue(admin)) == []


def test_the_baseline_itself_refuses_tables_of_another_version(empty_database):
    """As the Supabase command line applies it, which keeps a ledger of its own."""
    [script] = [path.read_bytes() for path in migrations_folder().glob("*_baseline.sql")]
    with psycopg.connect(empty_database, autocommit=True) as admin:
        admin.execute("create table public.tenants (id uuid)")
        before = catalogue(admin)
        with pytest.raises(psycopg.errors.RaiseException, match=r"another version of Orderly\. Nothing was changed"):
            admin.execute(script)
        assert differences(before, catalogue(admin)) == []


async def test_the_auth_shim_is_not_applied_where_supabases_schema_exists(empty_database):
    """A stand-in for hosted Supabase: its auth schema is there already and must not be touched."""
    with psycopg.connect(empty_database, autocommit=True) as admin:
        admin.execute("create schema auth")
        admin.execute("create table auth.users (id uuid primary key, email varchar(255), created_at timestamptz)")
        admin.execute(
            "create function auth.jwt() returns jsonb language sql stable as"
            " $$ select current_setting('request.jwt.claims', true)::jsonb $$"
        )
        admin.execute(
            "create function auth.uid() returns uuid language sql stable as $$ select (auth.jwt() ->> 'sub')::uuid $$"
        )
        admin.execute("create schema storage")
        admin.execute("create table storage.buckets (id text primary key, name text, public boolean)")
        admin.execute("create table storage.objects (id uuid primary key, bucket_id text, name text, owner_id text)")
    await migrate(empty_database)
    with psycopg.connect(empty_database) as admin:
        assert admin.execute("select to_regprocedure('auth.add_local_user(text)')").fetchone() == (None,)
        assert admin.execute("select id, public from storage.buckets").fetchall() == [("documents", False)]
        assert admin.execute("select polname from pg_policy where polrelid = 'storage.objects'::regclass").fetchall()


async def test_a_missing_database_is_unavailable(tmp_path):
    with pytest.raises(StoreUnavailable):
        await migrate(f"postgresql://nobody@/nothing?host={tmp_path}")
