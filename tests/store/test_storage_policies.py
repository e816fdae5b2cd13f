"""Policies of Supabase Storage, on a substitute for its table: uploads and deletions of files."""

from __future__ import annotations

from collections.abc import Iterator
from uuid import uuid4

import psycopg
import pytest

from orderly.store.migrate import migrate
from store.conftest import Admin
from store.contract import upload
from store.roles import acting_as

ROOM = """
create schema storage;
create table storage.buckets (id text primary key, name text, public boolean);
create table storage.objects (bucket_id text, name text unique, owner_id text);
alter table storage.objects enable row level security;
"""
PUT = "insert into storage.objects values (%s, %s, auth.uid()::text)"


@pytest.fixture
async def database_url(embedded_postgres) -> Iterator[str]:
    """A database with a storage schema, as a hosted project has before the migrations."""
    name = f"storage_{uuid4().hex[:12]}"
    with psycopg.connect(embedded_postgres.database_url, autocommit=True) as admin:
        admin.execute(f"create database {name}")
        url = embedded_postgres.url_of(name)
        with psycopg.connect(url, autocommit=True) as inside:
            inside.execute(ROOM)
        await migrate(url)
        with psycopg.connect(url, autocommit=True) as inside:
            inside.execute("grant usage on schema storage to authenticated, anon")
            inside.execute("grant select, insert, update, delete on storage.objects to authenticated, anon")
        yield url
        admin.execute(f"drop database {name} with (force)")


def can_insert(admin: Admin, caller, key: str, bucket: str = "documents") -> bool:
    with acting_as(admin, "authenticated" if caller else "anon", caller):
        try:
            admin.execute(PUT, (bucket, key))
        except psycopg.errors.InsufficientPrivilege:
            return False
        return True


async def test_only_the_registering_user_uploads_a_file_and_only_once(store, admin, make_user, make_matter):
    ada, ed = await make_user("ada@firm.example"), await make_user("ed@firm.example")
    vic, eve = await make_user("vic@firm.example"), await make_user("eve@other.example", tenant="Other")
    matter = await make_matter(ada, editors=["ed@firm.example"], viewers=["vic@firm.example"])
    registered = await store.rpc(ed, "register_document", upload(matter["id"], "lease.txt", b"lease"))
    key = registered["storage_key"]
    for caller in (ada, vic, eve, None):
        assert not can_insert(admin, caller, key)
    for other in (key + "x", key.rpartition("/")[0] + "/other.txt", "x", "../" + key):
        assert not can_insert(admin, ed, other)
    assert not can_insert(admin, ed, key, bucket="another")
    assert can_insert(admin, ed, key)
    admin.execute("insert into storage.objects values ('documents', %s, %s)", (key, ed.user_id))
    for caller, sees in ((ada, 1), (ed, 1), (vic, 1), (eve, 0)):
        with acting_as(admin, "authenticated", caller):
            assert admin.execute("select count(*) from storage.objects").fetchall() == [(sees,)]
            changed = admin.execute("update storage.objects set name = name || 'x'").rowcount
            gone = admin.execute("delete from storage.objects").rowcount
        assert (changed, gone) == (0, 1 if caller is ed else 0)
    await store.rpc(ed, "document_stored", {"document_id": registered["document"]["id"], "storage_key": key})
    with acting_as(admin, "authenticated", ed):
        assert admin.execute("delete from storage.objects").rowcount == 0
    admin.execute("delete from storage.objects")
    assert not can_insert(admin, ed, key)
    wall = {"matter_ref": matter["id"], "member_email": "vic@firm.example", "reason": "Conflict"}
    await store.rpc(ada, "add_matter_screen", wall)
    admin.execute("insert into storage.objects values ('documents', %s, %s)", (key, ed.user_id))
    with acting_as(admin, "authenticated", vic):
        assert admin.execute("select count(*) from storage.objects").fetchall() == [(0,)]


async def test_page_images_are_stored_by_readers_of_the_page(store, admin, make_user, make_matter, publish_text):
    ada, vic = await make_user("ada@firm.example"), await make_user("vic@firm.example")
    matter = await make_matter(ada, viewers=["vic@firm.example"])
    document = await publish_text(ada, matter["id"], "a.txt", "Page one")
    picture = (await store.rpc(vic, "open_page", {"path_part_id": document}))["image_key"]
    assert can_insert(admin, vic, picture)
    assert not can_insert(admin, await make_user("bob@firm.example"), picture)
