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
from orderly.services.isolation.failures import ReaderBug, crashed, failure_called, too_long, too_much_memory
from orderly.services.isolation.job import Job
from orderly.services.isolation.limits import ProcessLimits
from orderly.services.isolation.messages import Broken, pack, unpack

T = TypeVar("T")

_log = logging.getLogger(__name__)


class ReaderProcesses:
    """Up to `limits.processes` children, each started when it is first needed and kept for the files after.

    Belongs to no event loop. The children end with `close`, with the program, and when the program is killed.
    """

    def __init__(self, limits: ProcessLimits) -> None:
        self.limits = limits
        # Every thread keeps a child of its own; the executor starts a further one only when all are busy.
        self._threads = ThreadPoolExecutor(max_workers=limits.processes, thread_name_prefix="reader")
        self._own = threading.local()
        self._children: set[ChildProcess] = set()
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
            child = self._child()
            fresh = not child.used
            try:
                return self._ask(child, job, operation, data, decode)
            except Broken as exc:
                code = self._dismiss(child, patience=5)
                if self._closed:
                    raise RuntimeError("The processes that read files were closed.") from exc
                if job.stopped == "late":
                    raise too_long(job.seconds, job.what) from exc
                _log.warning("A process that read files ended with %s at %r.", code, operation)
                # An earlier file may have left the child sick: what a fresh one makes of this one counts.
                if fresh or job.stopped:
                    raise crashed(code, self.limits) from exc

    def _ask(self, child: ChildProcess, job: Job, operation: str, data: bytes, decode: Callable[[Any], T]) -> T:
        """Raises Broken also for a reply that is not what a child sends."""
        with job.timed(child):
            reply = child.ask(operation, data, job.seconds)
        if child.spent:
            self._dismiss(child, patience=5)
        try:
            kind, content = unpack(reply)
            if kind == "done":
                return decode(content)
            failure = self._failure(kind, content)
        except (ValueError, TypeError, KeyError) as exc:
            raise Broken from exc
        raise failure

    def _failure(self, kind: str, content: Any) -> Exception:
        if kind == "memory":
            return too_much_memory(self.limits)
        if kind == "bug":
            return ReaderBug(str(content))
        name, message = content
        return failure_called(str(name), str(message))

    def _child(self) -> ChildProcess:
        child: ChildProcess | None = getattr(self._own, "child", None)
        if child is None:
            child = self._own.child = ChildProcess(self.limits.memory_mb)
            with self._changing:
                self._children.add(child)
        return child

    def _dismiss(self, child: ChildProcess, *, patience: float) -> int:
        self._own.child = None
        with self._changing:
            self._children.discard(child)
        return child.end(patience=patience)


@cache
def shared_processes(limits: ProcessLimits) -> ReaderProcesses:
    """One set of children for all in this program who ask for the same limits."""
    processes = ReaderProcesses(limits)
    atexit.register(processes.close)
    return processes
