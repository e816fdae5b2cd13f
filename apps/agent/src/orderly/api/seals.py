"""Middleware that keeps seals of identities inside the server: LangGraph shows the configuration of runs to clients."""

from __future__ import annotations

import re

from starlette.types import ASGIApp, Message, Receive, Scope, Send

_NAME = rb"""\\*["']?orderly_seal\\*["']?\s*[:=]\s*\\*["']?[0-9a-f]{64}\\*["']?"""
_SEAL = re.compile(rb",\s*" + _NAME + rb"|" + _NAME + rb"\s*,?")


class Seals:
    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_without(message: Message) -> None:
            await send(without_seals(message) if message["type"] == "http.response.body" else message)

        await self._app(scope, receive, send_without if scope["type"] == "http" else send)


def without_seals(message: Message) -> Message:
    """Replaces each seal and its name by blanks, so that the length stays. Servers send JSON, and each event, in one piece."""
    body = message.get("body", b"")
    if b"orderly_seal" not in body:
        return message
    return {**message, "body": _SEAL.sub(lambda found: b" " * len(found[0]), bytes(body))}
