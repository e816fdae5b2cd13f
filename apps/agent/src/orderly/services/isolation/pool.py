"""A few child processes of one program, kept for later requests and replaced when they end."""

from __future__ import annotations

import asyncio
import atexit
import logging
import signal
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
"""For a child whose pipe has closed to end by itself, so that its own exit code is seen."""


class ProcessPool:
    """Up to `limits.processes` children, each started when it is first needed and kept for later requests.

    Belongs to no event loop. The children end with `close`, with the program, and when the program is killed.
    """

    def __init__(self, program: ChildProgram, limits: ProcessLimits) -> None:
        self.program, self.limits = program, limits
        # Its threads live as long as it does: on Linux a child dies with the thread that started it.
        self._threads = ThreadPoolExecutor(max_workers=limits.processes, thread_name_prefix=program.module.rpartition(".")[2])
        self._children: set[ChildProcess] = set()
        self._idle: list[ChildProcess] = []
        """The last to come back is the first to go out, so that no more are started than are needed at a time."""
        self._changing = threading.Lock()
        self._closed = False

    async def call(self, operation: str, argument: object, decode: Callable[[Any], T], *, seconds: float | None = None) -> T:
        """Returns a child's result, passed through `decode` in a thread. Cancelling the caller ends the child at work.

        Args:
            operation: A name that the program knows.
            argument: Anything that `messages.pack` takes.
            decode: From plain values; raises ValueError, TypeError or KeyError where they are not what was promised.
            seconds: Time limit, counted from the moment when a child takes the request; default: that of the pool.

        Raises:
            Exception: as `ChildProgram` builds it, where the child reported an error, was stopped or crashed.
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
            except (Broken, ValueError, TypeError, KeyError) as exc:  # also a reply that no child sends by itself
                code = self._dismiss(child)
                if self._closed:
                    raise RuntimeError(f"The processes of {self.program.module} were closed.") from exc
                if job.stopped == "late":
                    raise self.program.too_long(operation, job.seconds) from exc
                _log.warning("A process of %s ended with %s at %r.", self.program.module, code, operation)
                # An earlier request may have left the child sick: what a fresh one makes of this one counts.
                if fresh or job.stopped:
                    raise self._ended(code, operation, job.seconds) from exc
            else:
                self._give_back(child)
                return answer()

    def _understood(self, reply: bytes, decode: Callable[[Any], T]) -> Callable[[], T]:
        """Gives the result, or raises what the child raised."""
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
        """`code`: as `subprocess` gives it, negative for a signal."""
        if code == -signal.SIGKILL:  # not ours, those are known: the system was short of memory
            return self.program.too_much_memory(self.limits.memory_mb)
        if code == -signal.SIGXCPU:
            return self.program.too_long(operation, seconds)
        return self.program.crashed()

    def _take(self) -> ChildProcess:
        with self._changing:
            if self._idle:
                return self._idle.pop()
        child = ChildProcess(self.program.module, self.limits.memory_mb)
        with self._changing:
            if not self._closed:
                self._children.add(child)
                return child
        child.kill()  # `close` did not know of it, and would wait for its work
        child.end()
        raise RuntimeError(f"The processes of {self.program.module} were closed.")

    def _give_back(self, child: ChildProcess) -> None:
        if child.spent:
            self._dismiss(child)
        else:
            with self._changing:
                self._idle.append(child)

    def _dismiss(self, child: ChildProcess) -> int:
        """The exit code of a child that has ended, or is about to."""
        with self._changing:
            self._children.discard(child)
        return child.end(patience=_LAST_BREATH_S)


@cache
def shared_pool(program: ChildProgram, limits: ProcessLimits) -> ProcessPool:
    """One pool for all callers in this process that name the same program and limits."""
    pool = ProcessPool(program, limits)
    atexit.register(pool.close)
    return pool
