"""The audit record of a matter, and the replay of a run."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query
from pydantic import BaseModel, Field

from orderly.api.callers import CurrentServices, SignedIn
from orderly.api.errors import error_responses
from orderly.api.routes.matters import MatterRef
from orderly.store.functions import record

router = APIRouter(prefix="/api", tags=["audit"], responses=error_responses(403, 404))


class Entry(BaseModel):
    seq: int
    at: datetime
    user_id: str | None
    email: str | None
    action: str
    document_id: str | None
    document_name: str | None
    run: str | None
    thread: str | None
    detail: dict[str, Any] | None = Field(
        description="Null if the entry, or its run, involved a document that the caller may not read."
    )
    previous_hash: str
    hash: str


class Place(BaseModel):
    document_id: str | None
    document_name: str | None
    revision_id: str | None
    start: int | None
    end: int | None
    page: int | None
    text: str | None = Field(description="The stored text; null if it was deleted or the caller may not read it.")


class Run(BaseModel):
    run: str
    thread: str | None
    user_id: str
    email: str | None
    at: datetime
    question: str | None = Field(description="Null if the run involved a document that the caller may not read.")
    model: str
    answer_sha256: str
    matters: list[dict[str, str]]
    citations: list[Place]
    passages: list[Place]
    entries: list[Entry]


@router.get("/matters/{matter}/audit")
async def list_audit(
    matter: MatterRef,
    caller: SignedIn,
    services: CurrentServices,
    after: Annotated[int, Query(ge=0, description="`seq` of the last entry that the client has.")] = 0,
    limit: Annotated[int, Query(ge=1, le=10_000)] = 1_000,
) -> list[Entry]:
    """List the record of a matter, oldest entry first. For its owners."""
    return [
        Entry.model_validate(e)
        for e in await record.list_audit(services.store, caller, matter, after_seq=after, row_count=limit)
    ]


@router.get("/audit/runs/{run}")
async def replay(run: Annotated[str, Path(max_length=200)], caller: SignedIn, services: CurrentServices) -> Run:
    """Replay a run: its question, its passages and the citations of its answer.

    For the user of the run, and for owners of the matters that the run read.
    """
    return Run.model_validate(await record.replay_run(services.store, caller, run))
