"""Before a node serves anyone: whoever does not say who they are must be turned away, at every kind of door.

A server that cannot load the sign-in would take everybody for one anonymous user, and answer.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx

from orderly.errors import Misconfigured

DOORS = (
    ("POST", "/threads"),
    ("POST", "/threads/search"),
    ("POST", "/assistants/search"),
    ("POST", "/runs/wait"),
    ("GET", "/api/matters"),
    ("POST", "/v1/responses"),
)
HEADERS: tuple[dict[str, str], ...] = ({}, {"Authorization": "Bearer ord_nobody"})
UNAUTHORIZED = 401


async def require_closed(app: Any) -> None:
    """Asks the application itself, before any port is open. Raises Misconfigured unless every answer is 401."""
    transport = httpx.ASGITransport(app, raise_app_exceptions=False)
    async with httpx.AsyncClient(transport=transport, base_url="http://node.invalid") as client:
        with _no_warnings():
            await _ask_everywhere(client)


async def _ask_everywhere(client: httpx.AsyncClient) -> None:
    for method, path in DOORS:
        for headers in HEADERS:
            answer = await client.request(method, path, json={"assistant_id": "orderly"}, headers=headers)
            if answer.status_code != UNAUTHORIZED:
                raise Misconfigured(
                    f"{method} {path} answered {answer.status_code} to somebody who is not signed in, instead of 401. "
                    "Nothing is served: check that aegra.json names the sign-in and that its file is there."
                )


@contextmanager
def _no_warnings() -> Iterator[None]:
    """To be turned away is what is hoped for: warnings of it would read, at every start, like an attack."""
    before = logging.root.manager.disable
    logging.disable(logging.WARNING)
    try:
        yield
    finally:
        logging.disable(before)
