"""Stored files by links that work for a while, for the person they were made for and as long as that person may."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Annotated, Any
from urllib.parse import quote

from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import StreamingResponse
from pydantic import BaseModel, Field

from orderly.api.callers import Held, SignedIn
from orderly.api.errors import answers
from orderly.store.functions.files import OpenedFile, open_file

router = APIRouter(tags=["files"])

_RANGE = re.compile(r"bytes=(\d{0,18})-(\d{0,18})")

SHOWN = frozenset({"application/pdf", "image/png", "image/jpeg", "image/gif", "image/webp", "text/plain"})
"""What a browser may show in place; the rest is downloaded, whatever was asked for: it could carry scripts."""

FILE: dict[int | str, dict[str, Any]] = {
    200: {
        "content": {"application/octet-stream": {"schema": {"type": "string", "contentMediaType": "application/octet-stream"}}}
    },
    206: {"description": "The range that was asked for."},
    416: {"description": "There is no such range."},
}


class FileLink(BaseModel):
    url: str = Field(description="Path on this server, or a whole address where the installation has one.")
    expires_at: datetime


@router.post("/api/documents/{document}/link", responses=answers(403, 404))
async def make_link(document: str, caller: SignedIn, held: Held) -> FileLink:
    """A link to the file that is read now, for places where no sign-in can be sent. It is checked again at each request."""
    file = await open_file(held.store, caller, document)
    document_id = file["storage_key"].split("/")[2]
    made = held.links.make(caller, document_id, file["storage_key"])
    return FileLink(url=made.url, expires_at=made.expires_at)


@router.head("/files/{token}", include_in_schema=False, response_class=StreamingResponse)
@router.get("/files/{token}", response_class=StreamingResponse, responses={**FILE, **answers(404)})
async def get_file(
    token: str,
    request: Request,
    held: Held,
    inline: Annotated[bool, Query(description="Shown in place where that is safe: PDF, pictures, plain text.")] = False,
) -> Response:
    opened = held.links.open(token)
    file = await open_file(held.store, opened.caller, opened.document_id, name=opened.name)
    blobs = held.blobs.of(opened.caller)
    size = await blobs.size(file["storage_key"])
    headers = _headers(file, inline=inline)
    span = _span(request, size, headers["ETag"])
    if span is None:
        return Response(status_code=416, headers={**headers, "Content-Range": f"bytes */{size}"})
    start, end = span
    headers["Content-Length"] = str(end - start)
    status = 200
    if (start, end) != (0, size):
        status, headers["Content-Range"] = 206, f"bytes {start}-{end - 1}/{size}"
    if request.method == "HEAD":
        return Response(status_code=status, headers=headers)
    return StreamingResponse(blobs.stream(file["storage_key"], start, end), status, headers=headers)


def _span(request: Request, size: int, etag: str) -> tuple[int, int] | None:
    """The range that is wanted; the whole for none, for several, and for a copy out of date. None: there is no such range."""
    found = _RANGE.fullmatch(request.headers.get("range", "").replace(" ", ""))
    if found is None or request.headers.get("if-range", etag) != etag or found.groups() == ("", ""):
        return 0, size
    first, last = found.groups()
    if not first:
        start, end = max(size - int(last), 0), size
    else:
        start, end = int(first), min(int(last) + 1, size) if last else size
    return (start, end) if start < end else None


def _headers(file: OpenedFile, *, inline: bool) -> dict[str, str]:
    kind, name = file["content_type"].partition(";")[0].strip().lower(), file["filename"]
    plain = re.sub(r"[^A-Za-z0-9 ._()-]", "_", name)
    shown = inline and kind in SHOWN
    served = kind if kind in SHOWN else "application/octet-stream"
    placed = f"{'inline' if shown else 'attachment'}; filename=\"{plain}\"; filename*=UTF-8''{quote(name, safe='')}"
    headers = {
        "Content-Type": f"{served}; charset=utf-8" if served == "text/plain" else served,
        "Content-Disposition": placed,
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": "no-referrer",
        "Cache-Control": "private, no-store",
        "Accept-Ranges": "bytes",
        "ETag": f'"{file["sha256"] or file["storage_key"].rpartition("/")[2]}"',
    }
    if kind != "application/pdf":  # browsers' own viewers of PDF do not work in a sandbox
        headers["Content-Security-Policy"] = "default-src 'none'; sandbox"
    return headers
