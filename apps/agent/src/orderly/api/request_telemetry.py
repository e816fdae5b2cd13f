"""Middleware: request ids, metrics and traces of requests, and redaction of link tokens from access logs."""

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
"""Metric label of unmatched paths and methods: a client must not be able to create labels."""
_FILE_TOKEN = re.compile(r"(/files/)[^/?]+")


class RequestTelemetry:
    """Outermost middleware of the application."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        sent_id = dict(scope["headers"]).get(b"x-request-id", b"")
        id = sent_id.decode() if _ID.fullmatch(sent_id) else uuid4().hex
        status, began, token = 500, time.monotonic(), request_id.set(id)

        async def send_with_id(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                _redact_path(scope)
                message["headers"] = [*message.get("headers", ()), (b"x-request-id", id.encode())]
            await send(message)

        try:
            with span(f"{scope['method']} request", request_id=id):
                await self._app(scope, receive, send_with_id)
        finally:
            request_id.reset(token)
            route = _route(scope)
            REQUESTS.labels(_method(scope), route, str(status)).inc()
            REQUEST_SECONDS.labels(route).observe(time.monotonic() - began)


def _method(scope: Scope) -> str:
    return scope["method"] if scope["method"] in ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS") else UNKNOWN


def _route(scope: Scope) -> str:
    return getattr(scope.get("route"), "path", UNKNOWN) or UNKNOWN


def _redact_path(scope: Scope) -> None:
    """Removes a link's token from the scope, from which servers write their access log: the token opens the file."""
    if _FILE_TOKEN.match(scope["path"]):
        scope["path"] = _FILE_TOKEN.sub(r"\1-", scope["path"])
        scope["path_params"] = {}
