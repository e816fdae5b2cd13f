"""Locks on conversations between nodes; each ThreadLocks has its own connection, as a process would."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict

from orderly.errors import Conflict
from orderly.store.conversations import make_database, schema_revision, sibling
from orderly.store.thread_locks import ThreadLocks


@pytest.fixture
async def nodes(database_url: str) -> AsyncIterator[tuple[ThreadLocks, ThreadLocks]]:
    made = ThreadLocks(database_url, wait_seconds=0.3), ThreadLocks(database_url, wait_seconds=0.3)
    yield made
    for locks in made:
        await locks.close()


async def is_free(locks: ThreadLocks, thread_id: str) -> bool:
    """Takes and releases the lock; False if another node holds it."""
    try:
        async with locks.held(thread_id):
            return True
    except Conflict as error:
        assert "still being answered" in error.message
        return False


async def test_one_node_holds_a_conversation_and_others_stay_free(nodes: tuple[ThreadLocks, ThreadLocks]) -> None:
    here, there = nodes
    async with here.held("a"), there.held("b"):
        assert not await is_free(there, "a")
    assert await is_free(there, "a")


async def test_a_cancelled_wait_leaves_no_lock(nodes: tuple[ThreadLocks, ThreadLocks]) -> None:
    here, there = nodes
    async with here.held("a"):
        waiting = asyncio.create_task(there._acquire("a"))
        await asyncio.sleep(0.1)
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)
    assert waiting.cancelled(), "the other node must still have been waiting"
    assert await is_free(there, "a") and await is_free(here, "a")


async def test_a_lock_is_released_when_its_connection_ends(nodes: tuple[ThreadLocks, ThreadLocks], database_url: str) -> None:
    here, there = nodes
    async with here.held("a"):
        with psycopg.connect(database_url, autocommit=True) as admin:
            admin.execute(
                "select pg_terminate_backend(pid) from pg_stat_activity"
                " where application_name = 'orderly runs' and datname = current_database()"
            )
        assert await is_free(there, "a")
    assert await is_free(here, "c"), "the node must open a new connection"


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://ada:p%40ss@db.firm.example:5433/orderly?sslmode=require",
        "postgresql://postgres@/postgres?host=%2Ftmp%2Frun",
        "host=db.firm.example user=ada dbname=orderly",
    ],
)
def test_a_sibling_is_the_same_server_with_another_name(url: str) -> None:
    expected = {**conninfo_to_dict(url), "dbname": f"{conninfo_to_dict(url)['dbname']}_conversations"}
    assert conninfo_to_dict(sibling(url, "_conversations")) == expected


async def test_a_database_is_created_once(database_url: str) -> None:
    other = sibling(database_url, "_conversations")
    try:
        assert await schema_revision(other) is None
        assert [await make_database(other), await make_database(other)] == [True, False]
        assert await schema_revision(other) is None
    finally:
        with psycopg.connect(database_url, autocommit=True) as admin:
            admin.execute(f"drop database {conninfo_to_dict(other)['dbname']}")
