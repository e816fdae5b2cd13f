"""Resumable uploads by the tus protocol 1.0: interrupted at any byte, they go on where they were."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, get_args

from fastapi import APIRouter, HTTPException, Path, Request, Response
from pydantic import BaseModel

from orderly.api import tus
from orderly.api.callers import Held, SignedIn
from orderly.api.chat_workspaces import chat
from orderly.api.errors import answers
from orderly.api.routes.uploads import IfExistsQuery, may_add
from orderly.errors import Conflict, Denied, Invalid, NotFound
from orderly.models import Caller
from orderly.services.files import BLOCK_BYTES, MEGABYTE, too_large_error
from orderly.services.ingestion import Appending, Busy, IfExists, Upload
from orderly.store.functions.matters import Matter
from orderly.wiring.services import Services

router = APIRouter(prefix="/api/uploads", tags=["uploads"], responses=answers(400, 403, 404, 409, 412, 413, 423))

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
    """Why it was not taken in although it is whole. `finish` it with another choice, or end it."""


@router.options("", include_in_schema=False)
async def options(held: Held) -> Response:
    return Response(status_code=204, headers=tus.abilities(held.settings.max_file_mb))


@router.post("", status_code=201, response_class=Response)
async def create(request: Request, caller: SignedIn, held: Held) -> Response:
    """Begin an upload. Upload-Metadata: filename, matter_id or chat_id, and as wanted folder_id, if_exists, filetype.

    With a body (application/offset+octet-stream) its first part, or all of it, comes along.
    """
    tus.spoken(request)
    length = _length(request, held)
    if length is None and request.headers.get("upload-defer-length") != "1":
        raise HTTPException(400, "Send Upload-Length, or Upload-Defer-Length: 1.")
    asked = tus.metadata(request)
    target, thread_id = await _target(request, held, caller, asked)
    may_add(target)
    upload = await held.uploads.create(
        Upload(
            id="",
            expires=0,
            owner=caller.user_id,
            filename=asked.get("filename") or asked.get("name") or "unnamed",
            matter_id=target["id"],
            thread_id=thread_id,
            length=length,
            content_type=asked.get("filetype") or "application/octet-stream",
            folder_id=asked.get("folder_id") or None,
            if_exists=_if_exists(asked),
        )
    )
    offset = 0
    if length == 0 or request.headers.get("content-type") == tus.BODY:
        upload, offset = await _append(request, held, caller, upload)
    return Response(status_code=201, headers={**tus.state(upload, offset), "Location": f"/api/uploads/{upload.id}"})


@router.head("/{upload_id}", response_class=Response)
async def offset(upload_id: UploadId, request: Request, caller: SignedIn, held: Held) -> Response:
    """How much of it is here. A request that still writes to it gives way."""
    tus.spoken(request)
    upload = await held.uploads.find(caller.user_id, upload_id)
    await held.uploads.interrupt(upload)
    upload = await _finished(held, caller, upload)
    headers = tus.state(upload, await held.uploads.offset(upload))
    headers |= {"Upload-Defer-Length": "1"} if upload.length is None else {"Upload-Length": str(upload.length)}
    return Response(status_code=200, headers=headers)


@router.patch("/{upload_id}", status_code=204, response_class=Response)
async def append(upload_id: UploadId, request: Request, caller: SignedIn, held: Held) -> Response:
    """Send on from Upload-Offset. With the last byte the file is taken into its matter (Orderly-Document-Id)."""
    tus.spoken(request)
    if request.headers.get("content-type") != tus.BODY:
        raise HTTPException(415, f"Send {tus.BODY}.")
    upload = await held.uploads.find(caller.user_id, upload_id)
    if upload.length is None and (length := _length(request, held)) is not None:
        upload = replace(upload, length=length)
        await held.uploads.update(upload)
    upload, size = await _append(request, held, caller, upload)
    return Response(status_code=204, headers=tus.state(upload, size))


@router.delete("/{upload_id}", status_code=204, response_class=Response)
async def end(upload_id: UploadId, request: Request, caller: SignedIn, held: Held) -> Response:
    """Give it up; what has come of it is removed. A file that was taken in stays."""
    tus.spoken(request)
    await held.uploads.remove(await held.uploads.find(caller.user_id, upload_id))
    return Response(status_code=204, headers={"Tus-Resumable": tus.VERSION})


@router.get("/{upload_id}")
async def show(upload_id: UploadId, caller: SignedIn, held: Held) -> UploadState:
    """What has become of it. (Not part of tus.)"""
    upload = await held.uploads.find(caller.user_id, upload_id)
    return _shown(upload, await held.uploads.offset(upload))


@router.post("/{upload_id}/finish")
async def finish(upload_id: UploadId, caller: SignedIn, held: Held, if_exists: IfExistsQuery = "skip") -> UploadState:
    """Take in a whole upload that was refused because of what is there, now that somebody has chosen. (Not part of tus.)"""
    upload = await held.uploads.find(caller.user_id, upload_id)
    if upload.document is None and upload.length != await held.uploads.offset(upload):
        raise Conflict("The upload is not whole yet.")
    upload = await _finished(held, caller, replace(upload, if_exists=if_exists, refused=""))
    return _shown(upload, await held.uploads.offset(upload))


async def _append(request: Request, held: Services, caller: Caller, upload: Upload) -> tuple[Upload, int]:
    """What the body holds, as far as it comes; then, where that was all, the document."""
    checksum = tus.Checksum(request)
    begins = tus.number(request, "upload-offset") if request.method == "PATCH" else 0
    if begins is None:
        raise HTTPException(400, "Send Upload-Offset.")
    try:
        async with held.uploads.appending(upload) as appending:
            if begins != appending.size:
                raise Conflict(f"The upload has {appending.size} bytes. Ask for its offset and go on from there.")
            await _body(request, upload, appending, checksum, _most(held, upload))
            if upload.document is None and appending.size == upload.length:
                upload = await _take_in(held, caller, upload, appending)
            return upload, appending.size
    except Busy as error:
        raise HTTPException(423, error.message) from error


async def _body(request: Request, upload: Upload, appending: Appending, checksum: tus.Checksum, most: int) -> None:
    begun = appending.size
    try:
        async for block in tus.blocks(request, appending.give_way, BLOCK_BYTES):
            if appending.size + len(block) > most:
                await appending.cut(begun)
                raise Invalid("More came than the upload's length. Nothing of this request was kept.")
            checksum.add(block)
            await appending.append(block)
    except tus.BrokenOff as error:
        if checksum.wanted is not None:  # nobody can tell whether what came is right
            await appending.cut(begun)
        raise Invalid("The request broke off. Ask for the offset and go on from there.") from error
    finally:
        if upload.document is None:
            await appending.kept()
    if not checksum.right:
        await appending.cut(begun)
        raise HTTPException(tus.MISMATCH, "The checksum is not that of what came. Nothing of this request was kept.")


async def _finished(held: Services, caller: Caller, upload: Upload) -> Upload:
    """Taken in, where it is whole and that was not done: the server was stopped in between, or something was away."""
    if upload.document is not None or upload.refused or upload.length != await held.uploads.offset(upload):
        return upload
    try:
        async with held.uploads.appending(upload) as appending:
            return await _take_in(held, caller, upload, appending)
    except Busy as error:
        raise HTTPException(423, error.message) from error


async def _take_in(held: Services, caller: Caller, upload: Upload, appending: Appending) -> Upload:
    """As the caller may now. What only the client can mend is noted; anything else is tried again with the next request."""
    kept = await held.uploads.whole(upload, appending)
    acting = replace(caller, thread_id=upload.thread_id)
    try:
        received = await held.intake.take_in(acting, upload.matter_id, kept, upload.if_exists, upload.folder_id)
    except (Conflict, Denied, NotFound) as error:
        await held.uploads.update(replace(upload, refused=error.message))
        raise
    became = {"id": received.document["id"], "duplicate": received.duplicate, "note": received.note}
    return await held.uploads.settle(upload, became)


async def _target(request: Request, held: Services, caller: Caller, asked: Mapping[str, str]) -> tuple[Matter, str | None]:
    """The matter that it goes to, and the chat where that is a chat's."""
    if asked.get("chat_id"):
        opened = await chat(request, held, caller, asked["chat_id"], make=True)
        return opened.workspace, opened.caller.thread_id
    if asked.get("matter_id"):
        return await held.library.matter(caller, asked["matter_id"]), None
    raise Invalid("Upload-Metadata names the matter_id or the chat_id that the file is for.")


def _if_exists(asked: Mapping[str, str]) -> IfExists:
    for choice in get_args(IfExists):
        if choice == asked.get("if_exists", "skip"):
            found: IfExists = choice
            return found
    raise Invalid(f"if_exists is {', '.join(get_args(IfExists))}.")


def _length(request: Request, held: Services) -> int | None:
    length = tus.number(request, "upload-length")
    if length is not None and length > held.settings.max_file_mb * MEGABYTE:
        raise too_large_error(tus.metadata(request).get("filename", "The file"), held.settings.max_file_mb)
    return length


def _most(held: Services, upload: Upload) -> int:
    return held.settings.max_file_mb * MEGABYTE if upload.length is None else upload.length


def _shown(upload: Upload, offset: int) -> UploadState:
    became = upload.document or {}
    return UploadState(
        id=upload.id,
        filename=upload.filename,
        matter_id=upload.matter_id,
        offset=offset,
        length=upload.length,
        document_id=became.get("id"),
        duplicate=became.get("duplicate", False),
        note=became.get("note", ""),
        refused=upload.refused,
    )
