"""The procrastinate queue in Orderly's database, in the schema `queue`."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from procrastinate import App, PsycopgConnector
from procrastinate.exceptions import ConnectorException
from procrastinate.jobs import Job, Status
from procrastinate.manager import JobManager
from procrastinate.worker import Worker

from orderly.store.postgres import QUEUE_CONNECTION, translated_errors, use_queue_schema

_log = logging.getLogger(__name__)


class _Jobs(JobManager):
    async def finish_job(self, job: Job, status: Status, delete_job: bool) -> None:
        """Tolerates a missing job: after a pause of this worker, another worker may have taken the job over."""
        try:
            await super().finish_job(job, status, delete_job)
        except ConnectorException as error:
            _log.info("Job %s could not be marked as done: %s", job.id, error.__cause__ or error)


@asynccontextmanager
async def open_queue(url: str, *, connections: int) -> AsyncIterator[App]:
    """Opens the queue. Raises StoreUnavailable."""
    connector = PsycopgConnector(
        conninfo=url, min_size=1, max_size=connections, timeout=10.0, kwargs=QUEUE_CONNECTION, configure=use_queue_schema
    )
    app = App(connector=connector)
    app.job_manager = _Jobs(connector)
    with translated_errors():
        await app.open_async()
    try:
        yield app
    finally:
        await app.close_async()


class Lane:
    """Executes the jobs of one queue. Documents, reviews and upkeep have a lane each, so that none waits for another."""

    def __init__(self, app: App, queue: str, *, jobs: int, wait: bool, lease_seconds: int, stop_seconds: float) -> None:
        """`jobs`: executed concurrently. `wait`: for further jobs. `stop_seconds`: time of jobs in work to finish."""
        self._worker = Worker(
            app,
            queues=[queue],
            concurrency=jobs,
            wait=wait,
            install_signal_handlers=False,
            update_heartbeat_interval=lease_seconds / 6,
            stalled_worker_timeout=lease_seconds,
            # A notification starts a due job at once; polling finds jobs whose delay has passed.
            fetch_job_polling_interval=min(5.0, lease_seconds / 3),
            shutdown_graceful_timeout=stop_seconds,
            # Document rows hold the state; finished jobs are not needed.
            delete_jobs="always",
        )

    async def run(self) -> None:
        """Runs until stopped, or without `wait` until no job is due."""
        await self._worker.run()  # type: ignore[no-untyped-call]

    def stop(self) -> None:
        """Lets jobs in work finish, and releases those that do not.

        Cancelling `run` instead may be without effect: a cancellation is lost that arrives while the lane registers itself.
        """
        self._worker.stop()  # type: ignore[no-untyped-call]
