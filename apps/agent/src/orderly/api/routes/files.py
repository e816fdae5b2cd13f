"""Stored files through expiring links. A link is bound to one user and checks that user's access on each request."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Annotated, Any
from urllib.parse import quote

from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import StreamingResponse
from pydantic import BaseModel, Field

from orderly.api.callers import CurrentServices, SignedIn
from orderly.api.errors import error_responses
from orderly.errors import Denied, NotFound
from orderly.services.files import INVALID_LINK
from orderly.store.functions.files import OpenedFile, open_file

router = APIRouter(tags=["files"])

_RANGE = re.compile(r"bytes=(\d{0,18})-(\d{0,18})")

INLINE_TYPES = frozenset({"application/pdf", "image/png", "image/jpeg", "image/gif", "image/webp", "text/plain"})
"""Content types that may be shown in the browser. All others are always downloaded, because they may contain scripts."""

FILE: dict[int | str, dict[str, Any]] = {
    200: {
        "content": {"application/octet-stream": {"schema": {"type": "string", "contentMediaType": "application/octet-stream"}}}
    },
    206: {"description": "The requested range."},
    416: {"description": "The range is outside the file."},
}


class FileLink(BaseModel):
    url: str = Field(description="Path on this server, or an absolute URL if ORDERLY_PUBLIC_URL is set.")
    expires_at: datetime


@router.post("/api/documents/{document}/link", responses=error_responses(403, 404))
async def make_link(document: str, caller: SignedIn, services: CurrentServices) -> FileLink:
    """Create a link to the current file, for clients that cannot send credentials. Access is checked on each request."""
    file = await open_file(services.store, caller, document)
    document_id = file["storage_key"].split("/")[2]
    link = services.links.make(caller, document_id, file["storage_key"])
    return FileLink(url=link.url, expires_at=link.expires_at)


@router.head("/files/{token}", include_in_schema=False, response_class=StreamingResponse)
@router.get("/files/{token}", response_class=StreamingResponse, responses={**FILE, **error_responses(404)})
async def get_file(
    token: str,
    request: Request,
    services: CurrentServices,
    inline: Annotated[bool, Query(description="Show in the browser if safe: PDF, images, plain text.")] = False,
) -> Response:
    link = services.links.open(token)
    try:
        file = await open_file(services.store, link.caller, link.document_id, name=link.name)
    except Denied as error:  # the user's access has ended
        raise NotFound(INVALID_LINK) from error
    blobs = services.blobs.of(link.caller)
    size = await blobs.size(file["storage_key"])
    headers = _headers(file, inline=inline)
    span = _byte_range(request, size, headers["ETag"])
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


def _byte_range(request: Request, size: int, etag: str) -> tuple[int, int] | None:
    """Half-open range of bytes; None if the requested range is outside the file.

    The whole file for a missing Range header, several ranges, or an If-Range that does not match.
    """
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
    disposition = "inline" if inline and kind in INLINE_TYPES else "attachment"
    served = kind if kind in INLINE_TYPES else "application/octet-stream"
    headers = {
        "Content-Type": f"{served}; charset=utf-8" if served == "text/plain" else served,
        "Content-Disposition": f"{disposition}; filename=\"{plain}\"; filename*=UTF-8''{quote(name, safe='')}",
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": "no-referrer",
        "Cache-Control": "private, no-store",
        "Accept-Ranges": "bytes",
        "ETag": f'"{file["sha256"] or file["storage_key"].rpartition("/")[2]}"',
    }
    if kind != "application/pdf":  # browsers' built-in PDF viewers do not work in a sandbox
        headers["Content-Security-Policy"] = "default-src 'none'; sandbox"
    return headers
