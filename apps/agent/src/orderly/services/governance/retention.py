"""What has been kept long enough goes: by the firm's rules and the matters' own, never against a hold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from orderly.errors import StorageFailed
from orderly.store.base import Blobs, WorkerStore
from orderly.store.functions.conversations import ThreadAge, forget_threads, threads_due, youngest_thread_rule
from orderly.store.functions.page_images import drop_page_images, expired_page_images
from orderly.store.functions.record import trim_audit
from orderly.store.functions.retention import retention_due

BATCH = 500


class Conversations(Protocol):
    """The production server's conversations."""

    async def unchanged(self, days: int, after: str, count: int) -> list[ThreadAge]:
        """Those that have not changed for so many days, by id above `after`."""
        ...

    async def remove(self, thread_ids: Sequence[str]) -> None: ...


@dataclass(frozen=True, slots=True)
class Due:
    kind: str
    tenant: str
    matter: str | None
    count: int
    held: int
    """What would go if no hold kept it."""


async def what_is_due(worker: WorkerStore, conversations: Conversations | None) -> list[Due]:
    """What `apply` would remove now. Conversations of all firms are one line, whose tenant is empty."""
    found = [
        Due(row["kind"], row["tenant"], row["matter_number"], row["count"] or 0, row["held"] or 0)
        for row in await retention_due(worker)
    ]
    due, held = await _threads(worker, conversations, remove=False)
    return [*found, Due("threads", "", None, due, held)] if due or held else found


async def apply(worker: WorkerStore, blobs: Blobs, conversations: Conversations | None) -> dict[str, int]:
    """How much went, by kind. Deleted documents go with the purge, which knows the rules too."""
    pictures = await _page_images(worker, blobs)
    threads, _ = await _threads(worker, conversations, remove=True)
    entries = sum(chain["entries"] for chain in await trim_audit(worker))
    return {"page_images": pictures, "threads": threads, "audit": entries}


async def _page_images(worker: WorkerStore, blobs: Blobs) -> int:
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


async def _threads(worker: WorkerStore, conversations: Conversations | None, *, remove: bool) -> tuple[int, int]:
    """Number that is due, and number that a hold keeps."""
    days = await youngest_thread_rule(worker)
    if days is None or conversations is None:
        return 0, 0
    due = held = 0
    after = ""
    while old := await conversations.unchanged(days, after, BATCH):
        after = old[-1]["thread_id"]
        judged = await threads_due(worker, old)
        due, held = due + len(judged["due"]), held + len(judged["held"])
        if remove and judged["due"]:
            # The server's own first: what is interrupted here is found again.
            await conversations.remove(judged["due"])
            await forget_threads(worker, judged["due"])
    return due, held
