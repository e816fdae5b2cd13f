"""Workers that process queued documents. Every process of an installation may run one."""

from orderly.jobs.restarts import end, restarted
from orderly.jobs.worker import Worker, running_worker, state_of_queue

__all__ = ["Worker", "end", "restarted", "running_worker", "state_of_queue"]
