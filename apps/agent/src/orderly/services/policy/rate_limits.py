"""How much one user, or one address that tries to sign in, may ask for in a minute."""

from __future__ import annotations

import hashlib
import math
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager

KEPT = 10_000
"""Buckets and tokens remembered; of more, those that are full again, and then the oldest, are forgotten."""


class RateLimiter:
    """Token buckets: `per_minute` at once, refilled evenly. For one process; each node of several counts for itself."""

    def __init__(self, per_minute: int, clock: Callable[[], float] = time.monotonic) -> None:
        """`per_minute` 0: no limit."""
        self._size, self._clock = per_minute, clock
        self._buckets: dict[str, tuple[float, float]] = {}

    def wait(self, key: str) -> int:
        """Take one from a bucket. Gives 0, or the whole seconds after which there is one again."""
        if self._size == 0:
            return 0
        now = self._clock()
        level, since = self._buckets.pop(key, (float(self._size), now))
        level = min(float(self._size), level + (now - since) * self._size / 60)
        self._buckets[key] = (level - 1, now) if level >= 1 else (level, now)
        if len(self._buckets) > KEPT:
            self._forget(now)
        return 0 if level >= 1 else max(1, math.ceil((1 - level) * 60 / self._size))

    def _forget(self, now: float) -> None:
        full = [k for k, (level, since) in self._buckets.items() if level + (now - since) * self._size / 60 >= self._size]
        for key in full or list(self._buckets)[: KEPT // 10]:
            del self._buckets[key]


class Places:
    """How many of something that lasts one user has open at a time. For one process, as above."""

    def __init__(self, most: int) -> None:
        """`most` 0: no limit."""
        self._most = most
        self._taken: Counter[str] = Counter()

    @contextmanager
    def taken(self, key: str) -> Iterator[bool]:
        """One place until the block ends; False where there was none left."""
        if self._most and self._taken[key] >= self._most:
            yield False
            return
        self._taken[key] += 1
        try:
            yield True
        finally:
            self._taken[key] -= 1
            if not self._taken[key]:
                del self._taken[key]


class KnownTokens:
    """Whose a token was when it was last shown, so that all tokens of a user count together. Not a sign-in."""

    def __init__(self) -> None:
        self._users: dict[str, str] = {}

    def learn(self, token: str, user_id: str) -> None:
        self._users[_digest(token)] = user_id
        while len(self._users) > KEPT:
            del self._users[next(iter(self._users))]

    def user(self, token: str) -> str | None:
        """None for a token that has not been seen to be anybody's."""
        return self._users.get(_digest(token))


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8", "surrogateescape")).hexdigest()
