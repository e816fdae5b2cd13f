"""When somebody opened a conversation, so that one opening is one entry of the record.

A client that waits for an answer makes some servers ask twice a second whether it still may read.
"""

from __future__ import annotations

import time
from collections import OrderedDict

SECONDS = 60.0
"""Who comes back to a conversation within this time has it open still."""

KEPT = 10_000

Opening = tuple[str, str]
"""User and conversation."""


class Openings:
    """Those of this process. Another process records its own first one."""

    def __init__(self) -> None:
        self._noted: OrderedDict[Opening, float] = OrderedDict()

    def known(self, opening: Opening) -> bool:
        return self._noted.get(opening, float("-inf")) > time.monotonic() - SECONDS

    def note(self, opening: Opening) -> None:
        """After it was recorded."""
        self._noted[opening] = time.monotonic()
        self._noted.move_to_end(opening)
        if len(self._noted) > KEPT:
            self._noted.popitem(last=False)
