"""Answers 405 where a documented path does not have the method. The LangGraph server, mounted behind, would answer 404."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

from fastapi import FastAPI, Request
from starlette.routing import compile_path
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from orderly.api.errors import error_response

ABSENT = 404
ALWAYS = frozenset({"HEAD", "OPTIONS"})
"""Methods that servers answer for every path."""
ELSEWHERE = " Matters are archived at /api/matters, documents are moved and deleted at /api/documents: see /api/openapi.json."
"""Where the rest of what OpenAI's API has is done."""


class UndeclaredMethods:
    def __init__(self, app: ASGIApp, documented: FastAPI) -> None:
        self._app = app
        self._documented = documented

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] in ALWAYS:
            await self._app(scope, receive, send)
            return
        refused = False

        async def send_or_refuse(message: Message) -> None:
            nonlocal refused
            if message["type"] == "http.response.start" and message["status"] == ABSENT:
                allowed = methods_at(self._documented, scope["path"])
                if allowed and scope["method"] not in allowed:
                    refused = True
                    text = f"{scope['method']} is not a method of this path: {', '.join(sorted(allowed))}."
                    text += ELSEWHERE if scope["path"].startswith("/v1/") else ""
                    headers = {"Allow": ", ".join(sorted(allowed))}
                    response = error_response(Request(scope), 405, "Method not allowed", text, headers)
                    await response(scope, receive, send)
            if not refused:
                await send(message)

        await self._app(scope, receive, send_or_refuse)


def methods_at(app: FastAPI, path: str) -> set[str]:
    """Methods that the documented routes have at a path."""
    return {method for pattern, methods in _patterns(app).items() if pattern.match(path) for method in methods}


@cache
def _patterns(app: FastAPI) -> Mapping[re.Pattern[str], frozenset[str]]:
    paths = app.openapi()["paths"]
    return {compile_path(template)[0]: frozenset(map(str.upper, methods)) for template, methods in paths.items()}
