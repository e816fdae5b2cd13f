"""Nodes that start at once prepare the shared database one after the other."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from starlette.applications import Starlette

from orderly.aegra.start_in_turn import StartInTurn
from orderly.errors import StoreUnavailable
from orderly.store.embedded import EmbeddedPostgres
from orderly.store.start_lock import start_lock


class Starts:
    def __init__(self) -> None:
        self.active = self.most = self.done = 0

    @asynccontextmanager
    async def lifespan(self, _: Starlette) -> AsyncIterator[None]:
        self.active += 1
        self.most = max(self.most, self.active)
        await asyncio.sleep(0.05)
        self.active -= 1
        self.done += 1
        yield


async def run_until(stop: asyncio.Event, app: StartInTurn, up: asyncio.Event) -> None:
    asked = iter(["lifespan.startup"])

    async def receive() -> dict[str, str]:
        if (kind := next(asked, None)) is None:
            await stop.wait()
        return {"type": kind or "lifespan.shutdown"}

    async def send(message: dict[str, str]) -> None:
        if message["type"] == "lifespan.startup.complete":
            up.set()

    await app({"type": "lifespan"}, receive, send)  # type: ignore[arg-type]


async def test_four_nodes_start_one_after_the_other_and_then_all_run(embedded_postgres: EmbeddedPostgres) -> None:
    starts, stop, ups = Starts(), asyncio.Event(), [asyncio.Event() for _ in range(4)]
    apps = [StartInTurn(Starlette(lifespan=starts.lifespan), embedded_postgres.database_url) for _ in ups]
    async with asyncio.timeout(30), asyncio.TaskGroup() as group:
        for app, up in zip(apps, ups, strict=True):
            group.create_task(run_until(stop, app, up))
        for up in ups:
            await up.wait()
        stop.set()
    assert (starts.done, starts.most) == (4, 1)


async def test_a_start_that_waits_too_long_for_another_says_so(embedded_postgres: EmbeddedPostgres) -> None:
    url = embedded_postgres.database_url
    async with start_lock(url):
        with pytest.raises(StoreUnavailable, match="Another node"):
            async with start_lock(url, wait_seconds=1):
                pass
    async with start_lock(url, wait_seconds=1):
        pass
