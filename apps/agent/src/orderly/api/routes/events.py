"""Status of documents as server-sent events, resumable by event id."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import replace
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Header, Query, Request
from fastapi.responses import StreamingResponse
from sse_starlette import EventSourceResponse, ServerSentEvent

from orderly.api.callers import CurrentServices, SignedIn, token_of
from orderly.api.errors import error_responses
from orderly.api.routes.matters import MatterRef
from orderly.errors import Denied, Invalid, NotFound, OrderlyError, TooBusy
from orderly.models import Caller
from orderly.services.live import Change, watch
from orderly.services.reviews import watch_review
from orderly.store.functions.matters import Matter
from orderly.wiring.services import Services

router = APIRouter(tags=["events"], responses=error_responses(404))

RETRY_MS = 2_000
"""Reconnection delay of the client."""

HEARTBEAT_SECONDS = 15

MOST_SCOPES = 50
"""Maximum number of matters, and of chats, of one stream."""

POLL_SECONDS = 2.0
"""Interval between two checks for a chat's workspace."""

REVIEWS = "Ids of reviews, each with the number that the review had when it was read: id:changed."

STREAM_DESCRIPTION = (
    "`document` events: {id, matter_id, filename, status, stage, page, pages, reason, folder_id}, with the number of the "
    "change as event id; status `deleted` for a deleted document. `current`: all changes so far were sent. `end`: access "
    "ended. Comments keep the connection open."
)

STREAM: dict[int | str, dict[str, Any]] = {
    200: {"description": STREAM_DESCRIPTION, "content": {"text/event-stream": {"schema": {"type": "string"}}}}
}

LastEventId = Annotated[str | None, Header(alias="last-event-id", description="Continue after this event.", max_length=20)]
LastEventQuery = Annotated[
    int | None, Query(alias="last_event_id", ge=0, le=2**62, description="Last-Event-ID for clients that cannot set headers.")
]


def last_seen(last_event_id: LastEventId = None, after: LastEventQuery = None) -> int | None:
    """Number of the last event that the client received: the header if it is a number, else the query parameter."""
    if last_event_id and last_event_id.isascii() and last_event_id.isdecimal():
        return min(int(last_event_id), 2**62)
    return after


LastSeen = Annotated[int | None, Depends(last_seen)]


async def reserve_stream(caller: SignedIn, services: CurrentServices) -> AsyncIterator[None]:
    """Counts one open stream of the user until the response ends. Raises 429 above the limit."""
    with services.event_streams.slot(caller.user_id) as available:
        if not available:
            limit = services.settings.event_streams
            raise TooBusy(f"You have {limit} streams of events open, the most that one user may. Close some.")
        yield


@router.get(
    "/api/matters/{matter}/events", dependencies=[Depends(reserve_stream)], response_class=StreamingResponse, responses=STREAM
)
async def matter_events(
    matter: MatterRef,
    request: Request,
    caller: SignedIn,
    services: CurrentServices,
    seen: LastSeen,
) -> EventSourceResponse:
    """Stream the state of each document, then each change: upload, stage, page n of m, ready, partial, failed."""
    found = await services.library.matter(caller, matter)
    return stream(services, caller, token_of(request, services), found["id"], seen)


@router.get("/api/events", dependencies=[Depends(reserve_stream)], response_class=StreamingResponse, responses=STREAM)
async def several_events(
    request: Request,
    caller: SignedIn,
    services: CurrentServices,
    matters: Annotated[list[str], Query(max_length=MOST_SCOPES, description="Numbers or ids of matters.")] = [],  # noqa: B006
    chats: Annotated[list[str], Query(max_length=MOST_SCOPES, description="Ids of threads.")] = [],  # noqa: B006
    reviews: Annotated[list[str], Query(max_length=MOST_SCOPES, description=REVIEWS)] = [],  # noqa: B006
) -> EventSourceResponse:
    """Stream the events of several matters, chats and reviews over one connection, for clients with few connections.

    Each event names its `scope`, "matters:M-2026-001". Where there is no access, the scope has the one event `end`.
    """
    token = token_of(request, services)
    sources = {f"matters:{ref}": document_events(services, caller, token, ref, None) for ref in matters}
    sources |= {f"chats:{chat}": chat_events_of(services, replace(caller, thread_id=chat), token) for chat in chats}
    sources |= {f"reviews:{ref}": _review_of(services, caller, token, ref) for ref in reviews}
    return event_source(lambda: _merged(sources))


async def _review_of(services: Services, caller: Caller, token: str, ref: str) -> AsyncIterator[ServerSentEvent]:
    """Events of a review, named with the number to go on from: "id" or "id:number"."""
    id, _, after = ref.partition(":")
    async for event in review_events_of(services, caller, token, id, last_seen(after, None)):
        yield event


async def review_events_of(
    services: Services, caller: Caller, token: str, review_id: str, after: int | None
) -> AsyncIterator[ServerSentEvent]:
    """Events of a review; errors are reported as events."""
    try:
        async for event in watch_review(services.store, services.announcements, caller, review_id, after):
            await require_signed_in(services, caller, token)
            data = _json({"review": event.review, "cells": event.cells})
            yield ServerSentEvent(event="review", data=data, id=str(event.after), retry=RETRY_MS)
    except OrderlyError as error:
        yield _last(error)


async def chat_events_of(
    services: Services, caller: Caller, token: str, after: int | None = None
) -> AsyncIterator[ServerSentEvent]:
    """Events of the workspace of the caller's chat, from its first file on."""
    async for step in wait_for_workspace(services, caller, token):
        if isinstance(step, ServerSentEvent):
            yield step
            return
        async for event in document_events(services, caller, token, step["id"], after):
            yield event


async def _merged(sources: Mapping[str, AsyncIterator[ServerSentEvent]]) -> AsyncIterator[ServerSentEvent]:
    """Yields the events of all sources as they come, each with its scope and without its number, which counts in one matter.

    A source that ends with a comment failed for a while: the stream ends, so that the client reconnects for all scopes.
    """
    queue: asyncio.Queue[ServerSentEvent] = asyncio.Queue(maxsize=100)

    async def forward(scope: str, events: AsyncIterator[ServerSentEvent]) -> None:
        async for event in events:
            data = _json({**json.loads(event.data or "{}"), "scope": scope})
            await queue.put(ServerSentEvent(event=event.event, data=data, retry=RETRY_MS) if event.event else event)

    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(forward(scope, events)) for scope, events in sources.items()]
        try:
            while True:
                event = await queue.get()
                yield event
                if not event.event:
                    return
        finally:
            for task in tasks:
                task.cancel()


def stream(services: Services, caller: Caller, token: str, matter_id: str, after: int | None) -> EventSourceResponse:
    return event_source(lambda: document_events(services, caller, token, matter_id, after))


async def document_events(
    services: Services, caller: Caller, token: str, matter_id: str, after: int | None
) -> AsyncIterator[ServerSentEvent]:
    # Status 200 is already sent, so errors are reported as events.
    try:
        async for step in watch(services.store, services.announcements, caller, matter_id, after):
            if isinstance(step, Change):
                yield _document(matter_id, step)
                continue
            await require_signed_in(services, caller, token)
            yield ServerSentEvent(event="current", data=_json({"matter_id": matter_id}), id=str(step.number), retry=RETRY_MS)
    except OrderlyError as error:
        yield _last(error)


async def wait_for_workspace(services: Services, caller: Caller, token: str) -> AsyncIterator[Matter | ServerSentEvent]:
    """Polls until the caller's chat has a workspace and yields it; an error is reported as event."""
    try:
        while (workspace := await services.library.workspace(caller)) is None:
            await require_signed_in(services, caller, token)
            await asyncio.sleep(POLL_SECONDS)
        yield workspace
    except OrderlyError as error:
        yield _last(error)


def event_source(events: Callable[[], AsyncIterator[ServerSentEvent]]) -> EventSourceResponse:
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    return EventSourceResponse(events(), ping=HEARTBEAT_SECONDS, headers=headers, sep="\n")


async def require_signed_in(services: Services, caller: Caller, token: str) -> None:
    """Raises Denied if the token was revoked, has expired, or belongs to another user."""
    if await services.user_of_token(token) != caller.user_id:
        raise Denied("You are not signed in any more.")


def _last(error: OrderlyError) -> ServerSentEvent:
    """What ends a stream: `end` if there is no access or no such thing; else a comment, after which the client reconnects."""
    if isinstance(error, NotFound | Denied | Invalid):
        return ServerSentEvent(event="end", data=_json({"reason": error.message}))
    return ServerSentEvent(comment=error.message, retry=RETRY_MS)


def _document(matter_id: str, change: Change) -> ServerSentEvent:
    d = change.document
    data: dict[str, Any] = {"id": change.document_id, "matter_id": matter_id, "filename": None, "status": "deleted"}
    if d is not None:
        data |= {"filename": d["filename"], "status": d["status"]}
    data |= {
        "stage": d and d["stage"],
        "page": d and d["stage_done"],
        "pages": d and d["stage_total"],
        "reason": (d and d["status_reason"]) or "",
        "folder_id": d and d["folder_id"],
    }
    return ServerSentEvent(event="document", data=_json(data), id=str(change.number))


def _json(value: Mapping[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False)
