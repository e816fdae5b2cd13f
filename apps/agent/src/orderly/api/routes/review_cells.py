"""Cells of a review: rows, verdicts, changes as server-sent events, the review as a file."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Annotated, Any, Literal, cast
from urllib.parse import quote

from fastapi import APIRouter, Depends, Path, Query, Request
from fastapi.responses import Response, StreamingResponse
from pydantic import BaseModel, ConfigDict, Field
from sse_starlette import EventSourceResponse

from orderly.api.bodies import Body
from orderly.api.callers import CurrentServices, SignedIn, token_of
from orderly.api.errors import error_responses
from orderly.api.routes.events import (
    LastSeen,
    event_source,
    reserve_stream,
    review_events_of,
)
from orderly.api.routes.matters import MatterRef
from orderly.api.routes.reviews import ReviewId
from orderly.services.exports import MEDIA_TYPES, Format
from orderly.store.functions.review_cells import CellState, CellValue, Verdict

router = APIRouter(prefix="/api/matters/{matter}/reviews/{review_id}", tags=["reviews"], responses=error_responses(403, 404))

CellId = Annotated[str, Path(max_length=100)]

STREAM: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "`review` events: {review, cells: the cells that changed}, with the number to go on from as event id. "
        "`end`: access ended, or the review was deleted. Comments keep the connection open.",
        "content": {"text/event-stream": {"schema": {"type": "string"}}},
    }
}

EXPORT: dict[int | str, dict[str, Any]] = {
    200: {"content": {media: {"schema": {"type": "string", "format": "binary"}} for media in MEDIA_TYPES.values()}}
}


class Citation(BaseModel):
    id: str
    revision_id: str
    start: int
    end: int
    quote: str
    page: int
    paged: bool
    section_label: str | None
    section_title: str | None


class GivenVerdict(BaseModel):
    verdict: Verdict
    value: dict[str, Any] | None = Field(description="Accepted, or put in place of the answer; a correction has no quotation.")
    note: str
    by: str | None
    at: datetime
    current: bool = Field(description="About the document's current version and the column's current question.")


class Cell(BaseModel):
    id: str
    column_id: str
    document_id: str
    state: CellState
    edition: int = Field(description="Grows with every change; a verdict names the one that was seen.")
    changed: int
    revision_id: str | None
    current: bool
    value: dict[str, Any] | None
    citations: list[Citation]
    read: dict[str, Any] | None
    confidence: float | None
    engine: str | None
    model: str | None
    note: str
    answered_at: datetime | None
    verdict: GivenVerdict | None


class RowDocument(BaseModel):
    id: str
    filename: str
    status: str
    status_reason: str
    current_revision_id: str | None


class Row(BaseModel):
    document: RowDocument
    cells: list[Cell]


class Rows(BaseModel):
    total: int = Field(description="Readable documents of the review.")
    rows: list[Row]


class CorrectedValue(Body):
    model_config = ConfigDict(extra="allow")

    type: str = Field(max_length=50)
    text: str = Field(max_length=2000)


class NewVerdict(Body):
    model_config = ConfigDict(extra="forbid")

    verdict: Literal["accepted", "corrected", "rejected", "none"] = Field(description='"none" withdraws a verdict.')
    seen: int = Field(ge=0, le=2**31 - 1, description="The cell's edition that the person looked at.")
    value: CorrectedValue | None = Field(default=None, description="Of a correction: a value of the column's type.")
    note: str = Field(default="", max_length=2000)


@router.get("/rows")
async def list_rows(
    matter: MatterRef,
    review_id: ReviewId,
    caller: SignedIn,
    services: CurrentServices,
    limit: Annotated[int, Query(ge=1, le=500)] = 100,
    offset: Annotated[int, Query(ge=0, le=1_000_000)] = 0,
) -> Rows:
    """Read rows in the order of upload: each document with its cells."""
    found = await services.reviews.find(caller, matter, review_id)
    return Rows.model_validate(await services.reviews.rows(caller, found["id"], limit=limit, offset=offset))


@router.post("/cells/{cell_id}/verdict", responses=error_responses(412))
async def judge_cell(
    matter: MatterRef, review_id: ReviewId, cell_id: CellId, body: NewVerdict, caller: SignedIn, services: CurrentServices
) -> Cell:
    """Accept, correct or reject a cell; for editors. 412: somebody has changed the cell meanwhile."""
    await services.reviews.find(caller, matter, review_id)
    value = cast(CellValue | None, body.value.model_dump() if body.value else None)
    judged = await services.reviews.judge(caller, cell_id, body.verdict, seen=body.seen, value=value, note=body.note)
    return Cell.model_validate(judged)


@router.get("/export", response_class=Response, responses=EXPORT)
async def export_review(
    matter: MatterRef,
    review_id: ReviewId,
    caller: SignedIn,
    services: CurrentServices,
    format: Annotated[Format, Query(description="Workbook, lines of cells, or a report with exhibits.")] = "xlsx",
) -> Response:
    """Download the review as a file, from the rows that the caller may see."""
    found = await services.reviews.find(caller, matter, review_id)
    content = await services.exports.export(caller, found, format)
    name = f"{found['name']}.{format}"
    plain = re.sub(r"[^\w .-]", "_", name.encode("ascii", "replace").decode())
    disposition = f"attachment; filename=\"{plain}\"; filename*=UTF-8''{quote(name, safe='')}"
    return Response(
        content, media_type=MEDIA_TYPES[format], headers={"Content-Disposition": disposition, "Cache-Control": "no-store"}
    )


@router.get("/events", dependencies=[Depends(reserve_stream)], response_class=StreamingResponse, responses=STREAM)
async def review_events(
    matter: MatterRef,
    review_id: ReviewId,
    request: Request,
    caller: SignedIn,
    services: CurrentServices,
    seen: LastSeen,
) -> EventSourceResponse:
    """Stream the cells of a review as they change, after the event given or from now on."""
    found = await services.reviews.find(caller, matter, review_id)
    return event_source(lambda: review_events_of(services, caller, token_of(request, services), found["id"], seen))
