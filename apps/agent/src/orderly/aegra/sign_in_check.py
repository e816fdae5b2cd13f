"""Checks before a node starts that all kinds of routes reject unauthenticated requests.

A server that fails to load the sign-in treats every request as one anonymous user.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx

from orderly.errors import Misconfigured

PROTECTED_ROUTES = (
    ("POST", "/threads"),
    ("POST", "/threads/search"),
    ("POST", "/assistants/search"),
    ("POST", "/runs/wait"),
    ("GET", "/api/matters"),
    ("POST", "/v1/responses"),
)
HEADERS: tuple[dict[str, str], ...] = ({}, {"Authorization": "Bearer ord_nobody"})
UNAUTHORIZED = 401


async def require_sign_in(app: Any) -> None:
    """Sends requests to the ASGI application in process. Raises Misconfigured unless every response is 401."""
    transport = httpx.ASGITransport(app, raise_app_exceptions=False)
    async with httpx.AsyncClient(transport=transport, base_url="http://node.invalid") as client:
        with _no_warnings():
            await _check_routes(client)


async def _check_routes(client: httpx.AsyncClient) -> None:
    for method, path in PROTECTED_ROUTES:
        for headers in HEADERS:
            answer = await client.request(method, path, json={"assistant_id": "orderly"}, headers=headers)
            if answer.status_code != UNAUTHORIZED:
                raise Misconfigured(
                    f"{method} {path} answered {answer.status_code} to somebody who is not signed in, instead of 401. "
                    "Nothing is served: check that aegra.json names the sign-in and that its file is there."
                )


@contextmanager
def _no_warnings() -> Iterator[None]:
    """Suppresses warnings: the expected 401 responses would look like an attack in the log."""
    before = logging.root.manager.disable
    logging.disable(logging.WARNING)
    try:
        yield
    finally:
        logging.disable(before)
