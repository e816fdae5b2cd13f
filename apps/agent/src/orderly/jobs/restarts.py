"""Work that starts again after an error, and its end."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from typing import Any

from orderly.errors import OrderlyError

RETRY_SECONDS = 5.0
"""Delay before work that failed starts again."""

CANCEL_SECONDS = 10.0
"""Time that cancelled work has to end before it is cancelled again."""

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


async def end(tasks: Iterable[asyncio.Task[Any]]) -> None:
    """Cancels endless tasks until they have ended.

    Once is not enough: `asyncio.wait_for` of Python 3.11, by which a pool hands out connections, drops a cancellation
    that arrives together with the result, and the work goes on.
    """
    pending = set(tasks)
    while pending:
        for task in pending:
            task.cancel()
        _, pending = await asyncio.wait(pending, timeout=CANCEL_SECONDS)
