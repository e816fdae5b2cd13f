"""Work that starts again after an error."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress

from orderly.errors import OrderlyError

RETRY_SECONDS = 5.0
"""Delay before work that failed starts again."""

_log = logging.getLogger(__name__)


async def restarted(work: Callable[[], Awaitable[None]], stopping: asyncio.Event) -> None:
    """Does the work, and again whenever it ends, until `stopping` is set, which the work heeds itself. Logs every error."""
    while not stopping.is_set():
        try:
            await work()
        except OrderlyError as error:
            _log.warning("Background work cannot go on; retrying: %s", error.message)
        except Exception:  # noqa: BLE001  # a bug of one task: the server goes on
            _log.exception("Background work failed; retrying.")
        with suppress(TimeoutError):
            await asyncio.wait_for(stopping.wait(), RETRY_SECONDS)
