"""Live status of documents as server-sent events, resumable by their ids."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Header, HTTPException, Query, Request
from fastapi.responses import StreamingResponse
from sse_starlette import EventSourceResponse, ServerSentEvent

from orderly.api.callers import Held, SignedIn, token_of
from orderly.api.errors import answers
from orderly.api.routes.matters import MatterRef
from orderly.errors import Denied, NotFound, OrderlyError
from orderly.models import Caller
from orderly.services.live import Change, watch
from orderly.store.functions.matters import Matter
from orderly.wiring.services import Services

router = APIRouter(tags=["events"], responses=answers(404))

RETRY_MS = 2_000
"""How long a browser waits before it connects again."""

HEARTBEAT_SECONDS = 15

LOOK_SECONDS = 2.0
"""Between two looks for the first file of a chat."""

TELLS = (
    "`document` events: {id, matter_id, filename, status, stage, page, pages, reason, folder_id}, with its number as "
    "id; status `deleted` for what is gone. `current` when all that was to be told has been told. `end` when access ended. "
    "Comments in between keep the connection open."
)

STREAM: dict[int | str, dict[str, Any]] = {
    200: {"description": TELLS, "content": {"text/event-stream": {"schema": {"type": "string"}}}}
}

LastEventId = Annotated[str | None, Header(alias="last-event-id", description="Go on after this event.", max_length=20)]
LastEventQuery = Annotated[
    int | None, Query(alias="last_event_id", ge=0, le=2**62, description="The same, where no header can be set.")
]


async def one_stream(caller: SignedIn, held: Held) -> AsyncIterator[None]:
    """Held until the answer has ended. Raises 429."""
    with held.event_streams.taken(caller.user_id) as taken:
        if not taken:
            most = held.settings.event_streams
            raise HTTPException(429, f"You have {most} streams of events open, the most that one user may. Close some.")
        yield


@router.get(
    "/api/matters/{matter}/events", dependencies=[Depends(one_stream)], response_class=StreamingResponse, responses=STREAM
)
async def matter_events(
    matter: MatterRef,
    request: Request,
    caller: SignedIn,
    held: Held,
    last_event_id: LastEventId = None,
    after: LastEventQuery = None,
) -> EventSourceResponse:
    """Every document's state, then every change of one as it happens: upload, stage, page n of m, ready, partial, failed."""
    found = await held.library.matter(caller, matter)
    return stream(held, caller, token_of(request), found["id"], seen(last_event_id, after))


def seen(last_event_id: str | None, after: int | None) -> int | None:
    """What the client has seen already. A header that none of our events had begins anew."""
    if last_event_id and last_event_id.isascii() and last_event_id.isdecimal():
        return min(int(last_event_id), 2**62)
    return after


def stream(held: Services, caller: Caller, token: str, matter_id: str, after: int | None) -> EventSourceResponse:
    return event_source(lambda: events_of(held, caller, token, matter_id, after))


async def events_of(
    held: Services, caller: Caller, token: str, matter_id: str, after: int | None
) -> AsyncIterator[ServerSentEvent]:
    # The status says 200 already: whatever ends the stream is told in it.
    try:
        async for step in watch(held.store, held.announcements, caller, matter_id, after):
            if isinstance(step, Change):
                yield _document(matter_id, step)
                continue
            await still_signed_in(held, caller, token)
            yield ServerSentEvent(event="current", data=_json({"matter_id": matter_id}), id=str(step.number), retry=RETRY_MS)
    except (NotFound, Denied) as error:
        yield ServerSentEvent(event="end", data=_json({"reason": error.message}))
    except OrderlyError as error:  # the browser comes back by itself
        yield ServerSentEvent(comment=error.message, retry=RETRY_MS)


async def until_there(held: Services, caller: Caller, token: str) -> AsyncIterator[Matter | ServerSentEvent]:
    """The workspace of the caller's chat, once there is one; or the event that ends the stream before."""
    try:
        while (workspace := await held.library.workspace(caller)) is None:
            await still_signed_in(held, caller, token)
            await asyncio.sleep(LOOK_SECONDS)
        yield workspace
    except OrderlyError as error:
        yield ServerSentEvent(event="end", data=_json({"reason": error.message}))


def event_source(events: Callable[[], AsyncIterator[ServerSentEvent]]) -> EventSourceResponse:
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    return EventSourceResponse(events(), ping=HEARTBEAT_SECONDS, headers=headers, sep="\n")


async def still_signed_in(held: Services, caller: Caller, token: str) -> None:
    """Raises Denied once the token is revoked, has expired, or is not the caller's."""
    if await held.user_of_token(token) != caller.user_id:
        raise Denied("You are not signed in any more.")


def _document(matter_id: str, change: Change) -> ServerSentEvent:
    d = change.document
    told: dict[str, Any] = {"id": change.document_id, "matter_id": matter_id, "filename": None, "status": "deleted"}
    if d is not None:
        told |= {"filename": d["filename"], "status": d["status"]}
    told |= {
        "stage": d and d["stage"],
        "page": d and d["stage_done"],
        "pages": d and d["stage_total"],
        "reason": (d and d["status_reason"]) or "",
        "folder_id": d and d["folder_id"],
    }
    return ServerSentEvent(event="document", data=_json(told), id=str(change.number))


def _json(value: dict[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False)
