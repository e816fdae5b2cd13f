"""Streams the changes of a review's cells. Access is checked at every poll."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass

from orderly.models import Caller
from orderly.services.live import QUIET_SECONDS, Announcements
from orderly.store.base import Store
from orderly.store.functions.review_cells import Cell
from orderly.store.functions.reviews import Review, get_review, review_changes

GATHER_SECONDS = 0.5
"""Debounce: changes within this time are sent together, with one entry in the record."""


@dataclass(frozen=True, slots=True)
class ReviewEvent:
    """Cells that have changed, with the review's columns and counts after the change."""

    review: Review
    cells: list[Cell]
    after: int
    """Number from which a client that reconnects continues."""


async def watch_review(
    store: Store, announcements: Announcements, caller: Caller, review_id: str, after: int | None = None
) -> AsyncIterator[ReviewEvent]:
    """Yields the changes of a review; an event without cells says that nothing has changed for a while.

    `after`: of the last event seen; None: only what changes from now on. Ends only with an error: NotFound once the caller has
    lost access, or the review was deleted.
    """
    review = await get_review(store, caller, review_id)
    at = review["changed"] if after is None else after
    seen: Review | None = None
    told = time.monotonic()
    with announcements.subscribe(f"review:{review['id']}") as changed:
        while True:
            changed.clear()
            page = await review_changes(store, caller, review_id, at)
            if page["cells"] or page["review"] != seen or time.monotonic() - told >= QUIET_SECONDS:
                at = page["cells"][-1]["changed"] if page["cells"] else at
                seen, told = page["review"], time.monotonic()
                yield ReviewEvent(page["review"], page["cells"], at)
            if page["more"]:
                continue
            try:
                await asyncio.wait_for(changed.wait(), announcements.poll_interval)
                await asyncio.sleep(GATHER_SECONDS)
            except TimeoutError:
                pass
