"""Opens the product's services as a server does, with stores that roll back."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any
from unittest.mock import patch

from orderly.settings import Settings
from orderly.store.base import WorkerStore
from orderly.store.blobs_local import LocalBlobs
from orderly.wiring import services as services_of_wiring
from orderly.wiring.services import Services, open_services
from orderly.wiring.stores import OpenStores, WorkerStores
from security.agents_tools import SECRET
from security.undone import Desk, UndoneStore, UndoneWorkerStore
from security.world import World


@asynccontextmanager
async def installed(desk: Desk, world: World, **changed: Any) -> AsyncIterator[Services]:
    """`changed`: settings to override. Only the stores are replaced, so that each case can be rolled back."""

    async def worker() -> WorkerStore:
        return UndoneWorkerStore(desk)

    @asynccontextmanager
    async def stores(settings: Settings) -> AsyncIterator[OpenStores]:
        files = LocalBlobs(world.home / "files")
        yield OpenStores(UndoneStore(desk), files, worker)

    @asynccontextmanager
    async def worker_stores(settings: Settings) -> AsyncIterator[WorkerStores]:
        yield WorkerStores(await worker(), LocalBlobs(world.home / "files"), None)

    settings = Settings(
        home=world.home,
        database_url=world.database_url,
        secret=SECRET,
        serve_worker=False,
        **{"requests_per_minute": 0, "sign_ins_per_minute": 0, **changed},
        _env_file=None,
    )
    with (
        patch.object(services_of_wiring, "open_stores", stores),
        patch.object(services_of_wiring, "open_worker_stores", worker_stores),
    ):
        async with open_services(settings) as services:
            yield services
