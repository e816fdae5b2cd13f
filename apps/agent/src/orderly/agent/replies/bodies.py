"""Reads the body of a reply: an event stream as endpoints write it, or one JSON object where it does not stream."""

from __future__ import annotations

import asyncio
import codecs
import json
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Any

import httpx2

ENDED = "done"
"""Finish reason of a reply that is whole and names none."""

END: dict[str, Any] = {"choices": [{"index": 0, "delta": {}, "finish_reason": ENDED}]}
"""Stands for `[DONE]`."""

_NO_DATA = (":", "event:", "id:", "retry:")
_REST_SECONDS = 1.0
"""How long the rest of a body is awaited after `[DONE]`, so that its connection can be used again."""


async def read_events(body: AsyncIterator[bytes]) -> AsyncIterator[dict[str, Any]]:
    """Yields the JSON objects of a body; at its `[DONE]`, `END`.

    Needs no space after `data:`, and no empty line between events or after the last one.

    Raises:
        ValueError: The body is neither an event stream nor JSON.
    """
    pending = ""
    async for line in _lines(body):
        if line.startswith(_NO_DATA):
            continue
        data = line.removeprefix("data:").strip()
        if data == "[DONE]":
            yield END
            break
        pending += data
        if not pending or (line and not pending.endswith(("}", "]"))):
            continue
        try:
            event = json.loads(pending)
        except ValueError:
            if line:
                continue
            raise
        pending = ""
        if isinstance(event, dict):
            yield event
    else:
        if pending:
            json.loads(pending)
    with suppress(TimeoutError, httpx2.HTTPError):
        async with asyncio.timeout(_REST_SECONDS):
            async for _ in body:
                pass


async def _lines(body: AsyncIterator[bytes]) -> AsyncIterator[str]:
    decode = codecs.getincrementaldecoder("utf-8-sig")("replace").decode
    rest = ""
    async for piece in body:
        *lines, rest = (rest + decode(piece)).split("\n")
        for line in lines:
            yield line.rstrip("\r")
    if rest:
        yield rest
