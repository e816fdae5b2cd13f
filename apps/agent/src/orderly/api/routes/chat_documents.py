"""Files of a chat (a thread of the server), in the format that chat frontends expect."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Path, Request, Response
from fastapi.responses import StreamingResponse
from pydantic import BaseModel
from sse_starlette import EventSourceResponse

from orderly.api.callers import CurrentServices, SignedIn, token_of
from orderly.api.chat_workspaces import FoundChat, find_chat, require_chat
from orderly.api.errors import error_responses
from orderly.api.multipart import receive_file
from orderly.api.routes.events import (
    STREAM,
    LastSeen,
    chat_events_of,
    event_source,
    reserve_stream,
)
from orderly.api.routes.uploads import FORM, IfExistsQuery
from orderly.errors import DocumentNotFound, NotFound
from orderly.models import PENDING_STATUSES
from orderly.services.files import open_spool
from orderly.services.ingestion import Choice, Upload
from orderly.store.functions.deletion import delete_document
from orderly.store.functions.documents import Document, get_document, list_documents

router = APIRouter(prefix="/chat/api/{chat_id}", tags=["chat"], responses=error_responses(404))

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
    """Why the file, or a part of it, cannot be searched; omitted if there is no reason."""


class ChatDocuments(BaseModel):
    documents: list[ChatDocument]
    total: int


class Deleted(BaseModel):
    deleted: bool = True
    artifact_id: str


@router.get("/documents", response_model_exclude_none=True)
async def list_chat_documents(chat_id: ChatId, request: Request, caller: SignedIn, services: CurrentServices) -> ChatDocuments:
    """List the files of the chat in upload order, then the unfinished resumable uploads."""
    chat = await find_chat(request, services, caller, chat_id)
    if chat.workspace is None:
        return ChatDocuments(documents=[], total=0)
    listed = await list_documents(services.store, chat.caller, chat.workspace["id"])
    pending = await services.uploads.unfinished(caller.user_id, chat.workspace["id"])
    documents = [_document(d) for d in listed["documents"]] + [_pending_upload(u) for u in pending]
    return ChatDocuments(documents=documents, total=len(documents))


@router.post(
    "/documents",
    status_code=201,
    response_model_exclude_none=True,
    responses={200: {"model": ChatDocument}, **error_responses(409, 413, 502)},
    openapi_extra=FORM,
)
async def add_chat_document(
    chat_id: ChatId,
    request: Request,
    response: Response,
    caller: SignedIn,
    services: CurrentServices,
    if_exists: IfExistsQuery = "skip",
) -> ChatDocument:
    """Upload a file to the chat; it is read in the background. 200: the chat already has the file."""
    chat = await require_chat(request, services, caller, chat_id)
    async with open_spool("The file", services.settings.max_file_mb) as spool:
        await receive_file(request, spool)
        registered = await services.registrar.register(chat.caller, chat.workspace["id"], spool, Choice(if_exists))
    if registered.duplicate:
        response.status_code = 200
    return _document(registered.document)


@router.delete("/documents/{artifact_id}", responses=error_responses(403, 409))
async def delete_chat_document(
    chat_id: ChatId,
    artifact_id: Annotated[str, Path(max_length=100)],
    request: Request,
    caller: SignedIn,
    services: CurrentServices,
) -> Deleted:
    """Delete a file of the chat. It is hidden immediately; file, passages and vectors are removed later."""
    chat = await find_chat(request, services, caller, chat_id)
    if chat.workspace is None:
        raise DocumentNotFound(artifact_id)
    if not await _cancel_upload(services, chat, artifact_id):
        found = await get_document(services.store, chat.caller, artifact_id)
        if found["matter_id"] != chat.workspace["id"]:
            raise DocumentNotFound(artifact_id)
        await delete_document(services.store, chat.caller, artifact_id)
    return Deleted(artifact_id=artifact_id)


@router.get("/events", dependencies=[Depends(reserve_stream)], response_class=StreamingResponse, responses=STREAM)
async def chat_events(
    chat_id: ChatId,
    request: Request,
    caller: SignedIn,
    services: CurrentServices,
    seen: LastSeen,
) -> EventSourceResponse:
    """Stream document events as for a matter, from the first file of the chat on."""
    chat = await find_chat(request, services, caller, chat_id)
    token = token_of(request, services)

    return event_source(lambda: chat_events_of(services, chat.caller, token, seen))


async def _cancel_upload(services: CurrentServices, chat: FoundChat, upload_id: str) -> bool:
    """Cancels an unfinished upload to the chat. Returns False if the id names no such upload."""
    assert chat.workspace is not None
    try:
        upload = await services.uploads.find(chat.caller.user_id, upload_id)
    except NotFound:
        return False
    if upload.document is not None or upload.matter_id != chat.workspace["id"]:
        return False
    await services.uploads.remove(upload)
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


def _pending_upload(upload: Upload) -> ChatDocument:
    return ChatDocument(
        artifact_id=upload.id,
        filename=upload.filename,
        size=upload.length or 0,
        type=upload.content_type,
        uploaded_at=datetime.fromtimestamp(upload.begun, UTC),
        status="error" if upload.refused else "uploading",
        reason=upload.refused or None,
    )
