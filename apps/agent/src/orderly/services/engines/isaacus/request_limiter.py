"""Limits concurrent requests to one provider across all callers and event loops of the process."""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager

from orderly.errors import EngineUnavailable

_Waiter = tuple[asyncio.AbstractEventLoop, "asyncio.Future[None]"]

FULL = "Too many requests to the legal engine are waiting already. Try again in a moment."


class RequestLimiter:
    """First come, first served. A rate limit reported to one caller pauses all callers."""

    def __init__(self, slots: int, *, queue: int = 256) -> None:
        """`slots`: concurrent requests. `queue`: callers that may wait for a slot; further callers get EngineUnavailable."""
        self._free = slots
        self._queue = queue
        self._lock = threading.Lock()
        self._waiting: deque[_Waiter] = deque()
        self._pauses = 0
        self._paused_waiters: list[_Waiter] = []

    @asynccontextmanager
    async def slot(self) -> AsyncIterator[None]:
        """Holds one slot. Raises EngineUnavailable when the queue is full."""
        await self._enter()
        try:
            yield
        finally:
            with self._lock:
                self._release()

    async def ready(self) -> None:
        """Waits until no pause is active. Called by the holder of a slot."""
        while True:
            with self._lock:
                if not self._pauses:
                    return
                paused = _waiter()
                self._paused_waiters.append(paused)
            await paused[1]

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Blocks `ready` for all callers."""
        with self._lock:
            self._pauses += 1
        try:
            yield
        finally:
            with self._lock:
                self._pauses -= 1
                paused = [] if self._pauses else self._paused_waiters
                if paused:
                    self._paused_waiters = []
            for waiter in paused:
                _wake(waiter)

    async def _enter(self) -> None:
        with self._lock:
            if self._free:
                self._free -= 1
                return
            if len(self._waiting) >= self._queue:
                raise EngineUnavailable(FULL)
            waiter = _waiter()
            self._waiting.append(waiter)
        try:
            await waiter[1]
        except asyncio.CancelledError:
            with self._lock:
                if waiter in self._waiting:
                    self._waiting.remove(waiter)
                else:  # the cancelled caller had already been given a slot
                    self._release()
            raise

    def _release(self) -> None:
        """Gives the slot to the longest-waiting caller, or frees it. Call it with the lock paused."""
        while self._waiting:
            if _wake(self._waiting.popleft()):
                return
        self._free += 1


def _waiter() -> _Waiter:
    loop = asyncio.get_running_loop()
    return loop, loop.create_future()


def _wake(waiter: _Waiter) -> bool:
    """False if the waiter's event loop is closed."""
    loop, future = waiter
    try:
        loop.call_soon_threadsafe(_settle, future)
    except RuntimeError:
        return False
    return True


def _settle(future: asyncio.Future[None]) -> None:
    if not future.done():
        future.set_result(None)
