"""Fixtures of the leak matrix: one world, built once; every case is rolled back."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import psycopg
import pytest

from orderly.store.embedded import EmbeddedPostgres
from security.building import built
from security.undone import Desk
from security.world import World


@pytest.fixture(scope="session")
def world(embedded_postgres: EmbeddedPostgres, template_database: str, tmp_path_factory: pytest.TempPathFactory) -> World:
    name = "security_world"
    with psycopg.connect(embedded_postgres.database_url, autocommit=True) as admin:
        admin.execute(f"create database {name} template {template_database}")
    return asyncio.run(built(embedded_postgres.url_of(name), tmp_path_factory.mktemp("security")))


@pytest.fixture
async def desk(world: World) -> AsyncIterator[Desk]:
    async with await psycopg.AsyncConnection.connect(world.database_url) as connection:
        yield Desk(connection)
