"""Checks before a node starts that every route of its application rejects unauthenticated requests.

A server that fails to load the sign-in treats every request as one anonymous user.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import httpx
from starlette.routing import Mount, WebSocketRoute

from orderly.errors import Misconfigured

OPEN = frozenset(
    {
        # The page's own files, and the description of the interface.
        *("/", "/app", "/app/{path:path}", "/api/openapi.json"),
        # Sign-in itself.
        *("/api/sign-in", "/api/session/password", "/api/session/link", "/api/session/refresh", "/api/oidc/login"),
        *("/api/oidc/callback", "POST /api/session", "DELETE /api/session"),
        # A signed link is the sign-in.
        "/files/{token}",
        # Health, and figures with a token of their own.
        *("/health", "/ready", "/live", "/info", "/api/metrics"),
        # What the server offers: uploads, and the names of OpenAI's interface that it lacks.
        *("OPTIONS /api/uploads", "/v1/{path:path}"),
    }
)
"""Routes, by path or by method and path, that answer somebody who is not signed in. All others must refuse."""

ESSENTIAL = frozenset({"/threads", "/runs/wait", "/assistants/search", "/api/matters", "/api/mcp", "/v1/responses"})
"""Paths of each part of the application. Where one is missing, so may be its sign-in."""

HEADERS: tuple[dict[str, str], ...] = ({}, {"Authorization": "Bearer ord_nobody"})
UNAUTHORIZED = 401
NO_ID = "00000000-0000-0000-0000-000000000000"

_PARAMETER = re.compile(r"\{[^}]*\}")


async def require_sign_in(app: Any) -> None:
    """Sends requests to the ASGI application in process. Raises Misconfigured unless every closed route answers 401."""
    closed = sorted(set(closed_routes(app.routes)), key=lambda route: (route[0] != "GET", route))
    if missing := ESSENTIAL - {path for _, path in closed}:
        raise Misconfigured(f"The server has no route {min(missing)}. Nothing is served: check aegra.json.")
    with _no_warnings():
        for number, (method, path) in enumerate(closed):
            await _require_refusal(app, method, path, number)


def closed_routes(routes: Iterable[Any], prefix: str = "") -> Iterator[tuple[str, str]]:
    """Method and path of each route that is not open, also of included routers and of mounted applications.

    A mounted application that names no routes is asked at its root. api/traffic.py refuses WebSockets.
    """
    for route in routes:
        if hasattr(route, "effective_candidates"):
            yield from closed_routes([*route.effective_candidates(), *route.effective_low_priority_routes()], prefix)
        elif isinstance(route, Mount) and route.routes:
            yield from closed_routes(route.routes, prefix + route.path)
        elif not isinstance(route, WebSocketRoute) and (path := prefix + route.path) not in OPEN:
            methods = getattr(route, "methods", None) or ("GET", "POST")
            yield from ((method, path) for method in methods if f"{method} {path}" not in OPEN)


async def _require_refusal(app: Any, method: str, path: str, number: int) -> None:
    # An address for each route, so that the limit of requests by address is not reached.
    transport = httpx.ASGITransport(app, raise_app_exceptions=False, client=(f"2001:db8::{number:x}", 0))
    body = None if method in ("GET", "HEAD") else {"assistant_id": "orderly"}
    async with httpx.AsyncClient(transport=transport, base_url="http://node.invalid", trust_env=False) as client:
        for headers in HEADERS:
            answer = await client.request(method, _PARAMETER.sub(NO_ID, path), json=body, headers=headers)
            if answer.status_code != UNAUTHORIZED:
                told = f"{method} {path} answered {answer.status_code} to somebody who is not signed in, instead of 401"
                named = "Nothing is served: check that aegra.json names the sign-in and that its file is there."
                raise Misconfigured(f"{told}. {named}", operator=f"{told}: {answer.text[:300]}\n{named}")


@contextmanager
def _no_warnings() -> Iterator[None]:
    """Suppresses warnings: the expected 401 responses would look like an attack in the log."""
    before = logging.root.manager.disable
    logging.disable(logging.WARNING)
    try:
        yield
    finally:
        logging.disable(before)
