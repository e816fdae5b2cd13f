"""Slots of users: what one user does at a time is bounded, so that others go on. Further calls of the user wait in order."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from orderly.errors import TooBusy


class UserSlots:
    """Counts per process and event loop."""

    def __init__(self, most: int, waiting: int, what: str) -> None:
        """
        Args:
            most: Calls of one user at a time; 0: no limit.
            waiting: Further calls that may wait; beyond, they are refused.
            what: The calls, for the refusal: "searches".
        """
        self._most, self._waiting, self._what = most, waiting, what
        self._queues: dict[str, tuple[asyncio.Semaphore, int]] = {}

    @asynccontextmanager
    async def slot(self, user: str) -> AsyncIterator[Callable[[], None]]:
        """Waits for a slot of the user and occupies it until the block ends, or until the yielded function is called.

        Raises TooBusy.
        """
        if not self._most:
            yield _nothing
            return
        semaphore, calls = self._queues.get(user) or (asyncio.Semaphore(self._most), 0)
        if calls >= self._most + self._waiting:
            raise TooBusy(
                f"You have {calls} {self._what} under way or waiting, the most that one user may. Wait for some to end."
            )
        self._queues[user] = semaphore, calls + 1
        try:
            await semaphore.acquire()
            occupied = True

            def end() -> None:
                nonlocal occupied
                if occupied:
                    occupied = False
                    semaphore.release()

            try:
                yield end
            finally:
                end()
        finally:
            self._leave(user)

    def _leave(self, user: str) -> None:
        semaphore, calls = self._queues[user]
        if calls > 1:
            self._queues[user] = semaphore, calls - 1
        else:
            del self._queues[user]


def _nothing() -> None:
    """Frees no slot: there is no limit."""
