"""Rate limits per user, or per address for sign-in attempts, and limits of concurrent streams."""

from __future__ import annotations

import hashlib
import math
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager

MAX_ENTRIES = 10_000
"""Buckets and tokens held in memory. Beyond, full buckets are dropped first, then the oldest."""


class RateLimiter:
    """Token buckets with a burst of `per_minute` and an even refill. Counts per process."""

    def __init__(self, per_minute: int, clock: Callable[[], float] = time.monotonic) -> None:
        """`per_minute` 0: no limit."""
        self._size, self._clock = per_minute, clock
        self._buckets: dict[str, tuple[float, float]] = {}

    def wait(self, key: str) -> int:
        """Takes a token. Returns 0, or the whole seconds until a token is available."""
        if self._size == 0:
            return 0
        now = self._clock()
        level, since = self._buckets.pop(key, (float(self._size), now))
        level = min(float(self._size), level + (now - since) * self._size / 60)
        self._buckets[key] = (level - 1, now) if level >= 1 else (level, now)
        if len(self._buckets) > MAX_ENTRIES:
            self._evict(now)
        return 0 if level >= 1 else max(1, math.ceil((1 - level) * 60 / self._size))

    def _evict(self, now: float) -> None:
        full = [k for k, (level, since) in self._buckets.items() if level + (now - since) * self._size / 60 >= self._size]
        for key in full or list(self._buckets)[: MAX_ENTRIES // 10]:
            del self._buckets[key]


class ConcurrencyLimiter:
    """Limits the number of concurrent streams per user. Counts per process."""

    def __init__(self, most: int) -> None:
        """`most` 0: no limit."""
        self._most = most
        self._used: Counter[str] = Counter()

    @contextmanager
    def slot(self, key: str) -> Iterator[bool]:
        """Occupies a slot until the block ends. Yields False if no slot is free."""
        if self._most and self._used[key] >= self._most:
            yield False
            return
        self._used[key] += 1
        try:
            yield True
        finally:
            self._used[key] -= 1
            if not self._used[key]:
                del self._used[key]


class KnownTokens:
    """Maps tokens to their users, so that all tokens of a user share one limit. Does not authenticate."""

    def __init__(self) -> None:
        self._users: dict[str, str] = {}

    def learn(self, token: str, user_id: str) -> None:
        self._users[_digest(token)] = user_id
        while len(self._users) > MAX_ENTRIES:
            del self._users[next(iter(self._users))]

    def user(self, token: str) -> str | None:
        """Returns the user of a token; None if the token is unknown."""
        return self._users.get(_digest(token))


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8", "surrogateescape")).hexdigest()
