"""Middleware that limits the request rate and the request size, and refuses WebSockets.

LangGraph servers apply the application's middleware to their own routes too.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Mapping
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from orderly.api.errors import error_response
from orderly.errors import OrderlyError
from orderly.sign_in.bearer import header_token
from orderly.sign_in.cookies import COOKIE, cookie_token
from orderly.wiring.services import Services, current_services

UNLIMITED = frozenset({"/ok", "/health", "/ready"})
"""Paths of health checks."""

METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
"""Methods of all routes together."""

SIGN_IN = "/api/session"

UPLOADS = re.compile(r"/api/matters/[^/]+/documents|/chat/api/[^/]+/documents|/api/uploads(?:/[^/]*)?|/v1/files")
"""Paths without a size limit here: the upload code enforces the file size limit."""


REFUSAL_SECONDS = 1.0
"""Wait before a refusal, so that clients that try again at once do not keep the server busy with refusals."""

SLOT_SECONDS = 0.5
"""Longest time for which a request occupies a slot of its user. Longer work has slots of its own."""


class TrafficLimits:
    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":
            # Frames would pass every limit here. Servers offer the same events and commands over plain requests.
            await send({"type": "websocket.close", "code": 1008})
            return
        if scope["type"] == "http" and scope["method"] not in METHODS:
            detail = f"No address of this server takes {scope['method'][:20]}."
            refused = error_response(Request(scope), 405, "Method not allowed", detail, {"Allow": ", ".join(METHODS)})
            await refused(scope, receive, send)
            return
        if scope["type"] != "http" or scope["path"] in UNLIMITED:
            await self._app(scope, receive, send)
            return
        try:
            services = await current_services()
        except OrderlyError:  # the route that needs the services reports this error
            await self._app(scope, receive, send)
            return
        headers = {k.decode("latin-1").lower(): v.decode("latin-1") for k, v in scope["headers"]}
        if seconds := _retry_after(services, scope, headers):
            detail = f"Too many requests. Try again in {seconds} second{'' if seconds == 1 else 's'}."
            refused = error_response(Request(scope), 429, "Too many requests", detail, {"Retry-After": str(seconds)})
            await asyncio.sleep(REFUSAL_SECONDS)
            await refused(scope, receive, send)
            return
        who = _who(services, scope, headers)
        with services.open_requests.slot(who) as available:
            if not available:
                detail = (
                    f"You have {services.settings.open_requests} requests open, the most that one user may. Close some streams."
                )
                await asyncio.sleep(REFUSAL_SECONDS)
                await error_response(Request(scope), 429, "Too many at a time", detail, {"Retry-After": "2"})(
                    scope, receive, send
                )
                return
            async with services.requests.slot(who) as free_slot:
                # Answers that are streamed, and requests that wait for something, leave the slot to the user's next request.
                timer = asyncio.get_running_loop().call_later(SLOT_SECONDS, free_slot)
                try:
                    await self._pass_on(services, scope, headers, receive, _ending(send, free_slot))
                finally:
                    timer.cancel()

    async def _pass_on(
        self, services: Services, scope: Scope, headers: Mapping[str, str], receive: Receive, send: Send
    ) -> None:
        limit = services.settings.max_request_kb * 1024
        if UPLOADS.fullmatch(scope["path"]):
            await self._app(scope, receive, send)
        elif _content_length(headers) > limit:
            await error_response(Request(scope), 413, "Request too large", _too_large(limit))(scope, receive, send)
        else:
            await self._app(scope, _limit_body(receive, limit), send)


def _ending(send: Send, free_slot: Callable[[], None]) -> Send:
    """Frees the slot when the answer begins."""

    async def send_ending(message: Message) -> None:
        if message["type"] == "http.response.start":
            free_slot()
        await send(message)

    return send_ending


def _retry_after(services: Services, scope: Mapping[str, Any], headers: Mapping[str, str]) -> int:
    """Seconds until the next request is allowed; 0: now."""
    if scope["method"] == "POST" and (scope["path"] == SIGN_IN or scope["path"].startswith(f"{SIGN_IN}/")):
        return services.sign_in_limiter.wait(f"sign-in {_address(scope)}")
    return services.limiter.wait(_who(services, scope, headers))


def _who(services: Services, scope: Mapping[str, Any], headers: Mapping[str, str]) -> str:
    """The user of a request. A client can invent any number of tokens, so one that never authenticated counts by address."""
    return services.known_tokens.user(_token(headers)) or f"address {_address(scope)}"


def _address(scope: Mapping[str, Any]) -> str:
    return str((scope.get("client") or ("", 0))[0])


def _token(headers: Mapping[str, str]) -> str:
    return header_token(headers) or (cookie_token(headers) if COOKIE in headers.get("cookie", "") else "")


def _content_length(headers: Mapping[str, str]) -> int:
    length = headers.get("content-length", "")
    return int(length) if length.isascii() and length.isdecimal() and len(length) < 20 else 0


def _limit_body(receive: Receive, limit: int) -> Receive:
    """Enforces the limit on chunked bodies, which have no Content-Length."""
    received = 0

    async def receive_limited() -> Message:
        nonlocal received
        message = await receive()
        received += len(message.get("body", b""))
        if received > limit:
            raise HTTPException(413, _too_large(limit))
        return message

    return receive_limited


def _too_large(limit: int) -> str:
    return f"A request may have at most {limit // 1024} KiB. Files are uploaded at their own address."
