"""How many requests to one provider may be under way, for all callers and event loops of this process together."""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager

from orderly.errors import EngineUnavailable

_Waiter = tuple[asyncio.AbstractEventLoop, "asyncio.Future[None]"]

FULL = "Too many requests to the legal engine are waiting already. Try again in a moment."


class Gate:
    """First come, first served. A provider that asks one caller to slow down is heard by all."""

    def __init__(self, slots: int, *, queue: int = 256) -> None:
        """`slots`: requests under way at a time. `queue`: callers that may wait for one; further ones are turned away."""
        self._free = slots
        self._queue = queue
        self._lock = threading.Lock()
        self._waiting: deque[_Waiter] = deque()
        self._pauses = 0
        self._held: list[_Waiter] = []

    @asynccontextmanager
    async def slot(self) -> AsyncIterator[None]:
        """Raises EngineUnavailable when the queue is full."""
        await self._enter()
        try:
            yield
        finally:
            with self._lock:
                self._pass_on()

    async def ready(self) -> None:
        """Waits as long as anybody has been told to wait. For callers that have a slot."""
        while True:
            with self._lock:
                if not self._pauses:
                    return
                held = _waiter()
                self._held.append(held)
            await held[1]

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Nobody passes `ready` in here."""
        with self._lock:
            self._pauses += 1
        try:
            yield
        finally:
            with self._lock:
                self._pauses -= 1
                held = [] if self._pauses else self._held
                if held:
                    self._held = []
            for waiter in held:
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
                else:  # the slot had been given to a caller who no longer wants it
                    self._pass_on()
            raise

    def _pass_on(self) -> None:
        """Under the lock: a slot goes to whoever has waited longest, else back."""
        while self._waiting:
            if _wake(self._waiting.popleft()):
                return
        self._free += 1


def _waiter() -> _Waiter:
    loop = asyncio.get_running_loop()
    return loop, loop.create_future()


def _wake(waiter: _Waiter) -> bool:
    """False where the loop that waited is gone."""
    loop, future = waiter
    try:
        loop.call_soon_threadsafe(_settle, future)
    except RuntimeError:
        return False
    return True


def _settle(future: asyncio.Future[None]) -> None:
    if not future.done():
        future.set_result(None)
