"""Bodies of replies, however they are divided on their way."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any

import pytest

from orderly.agent.replies.bodies import END, read_events

ONE, TWO = {"choices": [{"delta": {"content": "“é”"}}]}, {"choices": []}
WRITTEN = ('{"choices": [{"delta": {"content": "“é”"}}]}', '{"choices": []}')


async def read(body: bytes, size: int) -> list[dict[str, Any]]:
    async def pieces() -> AsyncIterator[bytes]:
        for start in range(0, len(body), size):
            yield body[start : start + size]

    return [event async for event in read_events(pieces())]


@pytest.mark.parametrize("size", [1, 3, 1000])
@pytest.mark.parametrize(
    ("body", "events"),
    [
        ("data: {0}\n\ndata: {1}\n\ndata: [DONE]\n\n", [ONE, TWO, END]),
        ("data:{0}\r\n\r\ndata:{1}\r\n\r\ndata:[DONE]\r\n\r\ndata: {0}\r\n\r\n", [ONE, TWO, END]),
        ("\ufeff: hello\nid: 1\nevent: message\nretry: 3\ndata: {0}\n\ndata: null\n\ndata: {1}", [ONE, TWO]),
        ("data: {0}\ndata: {1}\ndata: [DONE]", [ONE, TWO, END]),
        ('data: {{"choices":\ndata: []}}\n\n', [TWO]),
        ('{{\n  "choices": [\n  ]\n}}', [TWO]),
        ("{0}\n{1}\n", [ONE, TWO]),
        ("", []),
    ],
)
async def test_a_body_is_read_however_it_is_written_and_divided(body: str, events: list[Any], size: int) -> None:
    assert await read(body.format(*WRITTEN).encode(), size) == events


@pytest.mark.parametrize("body", ["<html>Sign in</html>", "data: {not json\n\n", '{"choices": [', 'data: {"choices": [\n\n'])
async def test_a_body_that_is_neither_a_stream_nor_json_is_no_reply(body: str) -> None:
    with pytest.raises(json.JSONDecodeError):
        await read(body.encode(), 1000)
