"""Checks before a node serves that requests without valid credentials get 401 on each kind of route.

Aegra treats everybody as one anonymous user if it cannot load the authentication module.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx

from orderly.errors import Misconfigured

ROUTES = (
    ("POST", "/threads"),
    ("POST", "/threads/search"),
    ("POST", "/assistants/search"),
    ("POST", "/runs/wait"),
    ("GET", "/api/matters"),
    ("POST", "/v1/responses"),
)
HEADERS: tuple[dict[str, str], ...] = ({}, {"Authorization": "Bearer ord_nobody"})
UNAUTHORIZED = 401


async def require_authentication(app: Any) -> None:
    """Sends requests to the application in this process. Raises Misconfigured unless every response is 401."""
    transport = httpx.ASGITransport(app, raise_app_exceptions=False)
    async with httpx.AsyncClient(transport=transport, base_url="http://node.invalid") as client:
        with _warnings_disabled():
            await _check_routes(client)


async def _check_routes(client: httpx.AsyncClient) -> None:
    for method, path in ROUTES:
        for headers in HEADERS:
            response = await client.request(method, path, json={"assistant_id": "orderly"}, headers=headers)
            if response.status_code != UNAUTHORIZED:
                raise Misconfigured(
                    f"{method} {path} answered {response.status_code} to somebody who is not signed in, instead of 401. "
                    "Nothing is served: check that aegra.json names the sign-in and that its file is there."
                )


@contextmanager
def _warnings_disabled() -> Iterator[None]:
    """Disables warnings: the expected refusals would look like an attack in the log of each start."""
    before = logging.root.manager.disable
    logging.disable(logging.WARNING)
    try:
        yield
    finally:
        logging.disable(before)
