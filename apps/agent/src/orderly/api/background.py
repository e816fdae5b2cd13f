"""What the server does beside answering: it reads the files that were uploaded, and hears what changes."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress

from orderly.errors import OrderlyError
from orderly.jobs.polling import process_due_documents
from orderly.jobs.worker import running_worker
from orderly.services.ingestion import Uploads
from orderly.store.functions.ingestion import queue_state
from orderly.telemetry.metrics import QUEUE
from orderly.wiring.services import Operator, Services, current_services, open_operator

PAUSE_SECONDS = 5.0
"""Between two tries to open what the background work needs."""

WATCH_SECONDS = 10.0
"""Between two looks at the queue."""

SWEEP_SECONDS = 600.0

_log = logging.getLogger(__name__)


@asynccontextmanager
async def background() -> AsyncIterator[None]:
    """Until the block ends; then work that was begun is finished or handed back. The server starts without waiting for it."""
    stopping = asyncio.Event()
    working = asyncio.create_task(_work(stopping))
    try:
        yield
    finally:
        stopping.set()
        await working


async def _work(stopping: asyncio.Event) -> None:
    """A database that is away, or an installation that is not set up, does not keep the server from answering so."""
    while not stopping.is_set():
        try:
            services = await current_services()
            async with open_operator(services) as operator, _parts(services, operator):
                await stopping.wait()
        except OrderlyError as error:
            _log.warning("Background work cannot begin, and is tried again: %s", error.message)
            with suppress(TimeoutError):
                await asyncio.wait_for(stopping.wait(), PAUSE_SECONDS)


@asynccontextmanager
async def _parts(services: Services, operator: Operator) -> AsyncIterator[None]:
    settings = services.settings
    tasks = [_watch_queue(operator, settings.lease_seconds), _sweep(services.uploads)]
    async with AsyncExitStack() as stack:
        if operator.queue_url is not None:
            tasks.append(services.announcements.listen(operator.queue_url))
        if settings.serve_worker and operator.queue_url is not None:
            await stack.enter_async_context(running_worker(operator, settings, jobs=settings.serve_worker_jobs))
        elif settings.serve_worker:
            tasks.append(process_due_documents(operator, settings))
        running = [asyncio.create_task(task) for task in tasks]
        try:
            yield
        finally:
            for task in running:
                task.cancel()
            await asyncio.gather(*running, return_exceptions=True)


async def _sweep(uploads: Uploads) -> None:
    """Unfinished uploads that have expired go."""
    while True:
        if gone := await uploads.sweep():
            _log.info("%s expired uploads were removed.", gone)
        await asyncio.sleep(SWEEP_SECONDS)


async def _watch_queue(operator: Operator, lease_seconds: int) -> None:
    """Keeps the gauges of the queue as old as WATCH_SECONDS, at most."""
    while True:
        with suppress(OrderlyError):  # the store is away: who asks for readiness is told
            state = await queue_state(operator.worker, lease_seconds)
            QUEUE.labels("waiting").set(state["waiting"])
            QUEUE.labels("later").set(state["later"])
            QUEUE.labels("working").set(state["working"])
            QUEUE.labels("workers").set(state["workers"])
        await asyncio.sleep(WATCH_SECONDS)
