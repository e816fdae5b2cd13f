from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Any

import pytest
import uvicorn

from orderly.aegra import header_time

Connection = tuple[asyncio.StreamReader, asyncio.StreamWriter]
WHOLE = b"GET / HTTP/1.1\r\nHost: a\r\n\r\n"


async def application(scope: dict[str, Any], receive: Any, send: Any) -> None:
    await asyncio.sleep(0.5)  # longer than the headers may take
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]})
    await send({"type": "http.response.body", "body": b"ok"})


@pytest.fixture
async def connection(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Connection]:
    monkeypatch.setattr(header_time, "HEADER_SECONDS", 0.3)
    config = uvicorn.Config(application, port=0, http=header_time.HeadersInTime, log_config=None, lifespan="off")
    server = uvicorn.Server(config)
    task = asyncio.create_task(server.serve())
    while not server.started:
        await asyncio.sleep(0.01)
    port = server.servers[0].sockets[0].getsockname()[1]
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    yield reader, writer
    writer.close()
    with suppress(OSError):
        await writer.wait_closed()
    server.should_exit = True
    await task


async def closed(reader: asyncio.StreamReader) -> bool:
    return await asyncio.wait_for(reader.read(), 5) == b""


async def test_a_connection_without_headers_in_time_is_closed(connection: Connection) -> None:
    reader, writer = connection
    writer.write(WHOLE[:-2])
    assert await closed(reader)


async def test_long_answers_go_on_and_a_further_request_has_its_own_time(connection: Connection) -> None:
    reader, writer = connection
    for _ in range(2):
        writer.write(WHOLE)
        assert (await asyncio.wait_for(reader.readuntil(b"ok"), 5)).startswith(b"HTTP/1.1 200")
    writer.write(WHOLE[:10])
    assert await closed(reader)
