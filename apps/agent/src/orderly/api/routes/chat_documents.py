"""The files of a chat, in the shapes that chat frontends expect: a chat is a thread of the server."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, datetime
from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Path, Request, Response
from fastapi.responses import StreamingResponse
from pydantic import BaseModel
from sse_starlette import EventSourceResponse, ServerSentEvent

from orderly.api.callers import Held, SignedIn, token_of
from orderly.api.chat_workspaces import Found, chat, find_chat
from orderly.api.errors import answers
from orderly.api.multipart import receive_file
from orderly.api.routes.events import (
    STREAM,
    LastEventId,
    LastEventQuery,
    event_source,
    events_of,
    one_stream,
    seen,
    until_there,
)
from orderly.api.routes.uploads import FORM, IfExistsQuery
from orderly.errors import DocumentNotFound, NotFound
from orderly.models import PENDING_STATUSES
from orderly.services.files import open_spool
from orderly.services.ingestion import Upload
from orderly.store.functions.deletion import delete_document
from orderly.store.functions.documents import Document, get_document, list_documents

router = APIRouter(prefix="/chat/api/{chat_id}", tags=["chat"], responses=answers(404))

ChatId = Annotated[str, Path(description="Id of a thread.", max_length=200)]
Status = Literal["uploading", "processing", "processed", "error"]


class ChatDocument(BaseModel):
    artifact_id: str
    filename: str
    size: int
    type: str
    uploaded_at: datetime
    status: Status
    reason: str | None = None
    """Why it cannot be searched, or not all of it; left out where there is nothing to say."""


class ChatDocuments(BaseModel):
    documents: list[ChatDocument]
    total: int


class Deleted(BaseModel):
    deleted: bool = True
    artifact_id: str


@router.get("/documents", response_model_exclude_none=True)
async def list_chat_documents(chat_id: ChatId, request: Request, caller: SignedIn, held: Held) -> ChatDocuments:
    """Every file that was sent to the chat, in upload order, and those on their way by resumable upload."""
    opened = await find_chat(request, held, caller, chat_id)
    if opened.workspace is None:
        return ChatDocuments(documents=[], total=0)
    listed = await list_documents(held.store, opened.caller, opened.workspace["id"])
    coming = await held.uploads.unfinished(caller.user_id, opened.workspace["id"])
    documents = [_document(d) for d in listed["documents"]] + [_coming(u) for u in coming]
    return ChatDocuments(documents=documents, total=len(documents))


@router.post(
    "/documents",
    status_code=201,
    response_model_exclude_none=True,
    responses={200: {"model": ChatDocument}, **answers(409, 413, 502)},
    openapi_extra=FORM,
)
async def add_chat_document(
    chat_id: ChatId, request: Request, response: Response, caller: SignedIn, held: Held, if_exists: IfExistsQuery = "skip"
) -> ChatDocument:
    """Send a file to the chat; it is read in the background. 200: the chat has it already."""
    opened = await chat(request, held, caller, chat_id, make=True)
    async with open_spool("The file", held.settings.max_file_mb) as kept:
        await receive_file(request, kept)
        received = await held.intake.take_in(opened.caller, opened.workspace["id"], kept, if_exists)
    if received.duplicate:
        response.status_code = 200
    return _document(received.document)


@router.delete("/documents/{artifact_id}", responses=answers(403, 409))
async def delete_chat_document(
    chat_id: ChatId, artifact_id: Annotated[str, Path(max_length=100)], request: Request, caller: SignedIn, held: Held
) -> Deleted:
    """It is found and listed no more at once; its file, passages and vectors are removed after that."""
    opened = await find_chat(request, held, caller, chat_id)
    if opened.workspace is None:
        raise DocumentNotFound(artifact_id)
    if not await _ended(held, opened, artifact_id):
        found = await get_document(held.store, opened.caller, artifact_id)
        if found["matter_id"] != opened.workspace["id"]:
            raise DocumentNotFound(artifact_id)
        await delete_document(held.store, opened.caller, artifact_id)
    return Deleted(artifact_id=artifact_id)


@router.get("/events", dependencies=[Depends(one_stream)], response_class=StreamingResponse, responses=STREAM)
async def chat_events(
    chat_id: ChatId,
    request: Request,
    caller: SignedIn,
    held: Held,
    last_event_id: LastEventId = None,
    after: LastEventQuery = None,
) -> EventSourceResponse:
    """As for a matter; it begins with the first file that is sent to the chat."""
    opened = await find_chat(request, held, caller, chat_id)
    token, since = token_of(request), seen(last_event_id, after)

    async def events() -> AsyncIterator[ServerSentEvent]:
        workspace = opened.workspace
        if workspace is None:
            async for step in until_there(held, opened.caller, token):
                if isinstance(step, ServerSentEvent):
                    yield step
                    return
                workspace = step
        assert workspace is not None
        async for event in events_of(held, opened.caller, token, workspace["id"], since):
            yield event

    return event_source(events)


async def _ended(held: Held, opened: Found, upload_id: str) -> bool:
    """Whether this is an unfinished upload to the chat; it is given up then."""
    assert opened.workspace is not None
    try:
        upload = await held.uploads.find(opened.caller.user_id, upload_id)
    except NotFound:
        return False
    if upload.document is not None or upload.matter_id != opened.workspace["id"]:
        return False
    await held.uploads.remove(upload)
    return True


def _document(d: Document) -> ChatDocument:
    return ChatDocument(
        artifact_id=d["id"],
        filename=d["filename"],
        size=d["size_bytes"],
        type=d["content_type"],
        uploaded_at=d["created_at"],
        status=_status(d["status"]),
        reason=d["status_reason"] or None,
    )


def _status(status: str) -> Status:
    if status == "uploading":
        return "uploading"
    if status in PENDING_STATUSES:
        return "processing"
    return "processed" if status in ("ready", "partial") else "error"


def _coming(upload: Upload) -> ChatDocument:
    return ChatDocument(
        artifact_id=upload.id,
        filename=upload.filename,
        size=upload.length or 0,
        type=upload.content_type,
        uploaded_at=datetime.fromtimestamp(upload.begun, UTC),
        status="error" if upload.refused else "uploading",
        reason=upload.refused or None,
    )
