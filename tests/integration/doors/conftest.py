"""The REST application on a port, in the test's event loop, with its background tasks."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from typing import Any

import httpx
import pytest
import uvicorn

from orderly.api.app import create_app
from orderly.models import Caller
from orderly.settings import Settings
from orderly.sign_in.tokens import new_local_token, token_hash
from orderly.wiring.services import Operator, Services

SignedIn = Callable[[Caller], Awaitable[httpx.AsyncClient]]


@pytest.fixture
def settings(settings: Settings) -> Settings:
    return settings.model_copy(update={"lease_seconds": 2, "stop_seconds": 0.5, "event_streams": 3})


@pytest.fixture
async def address(services: Services) -> AsyncIterator[str]:
    """The base URL of the application."""
    config = uvicorn.Config(
        create_app(), host="127.0.0.1", port=0, log_level="warning", ws="none", lifespan="on", timeout_graceful_shutdown=1
    )
    server = uvicorn.Server(config)
    serving = asyncio.create_task(server.serve())
    while not server.started:
        assert not serving.done()
        await asyncio.sleep(0.01)
    port = server.servers[0].sockets[0].getsockname()[1]
    yield f"http://127.0.0.1:{port}"
    server.should_exit = True
    await serving


@pytest.fixture
async def signed_in(address: str, operator: Operator) -> AsyncIterator[SignedIn]:
    """`await signed_in(caller)` returns a client with a token of that user."""
    async with AsyncExitStack() as stack:

        async def client(caller: Caller) -> httpx.AsyncClient:
            token = new_local_token()
            users = await operator.worker.rpc("list_users", {})
            email = next(u["email"] for u in users if u["user_id"] == caller.user_id)
            issued = {"email": email, "token_sha256": token_hash(token), "expires_at": "2999-01-01T00:00:00Z"}
            await operator.worker.rpc("issue_token", issued)
            headers = {"Authorization": f"Bearer {token}"}
            return await stack.enter_async_context(httpx.AsyncClient(base_url=address, headers=headers, timeout=30))

        yield client


@pytest.fixture
async def http(signed_in: SignedIn, ada: Caller) -> httpx.AsyncClient:
    """A client signed in as the owner of the matter."""
    return await signed_in(ada)


@pytest.fixture
async def colleague(signed_in: SignedIn, stranger: Caller) -> httpx.AsyncClient:
    """A client signed in as a user who is no member of the matter."""
    return await signed_in(stranger)


async def wait_until_read(http: httpx.AsyncClient, document: str) -> dict[str, Any]:
    async with asyncio.timeout(20):
        while (found := (await http.get(f"/api/documents/{document}")).json())["status"] not in ("ready", "partial", "failed"):
            await asyncio.sleep(0.05)
    return found
