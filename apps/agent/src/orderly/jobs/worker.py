"""A worker in the running event loop: executes jobs and takes over documents of dead workers."""

from __future__ import annotations

import asyncio
import logging
import math
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress

from procrastinate.exceptions import ConnectorException

from orderly.errors import Misconfigured, OrderlyError, StoreUnavailable
from orderly.jobs.queue import Lane, open_queue
from orderly.jobs.restarts import end, restarted
from orderly.jobs.tasks import QUEUE, QUEUES, REVIEWS, UPKEEP, Slots, register_tasks
from orderly.settings import Settings
from orderly.store.base import WorkerStore
from orderly.store.functions.ingestion import QueueState, queue_state, rescue_documents
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
            await end([rescue_task])

    async def _idle(self) -> bool:
        state = await queue_state(self._operator.worker, self._settings.lease_seconds)
        return not state["waiting"]

    async def _run_queue(self, *, until_idle: bool) -> None:
        async with open_queue(self._url, connections=self._jobs + 8) as app:
            register_tasks(app, self._operator, Slots(self._jobs, self.stopping.is_set))
            if until_idle:
                await self._rescue_once()
            settings, jobs = self._settings, self._jobs
            lanes = [
                Lane(
                    app,
                    queue,
                    jobs=most,
                    wait=not until_idle,
                    lease_seconds=settings.lease_seconds,
                    stop_seconds=settings.stop_seconds,
                )
                for queue, most in ((QUEUE, jobs), (REVIEWS, jobs), (UPKEEP, UPKEEP_JOBS))
            ]
            await self._run_lanes(lanes)

    async def _run_lanes(self, lanes: Sequence[Lane]) -> None:
        """Runs until the worker is stopped, all lanes have ended or one has failed. Jobs in work then finish."""
        running = [asyncio.create_task(lane.run()) for lane in lanes]
        stopper = asyncio.create_task(self._stop_lanes(lanes))
        try:
            await asyncio.wait(running, return_when=asyncio.FIRST_EXCEPTION)
        finally:
            stopper.cancel()
            for lane in lanes:
                lane.stop()
            await asyncio.gather(stopper, *running, return_exceptions=True)
        for lane_task in running:
            lane_task.result()

    async def _stop_lanes(self, lanes: Sequence[Lane]) -> None:
        await self.stopping.wait()
        for lane in lanes:
            lane.stop()

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


async def state_of_queue(worker: WorkerStore, lease_seconds: int) -> QueueState:
    """Counts jobs and workers. The database counts a worker's lanes, of which it has one for each queue."""
    state = await queue_state(worker, lease_seconds)
    return {**state, "workers": math.ceil(state["workers"] / len(QUEUES))}


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
