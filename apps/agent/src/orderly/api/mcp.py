"""MCP over streamable HTTP, stateless. Authenticates the caller before the MCP library handles the request."""

from __future__ import annotations

import asyncio

from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.requests import Request
from starlette.types import Message, Receive, Scope, Send

from orderly.api.callers import caller
from orderly.api.errors import problem, status_of
from orderly.errors import OrderlyError
from orderly.mcp.server import Context, mcp_server
from orderly.models import Caller
from orderly.wiring.services import current_services

_CALLER, _GONE = "orderly.caller", "orderly.gone"


async def _caller_of_request(context: Context) -> Caller:
    assert context.request is not None  # every HTTP transport has a request
    found: Caller = context.request.scope[_CALLER]
    return found


def _gone(context: Context) -> asyncio.Event:
    assert context.request is not None
    found: asyncio.Event = context.request.scope[_GONE]
    return found


class McpEndpoint:
    """ASGI application. Enter `manager.run()` before the first request."""

    def __init__(self) -> None:
        # Stateless, so that any node can answer a request and a revoked token ends access immediately.
        self.manager = StreamableHTTPSessionManager(mcp_server(_caller_of_request, _gone), stateless=True, json_response=True)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            scope[_CALLER] = await caller(Request(scope, receive), await current_services())
        except OrderlyError as error:
            status, title = status_of(error)
            await problem(status, title, error.message, {"WWW-Authenticate": "Bearer"})(scope, receive, send)
            return
        body = await Request(scope, receive).body()
        scope[_GONE] = gone = asyncio.Event()
        watching = asyncio.create_task(_watch(receive, gone))
        try:
            await self.manager.handle_request(scope, _replay(body, gone), send)
        finally:
            watching.cancel()


async def _watch(receive: Receive, gone: asyncio.Event) -> None:
    """Sets `gone` when the client closes the connection."""
    while (await receive())["type"] != "http.disconnect":
        pass
    gone.set()


def _replay(body: bytes, gone: asyncio.Event) -> Receive:
    messages: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive() -> Message:
        if messages:
            return messages.pop()
        await gone.wait()
        return {"type": "http.disconnect"}

    return receive
