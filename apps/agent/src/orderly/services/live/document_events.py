"""Streams the changes of a matter's documents. Access is checked at every poll."""

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
"""Maximum interval between two polls, and so the delay until lost access ends a stream."""

POLL_SECONDS = 2.0
"""Interval between two polls while there are no notifications."""

GATHER_SECONDS = 0.1
"""Debounce: changes within this time are sent together."""

_log = logging.getLogger(__name__)


class Announcements:
    """Distributes the database's notifications to watchers, which poll more often while there is no connection."""

    def __init__(self) -> None:
        self._watchers: defaultdict[str, set[asyncio.Event]] = defaultdict(set)
        self._connected = False

    @property
    def poll_interval(self) -> float:
        """Seconds that a watcher waits for a notification before it polls."""
        return QUIET_SECONDS if self._connected else POLL_SECONDS

    @contextmanager
    def subscribe(self, matter_id: str) -> Iterator[asyncio.Event]:
        """Yields an event that is set after every change in the matter."""
        event = asyncio.Event()
        self._watchers[matter_id].add(event)
        try:
            yield event
        finally:
            self._watchers[matter_id].discard(event)
            if not self._watchers[matter_id]:
                del self._watchers[matter_id]

    async def listen(self, url: str) -> None:
        """Listens until cancelled. `url` must be a session connection, as a pooler drops notifications."""
        while True:
            try:
                async with aclosing(notifications(url, CHANNEL)) as received:
                    async for matter_id in received:
                        self._connected = True
                        self._wake(matter_id)
            except StoreUnavailable as error:
                _log.warning("Document notifications are interrupted: %s", error.message)
            finally:
                self._connected = False
                self._wake(None)
            await asyncio.sleep(POLL_SECONDS)

    def _wake(self, matter_id: str | None) -> None:
        """Wakes a matter's watchers. None: all watchers, as notifications may have been missed."""
        groups = self._watchers.values() if matter_id is None else [self._watchers.get(matter_id, set())]
        for event in [event for events in groups for event in events]:
            event.set()


@dataclass(frozen=True, slots=True)
class Change:
    number: int
    """Sequence number in the matter, ascending."""
    document_id: str
    document: Document | None
    """None if the document was removed."""


@dataclass(frozen=True, slots=True)
class Pause:
    """All changes up to `number` were sent, and access was checked."""

    number: int


async def watch(
    store: Store, announcements: Announcements, caller: Caller, matter_ref: str, after: int | None = None
) -> AsyncIterator[Change | Pause]:
    """Yields the changes of a matter. `after`: number of the last change seen; None: start with all existing documents.

    Ends only with an error: MatterNotFound once the caller has lost access to the matter.
    """
    last_pause = 0.0
    matter_id = (await get_matter(store, caller, matter_ref))["id"]
    with announcements.subscribe(matter_id) as changed:
        while True:
            changed.clear()
            page = await document_changes(store, caller, matter_ref, after=after)
            after = page["latest"]
            for entry in page["changes"]:
                yield Change(entry["number"], entry["document_id"], entry["document"])
            if page["more"]:
                continue
            if page["changes"] or time.monotonic() - last_pause >= QUIET_SECONDS:
                last_pause = time.monotonic()
                yield Pause(page["latest"])
            try:
                await asyncio.wait_for(changed.wait(), announcements.poll_interval)
                await asyncio.sleep(GATHER_SECONDS)
            except TimeoutError:
                pass
