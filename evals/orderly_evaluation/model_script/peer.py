"""An OpenAI-compatible chat endpoint on loopback that answers by a script, and misbehaves as real endpoints do."""

from __future__ import annotations

import asyncio
import json
import re
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from orderly.prompts import prompt

_USAGE = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}


@dataclass(frozen=True)
class Failure:
    """A reply with an HTTP error."""

    status: int
    message: str = "The scripted endpoint failed."
    code: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    body: str | None = None
    """Replaces OpenAI's error object, such as the page of a proxy."""


@dataclass(frozen=True)
class Stream:
    """A stream of deltas as they are sent; a number is a pause in seconds, a string a line of the event stream."""

    deltas: Sequence[dict[str, Any] | float | str]
    finish: str | None = "stop"
    """Finish reason; None: the stream ends without one."""
    usage: dict[str, int] | None = field(default_factory=lambda: dict(_USAGE))
    done: bool = True
    """Whether the stream ends with [DONE]."""
    breaks: bool = False
    """Whether the connection breaks instead of ending."""
    model: str = "scripted"
    seconds_before: float = 0
    """Pause before the first byte."""
    after: threading.Event | None = None
    """Nothing is sent before this event."""


@dataclass(frozen=True)
class Body:
    """A reply with status 200 whose bytes are changed before they are sent; `change` None: one JSON object, not a stream."""

    reply: str | Sequence[tuple[str, dict[str, Any]]]
    change: Callable[[bytes], bytes] | None = None
    headers: Mapping[str, str] = field(default_factory=dict)


Reply = str | Sequence[tuple[str, dict[str, Any]]] | Failure | Stream | Body
"""A text, tool calls as (name, arguments), or a misbehaviour."""

Script = Callable[[dict[str, Any]], Reply]
"""Maps a request's JSON to the reply."""


@dataclass
class ScriptedModel:
    script: Script
    base_url: str = ""
    key: str = "sk-scripted"
    requests: list[dict[str, Any]] = field(default_factory=list)
    reads: Script | None = None
    """Replies to second readings of answers; None: finds all sentences supported."""
    readings: list[dict[str, Any]] = field(default_factory=list)
    """Requests of second readings."""


def tool_names(request: dict[str, Any]) -> set[str]:
    return {tool["function"]["name"] for tool in request.get("tools", [])}


FENCE = re.compile(r"\[data (?P<code>[0-9a-z]+)\]\n(?P<text>.*?)\n\[end of data (?P=code)\]", re.DOTALL)


def raw_texts(request: dict[str, Any], role: str) -> list[str]:
    return [_text(m["content"]) for m in request["messages"] if m["role"] == role]


def texts(request: dict[str, Any], role: str) -> list[str]:
    """Returns the texts of all messages of a role, without the fences around tool outputs."""
    return [FENCE.sub(lambda m: m["text"], text) for text in raw_texts(request, role)]


def _text(content: Any) -> str:
    return content if isinstance(content, str) else "".join(part.get("text", "") for part in content or [])


@contextmanager
def serve(script: Script, *, reads: Script | None = None) -> Iterator[ScriptedModel]:
    """Serves the script on a free port of the loopback address, whatever the request's key.

    `reads`: replies to second readings of answers; None: finds all sentences supported.
    """
    model = ScriptedModel(script, reads=reads)
    with _served(lambda _key: model) as model.base_url:
        yield model


@contextmanager
def serve_many() -> Iterator[Callable[[Script], ScriptedModel]]:
    """Serves several scripts at one address. The function it yields adds a script; the key of its model selects it."""
    models: dict[str, ScriptedModel] = {}

    def add(script: Script) -> ScriptedModel:
        model = ScriptedModel(script, base_url, f"sk-scripted-{len(models)}")
        models[model.key] = model
        return model

    with _served(models.__getitem__) as base_url:
        yield add


@contextmanager
def _served(model_of: Callable[[str], ScriptedModel]) -> Iterator[str]:
    """Yields the base URL of an endpoint whose model is chosen by the request's key."""

    async def completions(request: Request) -> Response:
        body = await request.json()
        model = model_of(request.headers["authorization"].removeprefix("Bearer "))
        is_reading = _is_second_reading(body)
        (model.readings if is_reading else model.requests).append(body)
        if is_reading and model.reads is None:
            return JSONResponse(_ALL_SUPPORTED, headers=_LAST)
        reply = model.reads(body) if is_reading and model.reads is not None else model.script(body)
        if isinstance(reply, Failure):
            return _failed(reply)
        if isinstance(reply, Stream):
            return StreamingResponse(_stream_events(reply), headers=_LAST, media_type="text/event-stream")
        message = _message(reply.reply if isinstance(reply, Body) else reply, len(model.requests))
        if isinstance(reply, Body) and reply.change is not None:
            sent = reply.change("".join(_events(message)).encode())
            return Response(sent, headers={**_LAST, **reply.headers}, media_type="text/event-stream")
        if body.get("stream") and not isinstance(reply, Body):
            return StreamingResponse(_events(message), headers=_LAST, media_type="text/event-stream")
        choice = {"index": 0, "message": message, "finish_reason": _finish(message)}
        whole = {**_envelope("chat.completion"), "choices": [choice], "usage": _USAGE}
        return JSONResponse(whole, headers={**_LAST, **(reply.headers if isinstance(reply, Body) else {})})

    # The path is unique: langchain-openai caches clients by URL, and another event loop may reuse a port.
    base = f"/{uuid4().hex}/v1"
    app = Starlette(routes=[Route(f"{base}/chat/completions", completions, methods=["POST"])])
    config = uvicorn.Config(app, host="127.0.0.1", port=0, log_level="critical", ws="none", timeout_graceful_shutdown=1)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    try:
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}{base}"
    finally:
        server.should_exit = True
        thread.join(timeout=10)


_LAST = {"connection": "close"}
"""Closes each connection: langchain-openai drops cached clients after 128 URLs, and an open one would raise ResourceWarning."""


def _is_second_reading(request: dict[str, Any]) -> bool:
    """Whether a request asks, in one prompt, which sentences of an answer their quotations do not support."""
    asked = [_text(message["content"]) for message in request["messages"]]
    return len(asked) == 1 and asked[0].startswith(prompt("second_reading").partition("\n")[0])


def _failed(reply: Failure) -> Response:
    headers = {**_LAST, **reply.headers}
    if reply.body is not None:
        return Response(reply.body, reply.status, headers, "text/html")
    error = {"message": reply.message, "type": "invalid_request_error", "param": None, "code": reply.code}
    return JSONResponse({"error": error}, reply.status, headers)


async def _stream_events(reply: Stream) -> AsyncIterator[str]:
    await asyncio.sleep(reply.seconds_before)
    if reply.after is not None:
        while not reply.after.is_set():  # noqa: ASYNC110  # set by another thread
            await asyncio.sleep(0.02)
    for delta in reply.deltas:
        if isinstance(delta, int | float):
            await asyncio.sleep(delta)
        elif isinstance(delta, str):
            yield f"{delta}\n\n"
        else:
            yield _event([{"index": 0, "delta": delta, "finish_reason": None}], model=reply.model)
    if reply.breaks:
        raise ConnectionAbortedError  # uvicorn closes the connection inside the body
    if reply.finish is not None:
        yield _event([{"index": 0, "delta": {}, "finish_reason": reply.finish}], model=reply.model)
    if reply.usage is not None:
        yield _event([], usage=reply.usage, model=reply.model)
    if reply.done:
        yield "data: [DONE]\n\n"


def _envelope(kind: str) -> dict[str, Any]:
    return {"id": "chatcmpl-scripted", "object": kind, "created": 0, "model": "scripted"}


_ALL_SUPPORTED = {
    **_envelope("chat.completion"),
    "choices": [{"index": 0, "message": {"role": "assistant", "content": '{"unsupported": []}'}, "finish_reason": "stop"}],
}
"""Without usage, so that it counts nowhere."""


def _message(reply: str | Sequence[tuple[str, dict[str, Any]]], turn: int) -> dict[str, Any]:
    if isinstance(reply, str):
        return {"role": "assistant", "content": reply}
    calls = [
        {"id": f"call_{turn}_{n}", "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}
        for n, (name, arguments) in enumerate(reply)
    ]
    return {"role": "assistant", "content": None, "tool_calls": calls}


def _finish(message: dict[str, Any]) -> str:
    return "tool_calls" if message.get("tool_calls") else "stop"


def _events(message: dict[str, Any]) -> Iterator[str]:
    if message.get("tool_calls"):
        deltas: list[dict[str, Any]] = [{"tool_calls": [{"index": n, **c} for n, c in enumerate(message["tool_calls"])]}]
    else:
        words = message["content"].split(" ")
        deltas = [{"content": word if n == 0 else f" {word}"} for n, word in enumerate(words)]
    for delta in ({"role": "assistant", "content": ""}, *deltas):
        yield _event([{"index": 0, "delta": delta, "finish_reason": None}])
    yield _event([{"index": 0, "delta": {}, "finish_reason": _finish(message)}])
    yield _event([], usage=_USAGE)
    yield "data: [DONE]\n\n"


def _event(choices: list[dict[str, Any]], **more: Any) -> str:
    return f"data: {json.dumps({**_envelope('chat.completion.chunk'), 'choices': choices, **more})}\n\n"
