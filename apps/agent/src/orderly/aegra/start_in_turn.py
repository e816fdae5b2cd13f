"""The start of a node, one at a time: Aegra looks for its assistants and then creates them, without a lock."""

from __future__ import annotations

from contextlib import AsyncExitStack

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from orderly.store.start_lock import start_lock


class StartInTurn:
    """Holds the start lock of the database while `app` starts. Everything else passes through."""

    def __init__(self, app: ASGIApp, database_url: str) -> None:
        self._app = app
        self._url = database_url

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "lifespan":
            await self._app(scope, receive, send)
            return
        async with AsyncExitStack() as starting:
            await starting.enter_async_context(start_lock(self._url))

            async def told(message: Message) -> None:
                if message["type"].startswith("lifespan.startup."):
                    await starting.aclose()
                await send(message)

            await self._app(scope, receive, told)
