"""Workers that process queued documents. Every process of an installation may run one."""

from orderly.jobs.worker import Worker, running_worker

__all__ = ["Worker", "running_worker"]
