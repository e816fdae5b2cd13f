"""Changes of a matter's documents for those who watch it, as they come, by their own rights at every look."""

from __future__ import annotations

import asyncio
import logging
import time
from collections import defaultdict
from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing, contextmanager
from dataclasses import dataclass

from orderly.errors import StoreUnavailable
from orderly.models import Caller
from orderly.store.base import Store
from orderly.store.functions.documents import Document, document_changes
from orderly.store.functions.matters import get_matter
from orderly.store.notifications import notifications

CHANNEL = "orderly_documents"
QUIET_SECONDS = 10.0
"""Longest time between two looks, and so until somebody who lost access hears it."""

POLL_SECONDS = 2.0
"""Between two looks where nothing is announced."""

GATHER_SECONDS = 0.1
"""What changes within so short a time is told at once."""

_log = logging.getLogger(__name__)


class Announcements:
    """Which matters changed, as the database tells it. While nobody listens, watchers look by themselves, more often."""

    def __init__(self) -> None:
        self._watchers: defaultdict[str, set[asyncio.Event]] = defaultdict(set)
        self._heard = False

    @property
    def patience(self) -> float:
        """Seconds that a watcher may wait for an announcement."""
        return QUIET_SECONDS if self._heard else POLL_SECONDS

    @contextmanager
    def about(self, matter_id: str) -> Iterator[asyncio.Event]:
        """Set whenever something changes in the matter."""
        event = asyncio.Event()
        self._watchers[matter_id].add(event)
        try:
            yield event
        finally:
            self._watchers[matter_id].discard(event)
            if not self._watchers[matter_id]:
                del self._watchers[matter_id]

    async def listen(self, url: str) -> None:
        """Until cancelled. `url`: a session connection."""
        while True:
            try:
                async with aclosing(notifications(url, CHANNEL)) as announced:
                    async for matter_id in announced:
                        self._heard = True
                        self._wake(matter_id)
            except StoreUnavailable as error:
                _log.warning("Changes are not announced just now: %s", error.message)
            finally:
                self._heard = False
                self._wake(None)
            await asyncio.sleep(POLL_SECONDS)

    def _wake(self, matter_id: str | None) -> None:
        """None: everybody, because something may have been missed."""
        woken = self._watchers.values() if matter_id is None else [self._watchers.get(matter_id, set())]
        for event in [event for events in woken for event in events]:
            event.set()


@dataclass(frozen=True, slots=True)
class Change:
    number: int
    """Of the matter's changes: whoever has seen n has seen everything below."""
    document_id: str
    document: Document | None
    """None when it is gone."""


@dataclass(frozen=True, slots=True)
class Pause:
    """Everything up to `number` was told; access was checked just now."""

    number: int


async def watch(
    store: Store, announcements: Announcements, caller: Caller, matter_ref: str, after: int | None = None
) -> AsyncIterator[Change | Pause]:
    """`after`: the last change seen; None: begin with every document that is there.

    Ends only by an error: MatterNotFound as soon as the caller may not see the matter any more.
    """
    told = 0.0
    matter_id = (await get_matter(store, caller, matter_ref))["id"]
    with announcements.about(matter_id) as woken:
        while True:
            woken.clear()
            page = await document_changes(store, caller, matter_ref, after=after)
            after = page["latest"]
            for entry in page["changes"]:
                yield Change(entry["number"], entry["document_id"], entry["document"])
            if page["more"]:
                continue
            if page["changes"] or time.monotonic() - told >= QUIET_SECONDS:
                told = time.monotonic()
                yield Pause(page["latest"])
            try:
                await asyncio.wait_for(woken.wait(), announcements.patience)
                await asyncio.sleep(GATHER_SECONDS)
            except TimeoutError:
                pass
