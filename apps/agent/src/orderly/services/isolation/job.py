"""One request to a child process, which can be stopped by its time limit or by its caller."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal

from orderly.services.isolation.child_process import ChildProcess
from orderly.services.isolation.messages import Broken

Why = Literal["late", "abandoned"]


class Job:
    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.stopped: Why | None = None
        self._child: ChildProcess | None = None
        self._changing = threading.Lock()

    def stop(self, why: Why) -> None:
        """Kills the child at work and prevents another attempt. Thread-safe."""
        with self._changing:
            self.stopped = self.stopped or why
            if self._child is not None:
                self._child.kill()

    @contextmanager
    def timed(self, child: ChildProcess) -> Iterator[None]:
        """Limits the time in which `child` works for this job. Raises Broken if the job has been stopped."""
        with self._changing:
            if self.stopped:
                raise Broken
            self._child = child
        timer = threading.Timer(self.seconds, self.stop, ("late",))
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()
            with self._changing:
                self._child = None
