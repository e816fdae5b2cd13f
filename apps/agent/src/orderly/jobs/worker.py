"""A worker in the running event loop: takes jobs, and takes over what silent workers left."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from procrastinate import App
from procrastinate.exceptions import ConnectorException

from orderly.errors import Misconfigured, OrderlyError, StoreUnavailable
from orderly.jobs.queue import open_queue, worker_options
from orderly.jobs.tasks import QUEUE, register_tasks
from orderly.settings import Settings
from orderly.store.functions.ingestion import queue_state, rescue_documents
from orderly.wiring.services import Operator

PAUSE_SECONDS = 1.0
"""Between two tries to reach a database that is away."""

_log = logging.getLogger(__name__)


class Worker:
    """`run` works until `stop` is called, then finishes what it has begun or, after `stop_seconds`, hands it back."""

    def __init__(self, operator: Operator, settings: Settings, *, jobs: int = 1) -> None:
        """`jobs`: documents worked on at a time."""
        if operator.queue_url is None:
            raise Misconfigured(
                "A worker listens on the database itself: set SUPABASE_DB_URL to the project's direct or session-pooler "
                "connection (not the transaction pooler, port 6543). Without it, `orderly ingest` reads files by itself."
            )
        self._url = operator.queue_url
        self._operator = operator
        self._settings = settings
        self._jobs = jobs
        self._stopping = asyncio.Event()

    def stop(self) -> None:
        self._stopping.set()

    async def run(self, *, until_idle: bool = False) -> None:
        """`until_idle`: end when no job is due. The database may go away and come back meanwhile."""
        rescuing = asyncio.create_task(self._rescue())
        try:
            while not self._stopping.is_set():
                try:
                    await self._work(until_idle=until_idle)
                    if until_idle and await self._idle():
                        return
                except (ConnectorException, StoreUnavailable) as error:
                    _log.warning("The worker lost the database and tries again: %s", error)
                with suppress(TimeoutError):
                    await asyncio.wait_for(self._stopping.wait(), PAUSE_SECONDS)
        finally:
            rescuing.cancel()
            await asyncio.gather(rescuing, return_exceptions=True)

    async def _idle(self) -> bool:
        state = await queue_state(self._operator.worker, self._settings.lease_seconds)
        return not state["waiting"]

    async def _work(self, *, until_idle: bool) -> None:
        async with open_queue(self._url, connections=self._jobs + 4) as app:
            register_tasks(app, self._operator)
            if until_idle:
                await self._rescue_once()
            working = asyncio.create_task(self._procrastinate(app, wait=not until_idle))
            stopping = asyncio.create_task(self._stopping.wait())
            try:
                await asyncio.wait((working, stopping), return_when=asyncio.FIRST_COMPLETED)
                if not working.done():
                    working.cancel()  # which procrastinate takes as the wish to stop in good order
                with suppress(asyncio.CancelledError):
                    await working
            finally:
                working.cancel()
                stopping.cancel()
                await asyncio.gather(working, stopping, return_exceptions=True)

    async def _procrastinate(self, app: App, *, wait: bool) -> None:
        settings = self._settings
        options = worker_options(settings.lease_seconds, self._jobs, settings.stop_seconds)
        await app.run_worker_async(queues=[QUEUE], wait=wait, **options)

    async def _rescue(self) -> None:
        while True:
            await self._rescue_once()
            await asyncio.sleep(self._settings.lease_seconds / 3)

    async def _rescue_once(self) -> None:
        try:
            found = await rescue_documents(self._operator.worker, self._settings.lease_seconds)
        except OrderlyError as error:
            _log.warning("Looking for abandoned documents failed: %s", error.message)
            return
        if found["jobs"] or found["documents"]:
            _log.info("Rescued %s jobs and %s documents of silent workers.", found["jobs"], found["documents"])


@asynccontextmanager
async def running_worker(operator: Operator, settings: Settings, *, jobs: int = 1) -> AsyncIterator[Worker]:
    """A worker beside whatever else the event loop does, for as long as the block lasts."""
    worker = Worker(operator, settings, jobs=jobs)
    running = asyncio.create_task(worker.run())
    try:
        yield worker
    finally:
        worker.stop()
        await running
