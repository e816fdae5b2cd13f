"""Streams the file of a multipart/form-data request to a spool."""

from __future__ import annotations

import asyncio

from fastapi import Request
from python_multipart.exceptions import FormParserError
from python_multipart.multipart import MultipartParser, parse_options_header
from starlette.requests import ClientDisconnect

from orderly.errors import Invalid
from orderly.services.files import BLOCK_BYTES, MEGABYTE, Spool, too_large_error

FIELD = "file"
FRAME_BYTES = 64 * 1024
"""Upper bound for the boundaries and headers around a file."""

BROKEN_OFF = "The upload broke off before its end. Nothing of it was kept."


async def receive_file(request: Request, spool: Spool) -> None:
    """Writes the form's part "file" to the spool and sets the file's name. Ignores other parts.

    Raises:
        TooLarge: the file exceeds the limit; the rest of the body is not read.
        Invalid: malformed form, no file, several files, or an incomplete body.
    """
    length = request.headers.get("content-length", "")
    if length.isdecimal() and int(length) > spool.limit_mb * MEGABYTE + FRAME_BYTES:
        raise too_large_error(spool.name, spool.limit_mb)
    form = _FormReader(_boundary(request), spool)
    try:
        async for block in request.stream():
            form.feed(block)
            if form.buffered >= BLOCK_BYTES:
                await asyncio.to_thread(form.flush)
        form.parser.finalize()
    except FormParserError as error:
        raise Invalid("The request is not well-formed multipart/form-data.") from error
    except ClientDisconnect as error:
        raise Invalid(BROKEN_OFF) from error
    if form.files != 1:
        raise Invalid(f'Send one file, in a form field called "{FIELD}".')
    if not form.complete:
        raise Invalid(BROKEN_OFF)
    await asyncio.to_thread(form.flush)
    await asyncio.to_thread(spool.finish)


def _boundary(request: Request) -> bytes:
    kind, options = parse_options_header(request.headers.get("content-type", ""))
    boundary = options.get(b"boundary")
    if kind != b"multipart/form-data" or not boundary:
        raise Invalid(f'Send the file as multipart/form-data, in a field called "{FIELD}".')
    return boundary


class _FormReader:
    """State of the parser: counts files, and buffers the bytes of the first file."""

    def __init__(self, boundary: bytes, spool: Spool) -> None:
        self.files = 0
        self.complete = False
        self.buffered = 0
        """Bytes received and not written yet."""
        self._spool = spool
        self._blocks: list[bytes] = []
        self._in_file = False
        self._header: tuple[bytes, bytes] = (b"", b"")
        self._disposition = b""
        self.parser = MultipartParser(
            boundary,
            {
                "on_part_begin": self._begin,
                "on_header_field": self._header_field,
                "on_header_value": self._header_value,
                "on_header_end": self._header_end,
                "on_headers_finished": self._headers_finished,
                "on_part_data": self._data,
                "on_end": self._end,
            },
        )

    def feed(self, block: bytes) -> None:
        self.parser.write(block)

    def flush(self) -> None:
        """Writes the buffered bytes to the spool. Blocking. Raises TooLarge, StorageFailed."""
        blocks, self._blocks, self.buffered = self._blocks, [], 0
        self._spool.write(b"".join(blocks))

    def _begin(self) -> None:
        self._disposition, self._in_file = b"", False

    def _header_field(self, data: bytes, start: int, end: int) -> None:
        self._header = (self._header[0] + data[start:end], b"")

    def _header_value(self, data: bytes, start: int, end: int) -> None:
        self._header = (self._header[0], self._header[1] + data[start:end])

    def _header_end(self) -> None:
        name, value = self._header
        if name.lower() == b"content-disposition":
            self._disposition = value
        self._header = (b"", b"")

    def _headers_finished(self) -> None:
        _, options = parse_options_header(self._disposition)
        self._in_file = options.get(b"name") == FIELD.encode() and b"filename" in options
        if self._in_file:
            self.files += 1
            self._spool.name = file_name(options[b"filename"].decode("utf-8", "replace"))

    def _data(self, data: bytes, start: int, end: int) -> None:
        if self._in_file and self.files == 1:
            self._blocks.append(data[start:end])
            self.buffered += end - start

    def _end(self) -> None:
        self.complete = True


def file_name(sent: str) -> str:
    """Removes the folders that some clients send with the name. Raises Invalid for an empty name."""
    name = sent.replace("\\", "/").rpartition("/")[2].strip()
    if not name:
        raise Invalid("The file needs a name.")
    return name
