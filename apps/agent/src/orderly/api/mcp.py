"""MCP over streamable HTTP, stateless. Authenticates the caller before the MCP library handles the request."""

from __future__ import annotations

from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.requests import Request
from starlette.types import Receive, Scope, Send

from orderly.api.callers import caller
from orderly.api.errors import problem, status_of
from orderly.errors import OrderlyError
from orderly.mcp.server import Context, mcp_server
from orderly.models import Caller
from orderly.wiring.services import current_services

_CALLER = "orderly.caller"


async def _caller_of_request(context: Context) -> Caller:
    assert context.request is not None  # every HTTP transport has a request
    found: Caller = context.request.scope[_CALLER]
    return found


class McpEndpoint:
    """ASGI application. Enter `manager.run()` before the first request."""

    def __init__(self) -> None:
        # Stateless, so that any node can answer a request and a revoked token ends access immediately.
        self.manager = StreamableHTTPSessionManager(mcp_server(_caller_of_request), stateless=True, json_response=True)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            scope[_CALLER] = await caller(Request(scope, receive), await current_services())
        except OrderlyError as error:
            status, title = status_of(error)
            await problem(status, title, error.message, {"WWW-Authenticate": "Bearer"})(scope, receive, send)
            return
        await self.manager.handle_request(scope, receive, send)
