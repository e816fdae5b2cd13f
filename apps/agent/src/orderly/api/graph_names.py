"""Assistants by the name of their graph, in paths where LangGraph servers take only an id (`getSchemas("orderly")`)."""

from __future__ import annotations

from uuid import UUID, uuid5

from starlette.types import ASGIApp, Receive, Scope, Send

from orderly.api.responses.requests import MODEL

PREFIX = f"/assistants/{MODEL}"
ASSISTANT = str(uuid5(UUID("6ba7b821-9dad-11d1-80b4-00c04fd430c8"), MODEL))
"""Id that LangGraph servers give the assistant of the graph."""


class GraphNames:
    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and (scope["path"] == PREFIX or scope["path"].startswith(f"{PREFIX}/")):
            path = f"/assistants/{ASSISTANT}{scope['path'].removeprefix(PREFIX)}"
            scope = {**scope, "path": path, "raw_path": path.encode()}
        await self._app(scope, receive, send)
