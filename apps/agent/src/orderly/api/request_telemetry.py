"""Every request has an id, is counted and traced, and leaves no link's secret in the server's log."""

from __future__ import annotations

import re
import time
from uuid import uuid4

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from orderly.telemetry.logs import request_id
from orderly.telemetry.metrics import REQUEST_SECONDS, REQUESTS
from orderly.telemetry.spans import span

_ID = re.compile(rb"[A-Za-z0-9._-]{8,64}")
UNKNOWN = "other"
"""Route of what no route of this application answered: paths that clients make up must not become labels."""
_SECRET = re.compile(r"(/files/)[^/?]+")


class Observing:
    """Stands outermost in the application."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        given = dict(scope["headers"]).get(b"x-request-id", b"")
        own = given.decode() if _ID.fullmatch(given) else uuid4().hex
        status, began, token = 500, time.monotonic(), request_id.set(own)

        async def answered(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                _hide_secrets(scope)
                message["headers"] = [*message.get("headers", ()), (b"x-request-id", own.encode())]
            await send(message)

        try:
            with span(f"{scope['method']} request", request_id=own):
                await self._app(scope, receive, answered)
        finally:
            request_id.reset(token)
            route = _route(scope)
            REQUESTS.labels(_method(scope), route, str(status)).inc()
            REQUEST_SECONDS.labels(route).observe(time.monotonic() - began)


def _method(scope: Scope) -> str:
    return scope["method"] if scope["method"] in ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS") else UNKNOWN


def _route(scope: Scope) -> str:
    return getattr(scope.get("route"), "path", UNKNOWN) or UNKNOWN


def _hide_secrets(scope: Scope) -> None:
    """Servers log the path of a complete answer from this very scope, and whoever holds a link's secret can open the file."""
    if _SECRET.match(scope["path"]):
        scope["path"] = _SECRET.sub(r"\1-", scope["path"])
        scope["path_params"] = {}
