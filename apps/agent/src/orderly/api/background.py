"""Background tasks of the server: the ingestion worker, the listener for document changes, queue gauges, expired uploads."""

from __future__ import annotations

import asyncio
import logging
import sys
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from functools import partial

from orderly.errors import OrderlyError
from orderly.jobs import end, restarted, running_worker, state_of_queue
from orderly.jobs.polling import process_due_documents
from orderly.services.ingestion import Uploads
from orderly.settings import Settings
from orderly.store.functions.files import set_limits
from orderly.telemetry.metrics import QUEUE
from orderly.wiring.services import Operator, Services, close_current_services, current_services, open_operator

GAUGE_SECONDS = 10.0
"""Interval between two updates of the queue gauges."""

SWEEP_SECONDS = 600.0

SWITCH_SECONDS = 0.0005
"""Time for which a thread keeps the interpreter while another waits. The default of 5 ms delays each step of a request."""

THREADS = 32

_log = logging.getLogger(__name__)


def share_interpreter() -> None:
    """Sets a short switch interval between threads, and an executor of `THREADS` threads as the default.

    So the event loop goes on while threads calculate, and files are read while many threads wait for a disk.
    """
    sys.setswitchinterval(SWITCH_SECONDS)
    asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(THREADS, thread_name_prefix="server"))


@asynccontextmanager
async def background_work() -> AsyncIterator[None]:
    """Runs the background tasks until the block ends, then finishes or requeues documents in progress and closes the services.

    The server starts before the tasks are ready, and answers with an error while the database is unavailable.
    """
    stopping = asyncio.Event()
    supervisor = asyncio.create_task(restarted(partial(_work, stopping), stopping))
    try:
        yield
    finally:
        stopping.set()
        await supervisor
        await close_current_services()


async def _work(stopping: asyncio.Event) -> None:
    services = await current_services()
    async with open_operator(services) as operator:
        await _set_limits(operator, services.settings)
        async with _running_tasks(services, operator, stopping):
            await stopping.wait()


async def _set_limits(operator: Operator, settings: Settings) -> None:
    await set_limits(
        operator.worker,
        chat_files=settings.max_chat_files,
        waiting_files=settings.max_waiting_files,
        waiting_mb=settings.max_waiting_mb,
        waiting_pages=settings.max_waiting_pages,
        waiting_passages=settings.max_waiting_passages,
    )


@asynccontextmanager
async def _running_tasks(services: Services, operator: Operator, stopping: asyncio.Event) -> AsyncIterator[None]:
    """Runs each task on its own: one that fails starts again and leaves the others alone."""
    settings = services.settings
    tasks = [partial(_update_queue_gauges, operator, settings.lease_seconds), partial(_sweep, services.uploads)]
    async with AsyncExitStack() as stack:
        if operator.queue_url is not None:
            tasks.append(partial(services.announcements.listen, operator.queue_url))
        if settings.serve_worker and operator.queue_url is not None:
            await stack.enter_async_context(running_worker(operator, settings, jobs=settings.serve_worker_jobs))
        elif settings.serve_worker:
            tasks.append(partial(process_due_documents, operator, settings))
        running = [asyncio.create_task(restarted(task, stopping)) for task in tasks]
        try:
            yield
        finally:
            await end(running)


async def _sweep(uploads: Uploads) -> None:
    """Removes expired unfinished uploads, every SWEEP_SECONDS."""
    while True:
        if removed := await uploads.sweep():
            _log.info("Removed %s expired uploads.", removed)
        await asyncio.sleep(SWEEP_SECONDS)


async def _update_queue_gauges(operator: Operator, lease_seconds: int) -> None:
    """Updates the queue gauges every GAUGE_SECONDS."""
    while True:
        with suppress(OrderlyError):  # store unavailable: /ready reports the error
            state = await state_of_queue(operator.worker, lease_seconds)
            QUEUE.labels("waiting").set(state["waiting"])
            QUEUE.labels("later").set(state["later"])
            QUEUE.labels("working").set(state["working"])
            QUEUE.labels("workers").set(state["workers"])
        await asyncio.sleep(GAUGE_SECONDS)
