"""Connections of the store: retries after a lost connection, cancellation, and isolation between callers."""

from __future__ import annotations

import asyncio
from functools import partial

import anyio
import psycopg
import pytest

from orderly.errors import NotFound
from orderly.store import postgres
from orderly.store.functions.conversations import check_thread
from orderly.store.functions.matters import create_matter, get_matter, list_matters
from orderly.store.functions.processors import allowed_processors
from orderly.store.postgres import open_postgres


async def killed_connections(database_url: str) -> None:
    async with await psycopg.AsyncConnection.connect(database_url, autocommit=True) as admin:
        await admin.execute(
            "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()"
        )


async def test_repeatable_calls_survive_a_lost_connection(store, make_user, make_matter, database_url):
    ada = await make_user("ada@firm.example")
    matter = await make_matter(ada)
    for function in (allowed_processors, partial(check_thread, thread_id="t"), list_matters):
        before = await function(store, ada)
        await killed_connections(database_url)
        assert await function(store, ada) == before
    assert [m["id"] for m in await list_matters(store, ada)] == [matter["id"]]


async def test_a_repeatable_call_is_one_message_with_its_transaction(store, make_user, monkeypatch):
    ada = await make_user("ada@firm.example")

    async def second_message(*_: object) -> None:
        raise AssertionError("a second message")

    monkeypatch.setattr(postgres, "call", second_message)
    assert await list_matters(store, ada) == []
    with pytest.raises(AssertionError, match="a second message"):
        await create_matter(store, ada, "Lease")


async def test_calls_survive_a_connection_closed_by_an_idle_timeout(make_user, embedded_postgres, database_url):
    ada = await make_user("ada@firm.example")
    name = database_url.rpartition("/")[2].partition("?")[0]
    with psycopg.connect(embedded_postgres.database_url, autocommit=True) as admin:
        admin.execute(f"alter database {name} set idle_session_timeout = '200ms'")
    store = await open_postgres(database_url.replace("//postgres@", "//authenticator@"))
    assert await list_matters(store, ada) == []
    await asyncio.sleep(0.5)
    assert await list_matters(store, ada) == []
    await asyncio.sleep(0.5)
    assert (await create_matter(store, ada, "Lease"))["title"] == "Lease"
    await store.close()


async def test_a_refusal_leaves_the_connection_usable_without_the_callers_role(store, make_user, make_matter):
    ada, eve = await make_user("ada@firm.example"), await make_user("eve@other.example", tenant="Other")
    matter = await make_matter(ada)
    with pytest.raises(NotFound):
        await get_matter(store, eve, matter["id"])
    assert await list_matters(store, eve) == []
    assert [m["id"] for m in await list_matters(store, ada)] == [matter["id"]]
    assert await list_matters(store, eve) == [], "the previous caller's role must not remain"


@pytest.mark.parametrize(
    "named", ["t'); drop table public.matters; --", "\\'); drop table public.matters; --", "$$ ’ ﬁ \\n % %s"]
)
async def test_an_id_with_quotes_is_passed_unchanged(store, make_user, named):
    ada = await make_user("ada@firm.example")
    assert await check_thread(store, ada, named) == {"thread_id": named}
    assert await list_matters(store, ada) == []


async def connections(database_url: str) -> set[int]:
    async with await psycopg.AsyncConnection.connect(database_url) as admin:
        found = await admin.execute(
            "select pid from pg_stat_activity where datname = current_database() and usename = 'authenticator'"
        )
        return {pid for (pid,) in await found.fetchall()}


async def test_cancelled_calls_lose_no_connection(make_user, database_url):
    ada = await make_user("ada@firm.example")
    store = await open_postgres(database_url.replace("//postgres@", "//authenticator@"), max_size=2)
    await asyncio.gather(*(list_matters(store, ada) for _ in range(20)))
    before = await connections(database_url)

    async def cancelled_call(after: float) -> None:
        with anyio.move_on_after(after):
            await list_matters(store, ada)

    for _ in range(20):
        await asyncio.gather(*(cancelled_call(n / 5_000) for n in range(30)))
    async with asyncio.timeout(5):
        assert await asyncio.gather(*(list_matters(store, ada) for _ in range(4))) == [[]] * 4
    assert await connections(database_url) == before
    await store.close()


async def test_a_cancelled_call_is_executed_completely_or_not_at_all(make_user, database_url):
    ada = await make_user("ada@firm.example")
    store = await open_postgres(database_url.replace("//postgres@", "//authenticator@"))
    making = asyncio.create_task(create_matter(store, ada, "Lease"))
    await asyncio.sleep(0)
    making.cancel()
    with pytest.raises(asyncio.CancelledError):
        await making
    await store.close()
    again = await open_postgres(database_url.replace("//postgres@", "//authenticator@"))
    assert [m["title"] for m in await list_matters(again, ada)] == ["Lease"]
    await again.close()
