"""The queue's workers: any process of an installation may run one, and the database says what there is to do."""

from orderly.jobs.worker import Worker, running_worker

__all__ = ["Worker", "running_worker"]
