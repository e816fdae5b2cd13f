"""Cross-origin requests: pages of listed origins may use the server from a browser (CORS), other pages may not.

LangGraph servers have a CORS middleware of their own, which allows every origin by default. This one is outside of it and
replaces its headers.
"""

from __future__ import annotations

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from orderly.api.errors import error_response
from orderly.errors import OrderlyError
from orderly.settings import Settings
from orderly.sign_in.cookies import COOKIE, REFRESH_COOKIE, is_foreign
from orderly.wiring.services import current_services

EXPOSED = ", ".join(
    (
        "Content-Location", "Location", "X-Pagination-Total", "X-Pagination-Next", "X-Total-Count", "Link", "Retry-After",
        "Upload-Offset", "Upload-Length", "Tus-Resumable", "Orderly-Document-Id", "Orderly-Duplicate", "ETag",
    )
)  # fmt: skip
"""Response headers that a listed page may read."""

PREFLIGHT_SECONDS = "600"

FOREIGN_COOKIE = "This request came from another site's page and was refused."
NOT_LISTED = "This origin is not listed in ORDERLY_ORIGINS."

_PREFIX = "access-control-"


class Origins:
    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or (origin := Headers(scope=scope).get("origin")) is None:
            await self._app(scope, receive, _with_origin(send, None) if scope["type"] == "http" else send)
            return
        try:
            settings = (await current_services()).settings
        except OrderlyError:  # the route that needs the services reports this error
            await self._app(scope, receive, _with_origin(send, None))
            return
        request = Request(scope)
        listed = origin in settings.listed_origins
        if request.method == "OPTIONS" and "access-control-request-method" in request.headers:
            await _preflight(request, origin if listed else None)(scope, receive, send)
        elif _bears_foreign_cookie(request, settings):
            await error_response(request, 403, "Not allowed", FOREIGN_COOKIE)(scope, receive, send)
        else:
            await self._app(scope, receive, _with_origin(send, origin if listed else None))


def _bears_foreign_cookie(request: Request, settings: Settings) -> bool:
    if not (COOKIE in request.cookies or REFRESH_COOKIE in request.cookies):
        return False
    return is_foreign(request.headers, settings.public_url)


def _preflight(request: Request, origin: str | None) -> Response:
    """Answers a preflight. `origin`: the listed origin; None: refused."""
    if origin is None:
        return Response(NOT_LISTED, 403, headers={"Vary": "Origin"}, media_type="text/plain")
    asked = request.headers
    headers = {
        "Access-Control-Allow-Origin": origin,
        "Access-Control-Allow-Methods": "GET, HEAD, POST, PUT, PATCH, DELETE",
        "Access-Control-Allow-Headers": asked.get("access-control-request-headers", "Authorization, Content-Type, X-Api-Key"),
        "Access-Control-Max-Age": PREFLIGHT_SECONDS,
        "Vary": "Origin",
    }
    if "access-control-request-private-network" in asked:
        headers["Access-Control-Allow-Private-Network"] = "true"
    return Response(status_code=204, headers=headers)


def _with_origin(send: Send, origin: str | None) -> Send:
    """Replaces the CORS headers of a response by those of a listed origin; None: by none."""

    async def send_replaced(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(raw=list(message.get("headers", ())))
            for name in {name for name in headers if name.startswith(_PREFIX)}:
                del headers[name]
            if origin is not None:
                headers["Access-Control-Allow-Origin"] = origin
                headers["Access-Control-Expose-Headers"] = EXPOSED
                headers.add_vary_header("Origin")
            message = {**message, "headers": headers.raw}
        await send(message)

    return send_replaced
