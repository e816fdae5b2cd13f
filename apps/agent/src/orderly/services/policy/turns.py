"""Turns: what one user does at a time is bounded, so that others go on. Further calls of the user wait in order."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from orderly.errors import TooBusy


class Turns:
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
    async def turn(self, user: str) -> AsyncIterator[None]:
        """Waits for the user's turn and holds it. Raises TooBusy."""
        if not self._most:
            yield
            return
        semaphore, calls = self._queues.get(user) or (asyncio.Semaphore(self._most), 0)
        if calls >= self._most + self._waiting:
            raise TooBusy(
                f"You have {calls} {self._what} under way or waiting, the most that one user may. Wait for some to end."
            )
        self._queues[user] = semaphore, calls + 1
        try:
            async with semaphore:
                yield
        finally:
            left = self._queues[user][1] - 1
            if left:
                self._queues[user] = semaphore, left
            else:
                del self._queues[user]
