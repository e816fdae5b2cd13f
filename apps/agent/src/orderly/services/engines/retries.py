"""Retry policy of HTTP calls: which replies are retried, and after what delay."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime

RETRIED_STATUSES = frozenset({408, 409, 429})
"""Retried in addition to every 5xx."""

NEVER_RETRIED_STATUSES = frozenset({400, 401, 402, 403, 413})
"""Permanent errors: `x-should-retry` is ignored."""


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    max_retries: int
    """Attempts after the first."""
    first_wait: float = 0.5
    """Seconds; doubles with every attempt."""
    longest_wait: float = 8.0
    """Seconds."""
    longest_retry_after: float = 60.0
    """Seconds. A longer `retry-after` is ignored, since a user is waiting for the answer."""
    jitter: Callable[[], float] = random.random
    now: Callable[[], float] = time.time

    def retries(self, status: int, headers: Mapping[str, str]) -> bool:
        """Whether to retry a reply with this status."""
        if status in NEVER_RETRIED_STATUSES:
            return False
        should_retry = headers.get("x-should-retry", "").lower()
        if should_retry in ("true", "false"):
            return should_retry == "true"
        return status in RETRIED_STATUSES or status >= 500

    def pauses_all(self, status: int, headers: Mapping[str, str]) -> bool:
        """Whether a reply limits the whole account or service, so that every caller must pause."""
        return status == 429 or (status == 503 and self._retry_after(headers) is not None)

    def wait(self, attempt: int, headers: Mapping[str, str]) -> float:
        """Seconds to wait after the failed attempt `attempt`, which counts from 0."""
        requested = self._retry_after(headers)
        if requested is not None and 0 < requested <= self.longest_retry_after:
            return requested
        wait = min(self.first_wait * 2.0**attempt, self.longest_wait)
        return wait * (1 - 0.25 * self.jitter())

    def _retry_after(self, headers: Mapping[str, str]) -> float | None:
        milliseconds = _number(headers.get("retry-after-ms"))
        if milliseconds is not None:
            return milliseconds / 1000
        value = headers.get("retry-after")
        seconds = _number(value)
        if seconds is not None or value is None:
            return seconds
        try:
            return parsedate_to_datetime(value).timestamp() - self.now()
        except ValueError:
            return None


def _number(value: str | None) -> float | None:
    try:
        return None if value is None else float(value)
    except ValueError:
        return None
