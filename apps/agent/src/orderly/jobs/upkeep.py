"""Periodic work beside reading: signatures and anchors of the record, the purge, retention. Errors are logged, not raised."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from functools import partial

from orderly.errors import OrderlyError
from orderly.jobs.conversation_redaction import redactable
from orderly.jobs.restarts import end, restarted
from orderly.services.governance import anchor_heads, purge, retention, sign_heads
from orderly.store.conversations import server_conversations
from orderly.wiring.services import Operator

_log = logging.getLogger(__name__)


async def sign_record(operator: Operator) -> None:
    try:
        await sign_heads(operator.worker, operator.witness)
    except (OrderlyError, OSError):
        _log.exception("The audit log heads could not be signed.")


async def anchor_record(operator: Operator) -> None:
    try:
        await anchor_heads(operator.witness, operator.anchors)
    except (OrderlyError, OSError):
        _log.exception("The audit log heads could not be anchored.")


async def purge_documents(operator: Operator) -> None:
    try:
        conversations = await redactable(operator.conversations_url)
        await purge(operator.worker, operator.blobs, operator.ingestor.visuals, conversations)
    except OrderlyError as error:
        _log.warning("Deleted documents could not be purged: %s", error.message)


async def apply_rules(operator: Operator) -> None:
    try:
        conversations = await server_conversations(operator.conversations_url)
        await retention.apply(operator.worker, operator.blobs, conversations)
    except OrderlyError as error:
        _log.warning("Retention could not be applied: %s", error.message)


INTERVALS = {sign_record: 60.0, anchor_record: 3600.0, purge_documents: 600.0, apply_rules: 86_400.0}
"""Seconds between two rounds of each work, where no queue with a timetable exists."""


async def keep_up(operator: Operator) -> None:
    """Does every work at once and then at its interval, each on its own, until cancelled."""
    tasks = [
        asyncio.create_task(restarted(partial(_repeat, work, operator, seconds), asyncio.Event()))
        for work, seconds in INTERVALS.items()
    ]
    try:
        await asyncio.gather(*tasks)
    finally:
        await end(tasks)


async def _repeat(work: Callable[[Operator], Awaitable[None]], operator: Operator, seconds: float) -> None:
    while True:
        await work(operator)
        await asyncio.sleep(seconds)
