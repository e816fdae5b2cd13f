"""Limits on what comes in, before anything looks at it: requests a minute, and the size of a request.

A middleware of the application, which LangGraph servers put before their own routes too.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from orderly.api.errors import problem, told
from orderly.errors import OrderlyError
from orderly.sign_in.bearer import header_token
from orderly.sign_in.cookies import COOKIE, cookie_token
from orderly.wiring.services import Services, current_services

UNLIMITED = frozenset({"/ok", "/health", "/ready"})
"""For what watches the server."""

SIGN_IN = "/api/session"

UPLOADS = re.compile(r"/api/matters/[^/]+/documents|/chat/api/[^/]+/documents|/api/uploads(?:/[^/]*)?")
"""Files have a limit of their own, in the place that stores them."""


class Traffic:
    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"] in UNLIMITED:
            await self._app(scope, receive, send)
            return
        try:
            services = await current_services()
        except OrderlyError:  # what cannot be opened is told by the route that needs it
            await self._app(scope, receive, send)
            return
        headers = {k.decode("latin-1").lower(): v.decode("latin-1") for k, v in scope["headers"]}
        if seconds := _wait(services, scope, headers):
            detail = f"Too many requests. Try again in {seconds} second{'' if seconds == 1 else 's'}."
            refused = told(Request(scope), 429, "Too many requests", detail, {"Retry-After": str(seconds)})
            await refused(scope, receive, send)
            return
        most = services.settings.max_request_kb * 1024
        if UPLOADS.fullmatch(scope["path"]):
            await self._app(scope, receive, send)
        elif _stated(headers) > most:
            await problem(413, "Request too large", _too_large(most))(scope, receive, send)
        else:
            await self._app(scope, _counted(receive, most), send)


def _wait(services: Services, scope: Mapping[str, Any], headers: Mapping[str, str]) -> int:
    """Seconds to wait; 0: go on."""
    address = (scope.get("client") or ("", 0))[0]
    if scope["method"] == "POST" and (scope["path"] == SIGN_IN or scope["path"].startswith(f"{SIGN_IN}/")):
        return services.sign_in_limiter.wait(f"sign-in {address}")
    # Made-up tokens are as many as one likes: until one has been somebody's, it is the address that counts.
    return services.limiter.wait(services.known_tokens.user(_token(headers)) or f"address {address}")


def _token(headers: Mapping[str, str]) -> str:
    return header_token(headers) or (cookie_token(headers) if COOKIE in headers.get("cookie", "") else "")


def _stated(headers: Mapping[str, str]) -> int:
    length = headers.get("content-length", "")
    return int(length) if length.isascii() and length.isdecimal() and len(length) < 20 else 0


def _counted(receive: Receive, most: int) -> Receive:
    """For bodies that come in pieces and don't say how long they are."""
    seen = 0

    async def counting() -> Message:
        nonlocal seen
        message = await receive()
        seen += len(message.get("body", b""))
        if seen > most:
            raise HTTPException(413, _too_large(most))
        return message

    return counting


def _too_large(most: int) -> str:
    return f"A request may have at most {most // 1024} KiB. Files are uploaded at their own address."
