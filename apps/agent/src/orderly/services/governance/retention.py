"""Applies retention rules of firms and matters, except to data under a legal hold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from orderly.errors import StorageFailed
from orderly.store.base import Blobs, WorkerStore
from orderly.store.functions.conversations import ThreadAge, empty_threads, forget_threads, threads_due, youngest_thread_rule
from orderly.store.functions.page_images import drop_page_images, expired_page_images
from orderly.store.functions.record import trim_audit
from orderly.store.functions.retention import retention_due

BATCH = 500


class Conversations(Protocol):
    """The production server's conversations."""

    async def unchanged(self, days: int, after: str, count: int) -> list[ThreadAge]:
        """Lists threads unchanged for `days` days with ids above `after`, in order of id."""
        ...

    async def remove(self, thread_ids: Sequence[str]) -> None: ...


@dataclass(frozen=True, slots=True)
class Due:
    kind: str
    tenant: str
    matter: str | None
    count: int
    held: int
    """Number of expired items under a hold."""


async def list_due(worker: WorkerStore, conversations: Conversations | None) -> list[Due]:
    """Lists what `apply` would remove. Conversations of all firms form one row with an empty tenant."""
    found = [
        Due(row["kind"], row["tenant"], row["matter_number"], row["count"] or 0, row["held"] or 0)
        for row in await retention_due(worker)
    ]
    due, held = await _expire_threads(worker, conversations, remove=False)
    return [*found, Due("threads", "", None, due, held)] if due or held else found


async def apply(worker: WorkerStore, blobs: Blobs, conversations: Conversations | None) -> dict[str, int]:
    """Removes expired data and returns counts by kind. Deleted documents are left to the purge."""
    page_images = await _remove_page_images(worker, blobs)
    threads, _ = await _expire_threads(worker, conversations, remove=True)
    entries = sum(chain["entries"] for chain in await trim_audit(worker))
    return {"page_images": page_images, "threads": threads, "audit": entries}


async def _remove_page_images(worker: WorkerStore, blobs: Blobs) -> int:
    gone = 0
    while keys := await expired_page_images(worker, row_count=BATCH):
        removed = []
        for key in keys:
            try:
                await blobs.delete(key)
            except StorageFailed:
                continue
            removed.append(key)
        if not removed:
            raise StorageFailed("Pictures of pages that have been kept long enough could not be removed.")
        gone += await drop_page_images(worker, removed)
    return gone


async def _expire_threads(worker: WorkerStore, conversations: Conversations | None, *, remove: bool) -> tuple[int, int]:
    """Returns the numbers of expired threads without and with a hold. `remove`: deletes the former."""
    days = await youngest_thread_rule(worker)
    if days is None or conversations is None:
        return 0, 0
    due = held = 0
    after = ""
    while old := await conversations.unchanged(days, after, BATCH):
        after = old[-1]["thread_id"]
        checked = await threads_due(worker, old)
        due, held = due + len(checked["due"]), held + len(checked["held"])
        if remove and checked["due"]:
            # The server lists a conversation until its rows are gone, so an interrupted removal is repeated. What was read is
            # forgotten last: until then walls close the conversation.
            await empty_threads(worker, checked["due"])
            await conversations.remove(checked["due"])
            await forget_threads(worker, checked["due"])
    return due, held
