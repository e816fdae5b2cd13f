"""Fixtures for tests that run over both adapters, and the owner's connection."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from typing import Any

import psycopg
import pytest
from pydantic import SecretStr

from orderly.store.base import Store, WorkerStore
from orderly.store.postgres import open_postgres, open_postgres_worker
from orderly.store.supabase import HS256TokenSource, SupabaseStore, SupabaseWorkerStore
from support.postgrest_peer import JWT_SECRET, key_of, serving

Admin = psycopg.Connection[tuple[Any, ...]]


@dataclass(frozen=True)
class Adapter:
    store: Store
    worker: WorkerStore


@pytest.fixture(params=["postgres", "supabase"])
async def adapter(request: pytest.FixtureRequest, database_url: str) -> AsyncIterator[Adapter]:
    if request.param == "postgres":
        postgres = Adapter(await open_postgres(database_url), await open_postgres_worker(database_url))
        yield postgres
        await postgres.store.close()
        await postgres.worker.close()
        return
    async with serving(database_url) as url:
        supabase = Adapter(
            SupabaseStore(url, SecretStr(key_of("anon")), HS256TokenSource(SecretStr(JWT_SECRET))),
            SupabaseWorkerStore(url, SecretStr(key_of("service_role"))),
        )
        yield supabase
        await supabase.store.close()
        await supabase.worker.close()


@pytest.fixture
def admin(database_url: str) -> Iterator[Admin]:
    """A connection as the database's owner, without access rules."""
    with psycopg.connect(database_url, autocommit=True) as connection:
        yield connection
