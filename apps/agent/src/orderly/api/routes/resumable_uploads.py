"""Resumable uploads, by the tus protocol 1.0."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Any, get_args

from fastapi import APIRouter, HTTPException, Path, Request, Response
from pydantic import BaseModel

from orderly.api import tus
from orderly.api.callers import CurrentServices, SignedIn
from orderly.api.chat_workspaces import require_chat
from orderly.api.errors import error_responses
from orderly.api.routes.uploads import IfExistsQuery, require_editor
from orderly.errors import ChatFull, Conflict, Denied, Invalid, NotFound
from orderly.models import Caller, DuplicatePolicy
from orderly.services.files import BLOCK_BYTES, MEGABYTE, too_large_error
from orderly.services.ingestion import Appending, Busy, Choice, Upload
from orderly.store.functions.matters import Matter
from orderly.wiring.services import Services

router = APIRouter(prefix="/api/uploads", tags=["uploads"], responses=error_responses(400, 403, 404, 409, 412, 413, 423))

UploadId = Annotated[str, Path(max_length=100)]


class UploadState(BaseModel):
    id: str
    filename: str
    matter_id: str
    offset: int
    length: int | None
    document_id: str | None
    duplicate: bool
    note: str
    refused: str
    """Why the complete upload was not registered. Finish it with another `if_exists`, or delete it."""


@router.options("", include_in_schema=False)
async def options(services: CurrentServices) -> Response:
    return Response(status_code=204, headers=tus.capabilities(services.settings.max_file_mb))


@router.post("", status_code=201, response_class=Response)
async def create(request: Request, caller: SignedIn, services: CurrentServices) -> Response:
    """Create an upload. Upload-Metadata: filename, matter_id or chat_id; optional: folder_id, if_exists, filetype.

    A body (application/offset+octet-stream) is the first part of the file, or the whole file.
    """
    tus.require_version(request)
    if "upload-concat" in request.headers:  # a part would be taken for a file
        raise HTTPException(400, "This server does not join parts of a file (Upload-Concat): send it as one upload.")
    length = _length(request, services)
    if length is None and request.headers.get("upload-defer-length") != "1":
        raise HTTPException(400, "Send Upload-Length, or Upload-Defer-Length: 1.")
    metadata = tus.metadata(request)
    target, thread_id = await _target(request, services, caller, metadata)
    require_editor(target)
    if thread_id is not None:
        await _require_room(services, replace(caller, thread_id=thread_id), target)
    upload = await services.uploads.create(
        Upload(
            id="",
            expires=0,
            owner=caller.user_id,
            filename=metadata.get("filename") or metadata.get("name") or "unnamed",
            matter_id=target["id"],
            thread_id=thread_id,
            length=length,
            content_type=metadata.get("filetype") or "application/octet-stream",
            folder_id=metadata.get("folder_id") or None,
            if_exists=_if_exists(metadata),
        )
    )
    offset = 0
    if length == 0 or request.headers.get("content-type") == tus.BODY:
        upload, offset = await _append_body(request, services, caller, upload)
    return Response(status_code=201, headers={**tus.state(upload, offset), "Location": f"/api/uploads/{upload.id}"})


@router.head("/{upload_id}", response_class=Response)
async def offset(upload_id: UploadId, request: Request, caller: SignedIn, services: CurrentServices) -> Response:
    """Get the offset. A request that is still appending to the upload is ended first.

    A complete upload that was refused lacks its last byte here: a client that asks after a refusal sends this byte and gets the
    refusal again, where it would take the whole length for success.
    """
    tus.require_version(request)
    upload = await services.uploads.find(caller.user_id, upload_id)
    await services.uploads.interrupt(upload)
    upload = await _register_if_complete(services, caller, upload)
    size = await services.uploads.offset(upload)
    headers = tus.state(upload, max(size - 1, 0) if upload.refused else size)
    headers |= {"Upload-Defer-Length": "1"} if upload.length is None else {"Upload-Length": str(upload.length)}
    return Response(status_code=200, headers=headers)


@router.patch("/{upload_id}", status_code=204, response_class=Response)
async def append(upload_id: UploadId, request: Request, caller: SignedIn, services: CurrentServices) -> Response:
    """Append from Upload-Offset. The last byte completes the file and adds it to its matter (Orderly-Document-Id)."""
    tus.require_version(request)
    if request.headers.get("content-type") != tus.BODY:
        raise HTTPException(415, f"Send {tus.BODY}.")
    upload = await services.uploads.find(caller.user_id, upload_id)
    if upload.refused:
        upload = await _register_if_complete(services, caller, upload, refused="")
        return Response(status_code=204, headers=tus.state(upload, await services.uploads.offset(upload)))
    upload, size = await _append_body(request, services, caller, upload)
    return Response(status_code=204, headers=tus.state(upload, size))


@router.delete("/{upload_id}", status_code=204, response_class=Response)
async def end(upload_id: UploadId, request: Request, caller: SignedIn, services: CurrentServices) -> Response:
    """Cancel the upload and remove its bytes. A document that was already created stays."""
    tus.require_version(request)
    await services.uploads.remove(await services.uploads.find(caller.user_id, upload_id))
    return Response(status_code=204, headers={"Tus-Resumable": tus.VERSION})


@router.get("/{upload_id}")
async def show(upload_id: UploadId, caller: SignedIn, services: CurrentServices) -> UploadState:
    """Get the state of the upload. (Not part of tus.)"""
    upload = await services.uploads.find(caller.user_id, upload_id)
    return _state_of(upload, await services.uploads.offset(upload))


@router.post("/{upload_id}/finish")
async def finish(
    upload_id: UploadId, caller: SignedIn, services: CurrentServices, if_exists: IfExistsQuery = "skip"
) -> UploadState:
    """Add a complete upload to its matter after it was refused as a duplicate. (Not part of tus.)"""
    upload = await services.uploads.find(caller.user_id, upload_id)
    if upload.document is None and upload.length != await services.uploads.offset(upload):
        raise Conflict("The upload is not whole yet.")
    upload = await _register_if_complete(services, caller, upload, if_exists=if_exists, refused="")
    return _state_of(upload, await services.uploads.offset(upload))


async def _append_body(request: Request, services: Services, caller: Caller, upload: Upload) -> tuple[Upload, int]:
    """Appends the body to the upload; creates the document when the file is complete. Returns the upload and its size."""
    checksum = tus.Checksum(request)
    client_offset = tus.number(request, "upload-offset") if request.method == "PATCH" else 0
    if client_offset is None:
        raise HTTPException(400, "Send Upload-Offset.")
    try:
        async with services.uploads.appending(upload) as appending:
            upload = appending.upload
            if upload.length is None and (length := _length(request, services)) is not None:
                upload = replace(upload, length=length)
                await services.uploads.update(upload)
            if client_offset != appending.size:
                raise Conflict(f"The upload has {appending.size} bytes. Ask for its offset and go on from there.")
            await _receive_body(request, upload, appending, checksum, _size_limit(services, upload))
            if upload.document is None and appending.size == upload.length:
                upload = await _register(services, caller, upload, appending)
            return upload, appending.size
    except Busy as error:
        raise HTTPException(423, error.message) from error


async def _receive_body(request: Request, upload: Upload, appending: Appending, checksum: tus.Checksum, limit: int) -> None:
    start = appending.size
    try:
        async for block in tus.blocks(request, appending.interrupted, BLOCK_BYTES):
            if appending.size + len(block) > limit:
                await appending.truncate(start)
                raise Invalid("More came than the upload's length. Nothing of this request was kept.")
            checksum.add(block)
            await appending.append(block)
    except tus.BrokenOff as error:
        if checksum.wanted is not None:  # the checksum of an incomplete body cannot be verified
            await appending.truncate(start)
        raise Invalid("The request broke off. Ask for the offset and go on from there.") from error
    finally:
        if upload.document is None:
            await appending.sync()
    if not checksum.matches:
        await appending.truncate(start)
        raise HTTPException(tus.MISMATCH, "The checksum is not that of what came. Nothing of this request was kept.")


async def _register_if_complete(services: Services, caller: Caller, upload: Upload, **choice: Any) -> Upload:
    """Registers a complete upload whose registration was interrupted, by a server stop or an unavailable service.

    `choice`: what the client changes in the upload, to have a refused one registered.
    """
    given = replace(upload, **choice)
    if given.document is not None or given.refused or given.length != await services.uploads.offset(upload):
        return upload
    try:
        async with services.uploads.appending(upload) as appending:
            current = appending.upload
            if current.document is not None:
                return current
            return await _register(services, caller, replace(current, **choice), appending)
    except Busy as error:
        raise HTTPException(423, error.message) from error


async def _register(services: Services, caller: Caller, upload: Upload, appending: Appending) -> Upload:
    """Creates the document, with the caller's current permissions.

    An error that only the client can resolve is stored in `refused`; after any other error the next request tries again.
    """
    spool = await services.uploads.completed_file(upload, appending)
    acting = replace(caller, thread_id=upload.thread_id)
    try:
        registered = await services.registrar.register(
            acting, upload.matter_id, spool, Choice(upload.if_exists), upload.folder_id
        )
    except (Conflict, Denied, NotFound) as error:
        await services.uploads.update(replace(upload, refused=error.message))
        raise
    document = {"id": registered.document["id"], "duplicate": registered.duplicate, "note": registered.note}
    return await services.uploads.complete(upload, document)


async def _target(
    request: Request, services: Services, caller: Caller, metadata: Mapping[str, str]
) -> tuple[Matter, str | None]:
    """The target matter, and the thread id if the matter is a chat's workspace."""
    if metadata.get("chat_id"):
        chat = await require_chat(request, services, caller, metadata["chat_id"])
        return chat.workspace, chat.caller.thread_id
    if metadata.get("matter_id"):
        return await services.library.matter(caller, metadata["matter_id"]), None
    raise Invalid("Upload-Metadata names the matter_id or the chat_id that the file is for.")


async def _require_room(services: Services, acting: Caller, workspace: Matter) -> None:
    """Raises ChatFull before any byte is sent; the store decides again when the upload is complete.

    Uploads under way count, so that the last place is not promised twice; attachments don't.
    """
    listing = await services.library.documents(acting, workspace["id"])
    under_way = [upload for upload in await services.uploads.unfinished(acting.user_id, workspace["id"]) if not upload.refused]
    limit = services.settings.max_chat_files
    if sum(document["attached_to"] is None for document in listing.documents) + len(under_way) >= limit:
        raise ChatFull(f"A chat holds at most {limit} files. Delete one to make room.")


def _if_exists(metadata: Mapping[str, str]) -> DuplicatePolicy:
    for choice in get_args(DuplicatePolicy):
        if choice == metadata.get("if_exists", "skip"):
            found: DuplicatePolicy = choice
            return found
    raise Invalid(f"if_exists is {', '.join(get_args(DuplicatePolicy))}.")


def _length(request: Request, services: Services) -> int | None:
    length = tus.number(request, "upload-length")
    if length is not None and length > services.settings.max_file_mb * MEGABYTE:
        raise too_large_error(tus.metadata(request).get("filename", "The file"), services.settings.max_file_mb)
    return length


def _size_limit(services: Services, upload: Upload) -> int:
    return services.settings.max_file_mb * MEGABYTE if upload.length is None else upload.length


def _state_of(upload: Upload, offset: int) -> UploadState:
    document = upload.document or {}
    return UploadState(
        id=upload.id,
        filename=upload.filename,
        matter_id=upload.matter_id,
        offset=offset,
        length=upload.length,
        document_id=document.get("id"),
        duplicate=document.get("duplicate", False),
        note=document.get("note", ""),
        refused=upload.refused,
    )
