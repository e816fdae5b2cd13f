"""Work that a worker does under a lease, which it renews meanwhile."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import suppress
from typing import Any, TypeVar

from orderly.errors import StoreUnavailable

T = TypeVar("T")

RENEWALS = 6
"""Renewals per lease duration."""

_log = logging.getLogger(__name__)


async def under_lease(work: Coroutine[Any, Any, T], renew: Callable[[], Awaitable[None]], *, seconds: float) -> T:
    """Awaits `work` and calls `renew` every so many seconds. Cancels `work` if `renew` raises, as the lease is lost.

    An unreachable database is no loss: the lease may still hold when it is back.
    """
    over = asyncio.Event()
    working, renewing = asyncio.create_task(work), asyncio.create_task(_renew(renew, seconds, over))
    try:
        await asyncio.wait((working, renewing), return_when=asyncio.FIRST_COMPLETED)
        if not working.done():
            renewing.result()
        return await working
    finally:
        working.cancel()
        # The renewal is not cancelled, as cancelling a database call closes its connection.
        over.set()
        await asyncio.gather(working, renewing, return_exceptions=True)


async def _renew(renew: Callable[[], Awaitable[None]], seconds: float, over: asyncio.Event) -> None:
    while True:
        with suppress(TimeoutError):
            await asyncio.wait_for(over.wait(), seconds)
            return
        try:
            await renew()
        except StoreUnavailable as error:
            _log.warning("A lease could not be renewed just now: %s", error.message)
