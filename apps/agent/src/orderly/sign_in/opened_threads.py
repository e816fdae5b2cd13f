"""Caches recent thread opens, so that a polling client produces one audit entry per minute.

Some servers authorize a waiting client twice a second.
"""

from __future__ import annotations

import time
from collections import OrderedDict

OPEN_SECONDS = 60.0
"""A thread counts as open for this time after it was recorded."""

MAX_ENTRIES = 10_000

Opening = tuple[str, str]
"""User id and thread id."""


class OpenedThreads:
    """Recently recorded openings, per process, at most MAX_ENTRIES."""

    def __init__(self) -> None:
        self._recorded: OrderedDict[Opening, float] = OrderedDict()

    def contains(self, opening: Opening) -> bool:
        return self._recorded.get(opening, float("-inf")) > time.monotonic() - OPEN_SECONDS

    def add(self, opening: Opening) -> None:
        """Call after the audit entry was written."""
        self._recorded[opening] = time.monotonic()
        self._recorded.move_to_end(opening)
        if len(self._recorded) > MAX_ENTRIES:
            self._recorded.popitem(last=False)
