"""Workers of the queue. Any process of an installation may run one; the documents' rows state the work."""

from orderly.jobs.worker import Worker, running_worker

__all__ = ["Worker", "running_worker"]
