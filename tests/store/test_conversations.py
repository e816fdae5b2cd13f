"""The production server's tables: retention of conversations, and their owner and id metadata."""

from __future__ import annotations

import psycopg
import pytest

from orderly.store.conversations import ServerConversations, name_threads, server_conversations, threads_are_named

SERVER = """
create table public.alembic_version as select 'head' as version_num;
create table public.thread (
  thread_id text primary key, user_id text not null, metadata_json jsonb default '{}', updated_at timestamptz default now()
);
create table public.runs (run_id serial, thread_id text references public.thread on delete cascade, status text);
create table public.checkpoints (thread_id text);
create table public.checkpoint_blobs (thread_id text);
create table public.checkpoint_writes (thread_id text);
"""
PARTS = ("thread", "runs", "checkpoints", "checkpoint_blobs", "checkpoint_writes")


@pytest.fixture
def server(database_url: str) -> str:
    with psycopg.connect(database_url, autocommit=True) as admin:
        admin.execute(SERVER)
        for thread, age, status in (("old", 40, "success"), ("busy", 40, "running"), ("young", 1, "success")):
            admin.execute(
                "insert into thread (thread_id, user_id, updated_at) values (%s, 'ada', now() - make_interval(days => %s))",
                (thread, age),
            )
            admin.execute("insert into runs (thread_id, status) values (%s, %s)", (thread, status))
            for part in PARTS[2:]:
                admin.execute(f"insert into {part} values (%s)", (thread,))  # type: ignore[call-overload]
    return database_url


async def test_old_idle_conversations_are_found_and_deleted_completely(server: str) -> None:
    conversations = await server_conversations(server)
    assert isinstance(conversations, ServerConversations)
    assert [found["thread_id"] for found in await conversations.unchanged(30, "", 10)] == ["old"]
    assert await conversations.unchanged(30, "old", 10) == []
    await conversations.remove(["old"])
    with psycopg.connect(server) as admin:
        for part in PARTS:
            left = admin.execute(f"select thread_id from {part} order by 1").fetchall()  # type: ignore[call-overload]
            assert left == [("busy",), ("young",)], part


async def test_without_the_servers_tables_there_are_no_conversations(database_url: str) -> None:
    assert await server_conversations(database_url) is None
    assert await server_conversations(None) is None


async def test_conversations_keep_their_owner_and_id_despite_forged_metadata(server: str) -> None:
    assert not await threads_are_named(server)
    for _ in range(2):
        await name_threads(server)
    assert await threads_are_named(server)
    with psycopg.connect(server, autocommit=True) as admin:
        forged = '{"owner": "bob", "orderly_thread": "young", "note": "mine"}'
        admin.execute("insert into thread (thread_id, user_id, metadata_json) values ('new', 'ada', %s)", (forged,))
        admin.execute("update thread set metadata_json = %s where thread_id = 'old'", (forged,))
        rows = dict(admin.execute("select thread_id, metadata_json from thread").fetchall())
    assert rows["young"] == {"owner": "ada", "orderly_thread": "young"}, "existing conversations must get the metadata too"
    for thread in ("new", "old"):
        assert rows[thread] == {"owner": "ada", "orderly_thread": thread, "note": "mine"}
