"""Headers and checksums of the tus protocol, version 1.0.0 (https://tus.io/protocols/resumable-upload)."""

from __future__ import annotations

import asyncio
import base64
import binascii
import hashlib
from collections.abc import AsyncIterator, Mapping
from email.utils import formatdate

from fastapi import HTTPException, Request
from starlette.requests import ClientDisconnect

from orderly.services.files import MEGABYTE
from orderly.services.ingestion import Upload

VERSION = "1.0.0"
EXTENSIONS = "creation,creation-with-upload,creation-defer-length,termination,checksum,expiration"
ALGORITHMS = ("sha256", "sha1", "md5")
BODY = "application/offset+octet-stream"
MISMATCH = 460
"""HTTP status for a checksum mismatch."""

MAX_METADATA_LENGTH = 8_000
"""Characters."""


def capabilities(limit_mb: int) -> dict[str, str]:
    """Headers of the response to OPTIONS."""
    return {
        "Tus-Resumable": VERSION,
        "Tus-Version": VERSION,
        "Tus-Extension": EXTENSIONS,
        "Tus-Max-Size": str(limit_mb * MEGABYTE),
        "Tus-Checksum-Algorithm": ",".join(ALGORITHMS),
    }


def require_version(request: Request) -> None:
    """Raises 412 for another version of the protocol."""
    if request.headers.get("tus-resumable") != VERSION:
        headers = {"Tus-Version": VERSION}
        raise HTTPException(412, f"This server speaks tus {VERSION}: send the header Tus-Resumable.", headers)


def state(upload: Upload, offset: int) -> dict[str, str]:
    """Headers that describe an upload."""
    headers = {
        "Tus-Resumable": VERSION,
        "Upload-Offset": str(offset),
        "Upload-Expires": formatdate(upload.expires, usegmt=True),
        "Cache-Control": "no-store",
    }
    if upload.document is not None:
        headers["Orderly-Document-Id"] = upload.document["id"]
        headers["Orderly-Duplicate"] = "true" if upload.document["duplicate"] else "false"
    return headers


def number(request: Request, name: str) -> int | None:
    """Parses a header with a non-negative integer; None if missing. Raises 400 for other values."""
    value = request.headers.get(name)
    if value is None:
        return None
    if not (value.isascii() and value.isdecimal() and len(value) < 19):
        raise HTTPException(400, f"{name} is a whole number of bytes.")
    return int(value)


def metadata(request: Request) -> Mapping[str, str]:
    """Parses Upload-Metadata: comma-separated pairs of a key and a base64 value. Raises 400."""
    header = request.headers.get("upload-metadata", "")
    found: dict[str, str] = {}
    if len(header) > MAX_METADATA_LENGTH:
        raise HTTPException(400, "Upload-Metadata is too long.")
    for pair in filter(None, (part.strip() for part in header.split(","))):
        key, _, value = pair.partition(" ")
        try:
            found[key] = base64.b64decode(value.strip(), validate=True).decode("utf-8")
        except (binascii.Error, UnicodeDecodeError) as error:
            raise HTTPException(400, "Values in Upload-Metadata are UTF-8 in base64.") from error
    return found


class Checksum:
    """Verifies the body of a request against its Upload-Checksum header, if there is one."""

    def __init__(self, request: Request) -> None:
        """Raises 400 for an unsupported algorithm or a malformed checksum."""
        header = request.headers.get("upload-checksum")
        self.wanted, self._digest = None, None
        if header is None:
            return
        algorithm, _, value = header.partition(" ")
        if algorithm not in ALGORITHMS:
            raise HTTPException(400, f"Checksums are {', '.join(ALGORITHMS)}.")
        self._digest = hashlib.new(algorithm, usedforsecurity=False)
        try:
            self.wanted = base64.b64decode(value, validate=True)
        except binascii.Error as error:
            raise HTTPException(400, "A checksum is given in base64.") from error

    def add(self, block: bytes) -> None:
        if self._digest is not None:
            self._digest.update(block)

    @property
    def matches(self) -> bool:
        return self._digest is None or self._digest.digest() == self.wanted


async def blocks(request: Request, give_way: asyncio.Event, smallest: int) -> AsyncIterator[bytes]:
    """Yields the body in blocks of at least `smallest` bytes; the last block may be shorter.

    If the client disconnects or `give_way` is set, yields the bytes received so far, then raises BrokenOff.
    """
    stream, buffer = aiter(request.stream()), bytearray()
    stopping = asyncio.create_task(give_way.wait())
    try:
        while True:
            arriving = asyncio.ensure_future(_next(stream))
            await asyncio.wait({arriving, stopping}, return_when=asyncio.FIRST_COMPLETED)
            broken = not arriving.done()
            if broken:
                arriving.cancel()
                await asyncio.gather(arriving, return_exceptions=True)
                block = None
            else:
                block, broken = arriving.result()
            buffer += block or b""
            if buffer and (block is None or len(buffer) >= smallest):
                yield bytes(buffer)
                buffer.clear()
            if broken:
                raise BrokenOff
            if block is None:
                return
    finally:
        stopping.cancel()


class BrokenOff(Exception):
    """The body ended before its announced end."""


async def _next(stream: AsyncIterator[bytes]) -> tuple[bytes | None, bool]:
    """The next block (None at the end), and whether the client disconnected."""
    try:
        return await anext(stream), False
    except StopAsyncIteration:
        return None, False
    except ClientDisconnect:
        return None, True
