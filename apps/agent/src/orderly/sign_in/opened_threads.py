"""Caches recent thread opens, so that polling clients produce one audit entry per minute."""

from __future__ import annotations

import time
from collections import OrderedDict

OPEN_SECONDS = 60.0
"""Repeated opens within this time are one open."""

LIMIT = 10_000
"""Cached opens."""

ThreadOpen = tuple[str, str]
"""(user id, thread id)"""


class RecentOpens:
    """LRU cache of this process; every process has its own."""

    def __init__(self) -> None:
        self._opened_at: OrderedDict[ThreadOpen, float] = OrderedDict()

    def contains(self, thread_open: ThreadOpen) -> bool:
        return self._opened_at.get(thread_open, float("-inf")) > time.monotonic() - OPEN_SECONDS

    def add(self, thread_open: ThreadOpen) -> None:
        """Call it after the audit entry is written."""
        self._opened_at[thread_open] = time.monotonic()
        self._opened_at.move_to_end(thread_open)
        if len(self._opened_at) > LIMIT:
            self._opened_at.popitem(last=False)
