"""CORS preflights that ask for access to a private network."""

from __future__ import annotations

from starlette.types import ASGIApp, Receive, Scope, Send

_ASKS = b"access-control-request-private-network"


class PrivateNetworkPreflights:
    """Hides the question for private network access from the CORS middleware, which answers it with status 400.

    The development server allows the access by a middleware of its own on every preflight. Without that middleware the browser
    gets no permission, and refuses.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["method"] == "OPTIONS":
            scope = {**scope, "headers": [(name, value) for name, value in scope["headers"] if name.lower() != _ASKS]}
        await self._app(scope, receive, send)
