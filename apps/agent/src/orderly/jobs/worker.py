"""A worker in the running event loop: executes jobs and takes over documents of dead workers."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from procrastinate import App
from procrastinate.exceptions import ConnectorException

from orderly.errors import Misconfigured, OrderlyError, StoreUnavailable
from orderly.jobs.queue import open_queue, worker_options
from orderly.jobs.restarts import restarted
from orderly.jobs.tasks import QUEUE, REVIEWS, UPKEEP, Slots, register_tasks
from orderly.settings import Settings
from orderly.store.functions.ingestion import queue_state, rescue_documents
from orderly.store.functions.review_work import rescue_reviews
from orderly.wiring.services import Operator

UPKEEP_JOBS = 2
"""Concurrent jobs of signing, purging and retention: signing goes on during a long purge."""

PAUSE_SECONDS = 1.0
"""Wait before reconnecting to the database."""

_log = logging.getLogger(__name__)


class Worker:
    """`run` executes jobs until `stop` is called. Current jobs then get `stop_seconds` to finish, else are released."""

    def __init__(self, operator: Operator, settings: Settings, *, jobs: int = 1) -> None:
        """`jobs`: documents processed concurrently."""
        if operator.queue_url is None:
            raise Misconfigured(
                "A worker listens on the database itself: set SUPABASE_DB_URL to the project's direct or session-pooler "
                "connection (not the transaction pooler, port 6543). Without it, `orderly ingest` reads files by itself."
            )
        self._url = operator.queue_url
        self._operator = operator
        self._settings = settings
        self._jobs = jobs
        self.stopping = asyncio.Event()

    def stop(self) -> None:
        self.stopping.set()

    async def run(self, *, until_idle: bool = False) -> None:
        """`until_idle`: return when no job is due. Reconnects after loss of the database."""
        rescue_task = asyncio.create_task(restarted(self._rescue, self.stopping))
        try:
            while not self.stopping.is_set():
                try:
                    await self._run_queue(until_idle=until_idle)
                    if until_idle and await self._idle():
                        return
                except (ConnectorException, StoreUnavailable) as error:
                    _log.warning("The worker lost the database connection and reconnects: %s", error)
                with suppress(TimeoutError):
                    await asyncio.wait_for(self.stopping.wait(), PAUSE_SECONDS)
        finally:
            rescue_task.cancel()
            await asyncio.gather(rescue_task, return_exceptions=True)

    async def _idle(self) -> bool:
        state = await queue_state(self._operator.worker, self._settings.lease_seconds)
        return not state["waiting"]

    async def _run_queue(self, *, until_idle: bool) -> None:
        async with open_queue(self._url, connections=self._jobs + 8) as app:
            register_tasks(app, self._operator, Slots(self._jobs, self.stopping.is_set))
            if until_idle:
                await self._rescue_once()
            run_task = asyncio.create_task(self._run_jobs(app, wait=not until_idle))
            stop_task = asyncio.create_task(self.stopping.wait())
            try:
                await asyncio.wait((run_task, stop_task), return_when=asyncio.FIRST_COMPLETED)
                if not run_task.done():
                    run_task.cancel()  # procrastinate then shuts down gracefully
                with suppress(asyncio.CancelledError):
                    await run_task
            finally:
                run_task.cancel()
                stop_task.cancel()
                await asyncio.gather(run_task, stop_task, return_exceptions=True)

    async def _run_jobs(self, app: App, *, wait: bool) -> None:
        settings = self._settings
        lanes = [
            asyncio.create_task(
                app.run_worker_async(
                    queues=[queue], wait=wait, **worker_options(settings.lease_seconds, jobs, settings.stop_seconds)
                )
            )
            for queue, jobs in ((QUEUE, self._jobs), (REVIEWS, self._jobs), (UPKEEP, UPKEEP_JOBS))
        ]
        try:
            await asyncio.gather(*lanes)
        finally:
            # A second cancellation would cut the graceful stop short.
            for lane in lanes:
                if not lane.cancelling():
                    lane.cancel()
            await asyncio.gather(*lanes, return_exceptions=True)

    async def _rescue(self) -> None:
        while True:
            await self._rescue_once()
            await asyncio.sleep(self._settings.lease_seconds / 3)

    async def _rescue_once(self) -> None:
        try:
            found = await rescue_documents(self._operator.worker, self._settings.lease_seconds)
            rows = await rescue_reviews(self._operator.worker, self._settings.lease_seconds)
        except OrderlyError as error:
            _log.warning("Abandoned documents could not be rescued: %s", error.message)
            return
        if found["jobs"] or found["documents"] or rows:
            _log.info(
                "Rescued %s jobs, %s documents and %s rows of reviews of dead workers.", found["jobs"], found["documents"], rows
            )


@asynccontextmanager
async def running_worker(operator: Operator, settings: Settings, *, jobs: int = 1) -> AsyncIterator[Worker]:
    """Runs a worker in the event loop for the duration of the block, again after an unexpected error."""
    worker = Worker(operator, settings, jobs=jobs)
    task = asyncio.create_task(restarted(worker.run, worker.stopping))
    try:
        yield worker
    finally:
        worker.stop()
        await task
