"""The record of a matter, and of a single run."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query
from pydantic import BaseModel, Field

from orderly.api.callers import Held, SignedIn
from orderly.api.errors import answers
from orderly.api.routes.matters import MatterRef
from orderly.store.functions import record

router = APIRouter(prefix="/api", tags=["audit"], responses=answers(403, 404))


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
        description="Null where the entry, or its run, came upon a document that is not the caller's to read."
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
    text: str | None = Field(description="The stored text there; null where it is gone or not the caller's to read.")


class Run(BaseModel):
    run: str
    thread: str | None
    user_id: str
    email: str | None
    at: datetime
    question: str | None = Field(description="Null where the run came upon a document that is not the caller's to read.")
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
    held: Held,
    after: Annotated[int, Query(ge=0, description="Number of the last entry that you have.")] = 0,
    limit: Annotated[int, Query(ge=1, le=10_000)] = 1_000,
) -> list[Entry]:
    """The record of a matter, oldest entry first. For its owners."""
    return [
        Entry.model_validate(e) for e in await record.list_audit(held.store, caller, matter, after_seq=after, row_count=limit)
    ]


@router.get("/audit/runs/{run}")
async def replay(run: Annotated[str, Path(max_length=200)], caller: SignedIn, held: Held) -> Run:
    """What a run was asked, what it read and what its answer quotes. For the one who asked, and for owners of what it read."""
    return Run.model_validate(await record.replay_run(held.store, caller, run))
