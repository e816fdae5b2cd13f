"""When a failed HTTP call is tried again, and after how long."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime

RETRIED_STATUSES = frozenset({408, 409, 429})
"""Retried besides every 5xx."""

NEVER_RETRIED_STATUSES = frozenset({400, 401, 402, 403, 413})
"""Answered the same way every time, whatever `x-should-retry` says."""


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    max_retries: int
    """Tries after the first one."""
    first_wait: float = 0.5
    """Seconds; doubles with every try."""
    longest_wait: float = 8.0
    longest_obeyed: float = 60.0
    """Seconds. A server that asks for a longer wait is not obeyed: somebody is waiting for the answer."""
    jitter: Callable[[], float] = random.random
    now: Callable[[], float] = time.time

    def retries(self, status: int, headers: Mapping[str, str]) -> bool:
        """Whether a reply with this status is worth another try."""
        if status in NEVER_RETRIED_STATUSES:
            return False
        asked = headers.get("x-should-retry", "").lower()
        if asked in ("true", "false"):
            return asked == "true"
        return status in RETRIED_STATUSES or status >= 500

    def slows_all(self, status: int, headers: Mapping[str, str]) -> bool:
        """Whether a reply speaks of the account's rate or the whole service, and so concerns every caller."""
        return status == 429 or (status == 503 and self._asked_for(headers) is not None)

    def wait(self, attempt: int, headers: Mapping[str, str]) -> float:
        """Seconds before try `attempt` + 2, counting from attempt 0."""
        asked = self._asked_for(headers)
        if asked is not None and 0 < asked <= self.longest_obeyed:
            return asked
        wait = min(self.first_wait * 2.0**attempt, self.longest_wait)
        return wait * (1 - 0.25 * self.jitter())

    def _asked_for(self, headers: Mapping[str, str]) -> float | None:
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
