"""The words of the tus protocol, version 1.0.0 (https://tus.io/protocols/resumable-upload): headers in and out."""

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
"""Status for a body that is not what its checksum says."""

LONGEST_METADATA = 8_000
"""Characters."""


def abilities(limit_mb: int) -> dict[str, str]:
    """What OPTIONS answers."""
    return {
        "Tus-Resumable": VERSION,
        "Tus-Version": VERSION,
        "Tus-Extension": EXTENSIONS,
        "Tus-Max-Size": str(limit_mb * MEGABYTE),
        "Tus-Checksum-Algorithm": ",".join(ALGORITHMS),
    }


def spoken(request: Request) -> None:
    """Raises 412 for another version of the protocol."""
    if request.headers.get("tus-resumable") != VERSION:
        headers = {"Tus-Version": VERSION}
        raise HTTPException(412, f"This server speaks tus {VERSION}: send the header Tus-Resumable.", headers)


def state(upload: Upload, offset: int) -> dict[str, str]:
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
    """A header that is a whole number; None without it. Raises 400 for anything else."""
    value = request.headers.get(name)
    if value is None:
        return None
    if not (value.isascii() and value.isdecimal() and len(value) < 19):
        raise HTTPException(400, f"{name} is a whole number of bytes.")
    return int(value)


def metadata(request: Request) -> Mapping[str, str]:
    """Upload-Metadata: pairs of a key and a value in base64, separated by commas. Raises 400."""
    header = request.headers.get("upload-metadata", "")
    found: dict[str, str] = {}
    if len(header) > LONGEST_METADATA:
        raise HTTPException(400, "Upload-Metadata is too long.")
    for pair in filter(None, (part.strip() for part in header.split(","))):
        key, _, value = pair.partition(" ")
        try:
            found[key] = base64.b64decode(value.strip(), validate=True).decode("utf-8")
        except (binascii.Error, UnicodeDecodeError) as error:
            raise HTTPException(400, "Values in Upload-Metadata are UTF-8 in base64.") from error
    return found


class Checksum:
    """Of the body of one request, where the client sent one."""

    def __init__(self, request: Request) -> None:
        """Raises 400 for an algorithm that is not supported, or a checksum that is none."""
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
    def right(self) -> bool:
        return self._digest is None or self._digest.digest() == self.wanted


async def blocks(request: Request, give_way: asyncio.Event, smallest: int) -> AsyncIterator[bytes]:
    """The body in pieces of at least `smallest` bytes, but for the last.

    Where it breaks off, or is to give way, what has come until then is given, then BrokenOff is raised.
    """
    stream, waiting = aiter(request.stream()), bytearray()
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
            waiting += block or b""
            if waiting and (block is None or len(waiting) >= smallest):
                yield bytes(waiting)
                waiting.clear()
            if broken:
                raise BrokenOff
            if block is None:
                return
    finally:
        stopping.cancel()


class BrokenOff(Exception):
    """The rest of the body never came."""


async def _next(stream: AsyncIterator[bytes]) -> tuple[bytes | None, bool]:
    """The next block, None at the end; and whether the client is gone."""
    try:
        return await anext(stream), False
    except StopAsyncIteration:
        return None, False
    except ClientDisconnect:
        return None, True
