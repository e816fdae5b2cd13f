"""Drawings, photographs and tables on pages, and copies of pages at a visual search engine.

SQL: supabase/schemas/10_visuals.sql.
"""

from __future__ import annotations

from typing import Literal, TypedDict

from orderly.models import Caller
from orderly.store.base import Store, WorkerCalls
from orderly.store.functions.arguments import given


class Visual(TypedDict):
    page: int
    kind: str
    box: list[float]
    """x0, y0, x1, y1 in points."""
    caption: str
    words: str
    """Text around and inside the visual."""
    terms: str
    """Words that describe the kind."""


class VisualHit(TypedDict):
    document_id: str
    document_name: str
    revision_id: str
    page: int
    kinds: list[str]
    box: list[float]
    caption: str
    words: str
    rank: float


class VisualStatus(TypedDict):
    document_id: str
    document_name: str
    revision_id: str
    status: Literal["ready", "failed"] | None
    """None: the engine has not processed the document."""
    reason: str


class VisualCopy(TypedDict):
    document_id: str
    matter_id: str
    revision_id: str


async def put_visuals(
    worker: WorkerCalls,
    revision_id: str,
    *,
    engine: str,
    status: Literal["ready", "failed"],
    reason: str,
    visuals: list[Visual],
) -> int:
    """Stores the visuals of a revision, and returns their number."""
    return await worker.rpc(
        "put_visuals", {"revision_id": revision_id, "engine": engine, "status": status, "reason": reason, "visuals": visuals}
    )


async def search_visuals(
    store: Store, caller: Caller, matter_id: str, query: str, *, match_count: int | None = None
) -> list[VisualHit]:
    """Finds pages by the words at their visuals, best first, one hit for each page."""
    return await store.rpc(caller, "search_visuals", {"matter_id": matter_id, "query": query, **given(match_count=match_count)})


async def visual_status(store: Store, caller: Caller, matter_id: str, engine: str) -> list[VisualStatus]:
    """Reports for each document of a matter whether an engine has processed it."""
    return await store.rpc(caller, "visual_status", {"matter_id": matter_id, "engine": engine})


async def orphaned_visual_copies(worker: WorkerCalls) -> list[VisualCopy]:
    """Lists an engine's copies of deleted or replaced revisions."""
    return await worker.rpc("orphaned_visual_copies", {})


async def forget_visual_copies(worker: WorkerCalls, revisions: list[str]) -> int:
    """Removes the rows of copies that the engine has deleted, and returns their number."""
    return await worker.rpc("forget_visual_copies", {"revisions": revisions})
