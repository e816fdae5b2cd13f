"""A pool of child processes of one program."""

from __future__ import annotations

import asyncio
import atexit
import logging
import signal
import tempfile
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Any, TypeVar

from orderly.services.isolation.child_process import ChildProcess
from orderly.services.isolation.job import Job
from orderly.services.isolation.messages import Broken, pack, unpack
from orderly.services.isolation.process_limits import ProcessLimits
from orderly.services.isolation.program import ChildBug, ChildProgram

T = TypeVar("T")

_log = logging.getLogger(__name__)

_LAST_BREATH_S = 5.0
"""Time for a child whose pipe has closed to end by itself, so that its own exit code is known."""


class ProcessPool:
    """Up to `limits.processes` children, each started when it is first needed and kept for later requests.

    Belongs to no event loop. The children end with `close`, with the program, and when the program is killed.
    """

    def __init__(self, program: ChildProgram, limits: ProcessLimits) -> None:
        self.program, self.limits = program, limits
        # The threads live as long as the pool: on Linux, a child ends with the thread that started it.
        self._threads = ThreadPoolExecutor(max_workers=limits.processes, thread_name_prefix=program.module.rpartition(".")[2])
        self._children: set[ChildProcess] = set()
        self._idle: list[ChildProcess] = []
        """A stack: the child that became idle last is used first, so that few children are started."""
        self._changing = threading.Lock()
        self._closed = False

    async def call(self, operation: str, argument: object, decode: Callable[[Any], T], *, seconds: float | None = None) -> T:
        """Returns a child's result, passed through `decode` in a thread. Cancelling the caller ends the child at work.

        Args:
            operation: A name that the program knows.
            argument: Anything that `messages.pack` takes.
            decode: Converts plain values; raises ValueError, TypeError or KeyError for values of another shape.
            seconds: Time limit from the moment when a child takes the request. Default: the limit of the pool.

        Raises:
            Exception: made by the `ChildProgram` if the child reported an error, was stopped or crashed.
            ChildBug: the program has an error.

        """
        job = Job(self.limits.seconds if seconds is None else seconds)
        future = self._threads.submit(self._run, job, operation, argument, decode)
        try:
            return await asyncio.wrap_future(future)
        except asyncio.CancelledError:
            job.stop("abandoned")
            raise

    def close(self) -> None:
        """Ends the children, also those at work. Blocking."""
        self._closed = True
        with self._changing:
            children, self._children = self._children, set()
        for child in children:
            child.end()
        self._threads.shutdown(cancel_futures=True)

    def _run(self, job: Job, operation: str, argument: object, decode: Callable[[Any], T]) -> T:
        data = pack(argument)
        while True:
            child = self._take()
            fresh = not child.used
            try:
                with job.timed(child):
                    reply = child.ask(operation, data, job.seconds)
                answer = self._understood(reply, decode)
            except (Broken, ValueError, TypeError, KeyError) as exc:  # a child taken over by its input may send anything
                code = self._dismiss(child)
                if self._closed:
                    raise RuntimeError(f"The processes of {self.program.module} were closed.") from exc
                if job.stopped == "late":
                    raise self.program.too_long(operation, job.seconds) from exc
                _log.warning("A process of %s ended with %s at %r.", self.program.module, code, operation)
                # An earlier request may have damaged the child, so only a fresh child's failure counts.
                if fresh or job.stopped:
                    raise self._ended(code, operation, job.seconds) from exc
            else:
                self._give_back(child)
                return answer()

    def _understood(self, reply: bytes, decode: Callable[[Any], T]) -> Callable[[], T]:
        """Decodes a reply. The returned function gives the result or raises the child's error."""
        kind, content = unpack(reply)
        if kind == "done":
            result = decode(content)
            return lambda: result
        failure = self._failure(kind, content)

        def fail() -> T:
            raise failure

        return fail

    def _failure(self, kind: str, content: Any) -> Exception:
        if kind == "memory":
            return self.program.too_much_memory(self.limits.memory_mb)
        if kind == "bug":
            return ChildBug(str(content))
        error, message = content
        return self.program.reported(str(error), str(message))

    def _ended(self, code: int, operation: str, seconds: float) -> Exception:
        """Returns the error for an exit code, which is negative for a signal."""
        if code == -signal.SIGKILL:  # not sent by `Job.stop`: the system was short of memory
            return self.program.too_much_memory(self.limits.memory_mb)
        if code == -signal.SIGXCPU:
            return self.program.too_long(operation, seconds)
        return self.program.crashed()

    def _take(self) -> ChildProcess:
        if idle := self._take_idle():
            return idle
        child = ChildProcess(self.program.module, self.limits.memory_mb)
        if child.unconfined:
            _warn_unconfined(child.unconfined)
        with self._changing:
            if not self._closed:
                self._children.add(child)
                return child
        child.kill()  # `close` has not seen this child
        child.end()
        raise RuntimeError(f"The processes of {self.program.module} were closed.")

    def _take_idle(self) -> ChildProcess | None:
        """Dismisses children that read temporary files of another folder: it was the system's when they started."""
        while True:
            with self._changing:
                if not self._idle:
                    return None
                child = self._idle.pop()
            if child.temporary == tempfile.gettempdir():
                return child
            child.kill()
            self._dismiss(child)

    def _give_back(self, child: ChildProcess) -> None:
        if child.spent:
            self._dismiss(child)
        else:
            with self._changing:
                self._idle.append(child)

    def _dismiss(self, child: ChildProcess) -> int:
        """Removes a child that has ended or is about to end. Returns its exit code."""
        with self._changing:
            self._children.discard(child)
        return child.end(patience=_LAST_BREATH_S)


@cache
def _warn_unconfined(missing: str) -> None:
    """Once for each reason."""
    _log.warning(
        "Child processes are limited in time and memory, but a file that takes one over could reach what this user may: %s.",
        missing,
    )


@cache
def shared_pool(program: ChildProgram, limits: ProcessLimits) -> ProcessPool:
    """Returns the pool that all callers of this process share for a program and limits."""
    pool = ProcessPool(program, limits)
    atexit.register(pool.close)
    return pool
