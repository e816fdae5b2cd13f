"""A few children that read files, kept for the files after and replaced when they end."""

from __future__ import annotations

import asyncio
import atexit
import logging
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Any, TypeVar

from orderly.services.isolation.child_process import ChildProcess
from orderly.services.isolation.job import Job
from orderly.services.isolation.messages import Broken, pack, unpack
from orderly.services.isolation.process_failures import ReaderBug, crashed, failure_called, too_long, too_much_memory
from orderly.services.isolation.process_limits import ProcessLimits

T = TypeVar("T")

_log = logging.getLogger(__name__)

_LAST_BREATH_S = 5.0
"""For a child whose pipe has closed to end by itself, so that its own exit code is seen."""


class ReaderProcesses:
    """Up to `limits.processes` children, each started when it is first needed and kept for the files after.

    Belongs to no event loop. The children end with `close`, with the program, and when the program is killed.
    """

    def __init__(self, limits: ProcessLimits) -> None:
        self.limits = limits
        # Its threads live as long as it does: on Linux a child dies with the thread that started it.
        self._threads = ThreadPoolExecutor(max_workers=limits.processes, thread_name_prefix="reader")
        self._children: set[ChildProcess] = set()
        self._idle: list[ChildProcess] = []
        """The last to come back is the first to go out, so that no more are started than are needed at a time."""
        self._changing = threading.Lock()
        self._closed = False

    async def call(self, operation: str, argument: object, decode: Callable[[Any], T], *, page: bool = False) -> T:
        """What a child answers, passed through `decode` in a thread.

        Args:
            operation: A name that child.py knows.
            argument: Anything that `messages.pack` takes.
            decode: From plain values; raises ValueError, TypeError or KeyError where they are not what was promised.
            page: Whether the time limit is that of a page.

        Raises:
            Unreadable, OcrFailed: as the reader decided; TooCostly also when it was stopped, Damaged when it crashed.
            ReaderBug: the reader has an error.

        """
        job = Job(self.limits.page_seconds if page else self.limits.seconds, "page" if page else "file")
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
                    raise RuntimeError("The processes that read files were closed.") from exc
                if job.stopped == "late":
                    raise too_long(job.seconds, job.what) from exc
                _log.warning("A process that read files ended with %s at %r.", code, operation)
                # An earlier file may have left the child sick: what a fresh one makes of this one counts.
                if fresh or job.stopped:
                    raise crashed(code, self.limits) from exc
            else:
                self._give_back(child)
                return answer()

    def _understood(self, reply: bytes, decode: Callable[[Any], T]) -> Callable[[], T]:
        """Gives the result, or raises what the reader raised."""
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
            return too_much_memory(self.limits)
        if kind == "bug":
            return ReaderBug(str(content))
        name, message = content
        return failure_called(str(name), str(message))

    def _take(self) -> ChildProcess:
        with self._changing:
            if self._idle:
                return self._idle.pop()
        child = ChildProcess(self.limits.memory_mb)
        with self._changing:
            self._children.add(child)
        return child

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
def shared_processes(limits: ProcessLimits) -> ReaderProcesses:
    """One set of children for all in this program who ask for the same limits."""
    processes = ReaderProcesses(limits)
    atexit.register(processes.close)
    return processes
