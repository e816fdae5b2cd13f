"""Usage of external engines by matter and day.

SQL: supabase/schemas/14_policies.sql.
"""

from __future__ import annotations

from typing import TypedDict

from orderly.models import Caller
from orderly.store.base import Store, WorkerCalls
from orderly.store.functions.arguments import given


class EngineUsage(TypedDict):
    engine: str
    model: str
    endpoint: str
    requests: int
    input_tokens: int


class DailyUsage(EngineUsage):
    matter_id: str | None
    """None, like the next two, for requests to several matters, which are charged to the caller."""
    matter_number: str | None
    matter_title: str | None
    day: str


async def record_engine_usage(
    store: Store, caller: Caller, entries: list[EngineUsage], *, matter_ref: str | None = None, document_id: str | None = None
) -> None:
    """Counts calls for a matter, the matter of a document, or the caller."""
    await store.rpc(
        caller, "record_engine_usage", {"entries": entries, **given(matter_ref=matter_ref, document_id=document_id)}
    )


async def record_document_usage(worker: WorkerCalls, document_id: str, entries: list[EngineUsage]) -> None:
    """Counts calls for the matter of a document, as a worker."""
    await worker.rpc("record_document_usage", {"document_id": document_id, "entries": entries})


async def list_engine_usage(
    store: Store, caller: Caller, *, matter_ref: str | None = None, since: str | None = None
) -> list[DailyUsage]:
    """Lists the calls for one matter or for all of the caller's usage, newest day first.

    `since`: an ISO 8601 date.
    """
    return await store.rpc(caller, "list_engine_usage", given(matter_ref=matter_ref, since=since))


async def engine_usage_totals(worker: WorkerCalls, *, days: int | None = None) -> list[EngineUsage]:
    """Sums the calls of the whole installation."""
    return await worker.rpc("engine_usage_totals", given(days=days))
