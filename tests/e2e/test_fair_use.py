"""What one user may have under way at a time, through the server's doors."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from contextlib import AsyncExitStack
from typing import Any

import httpx
import pytest
from langgraph_sdk import get_client

from support.installation import Office, Server, started

pytestmark = pytest.mark.server

SLOW = r"^(([a-z ,.])+)+(?!\x00)\x00"
QUESTION = {"messages": [{"role": "user", "content": "Which law governs the lease?"}]}


@pytest.fixture(scope="module")
def server(office: Office) -> Iterator[Server]:
    limits = {
        "ORDERLY_SEARCHES_AT_A_TIME": "1", "ORDERLY_OPEN_REQUESTS": "12", "ORDERLY_REQUESTS_PER_MINUTE": "300", "ORDERLY_SIGN_INS_PER_MINUTE": "3",
    }  # fmt: skip
    with started(office, limits) as running:
        yield running


def call(pattern: str, matter: str) -> dict[str, Any]:
    arguments = {"matter_id": matter, "query": pattern, "mode": "regex"}
    return {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "search_keyword", "arguments": arguments}}


async def test_a_search_ends_when_its_client_has_gone(server: Server) -> None:
    headers = {"Authorization": f"Bearer {server.office.token}", "Accept": "application/json, text/event-stream"}
    async with httpx.AsyncClient(base_url=server.url, headers=headers, timeout=60) as client:
        first = await client.post("/api/mcp", json=call("governed", server.office.matter))
        assert "New South Wales" in first.text
        began = time.monotonic()
        whole = await client.post("/api/mcp", json=call(SLOW, server.office.matter))
        alone = time.monotonic() - began
        assert alone > 3, f"the expression is not slow: {whole.text}"
        with pytest.raises(httpx.ReadTimeout):
            await client.post("/api/mcp", json=call(SLOW, server.office.matter), timeout=0.5)
        began = time.monotonic()
        again = await client.post("/api/mcp", json=call("governed", server.office.matter))
        assert "New South Wales" in again.text
        assert time.monotonic() - began < alone / 2, "the search of the client that has gone held the user's turn"


async def test_open_requests_of_a_user_are_bounded_and_others_go_on(server: Server) -> None:
    headers = {"Authorization": f"Bearer {server.office.token}"}
    async with AsyncExitStack() as stack:
        client = await stack.enter_async_context(httpx.AsyncClient(base_url=server.url, headers=headers, timeout=30))
        path = f"/api/matters/{server.office.matter}/events"
        statuses = [(await stack.enter_async_context(client.stream("GET", path))).status_code for _ in range(15)]
        assert statuses == [200] * 12 + [429] * 3
        refused = await client.get("/api/matters")
        assert (refused.status_code, "12 requests open" in refused.text) == (429, True)
        other = {"Authorization": f"Bearer {server.office.colleague_token}"}
        assert (await client.get("/api/matters", headers=other)).status_code == 200
    async with asyncio.timeout(60), httpx.AsyncClient(base_url=server.url, headers=headers, timeout=60) as client:
        while (await client.get("/api/matters")).status_code != 200:
            await asyncio.sleep(0.1)


async def test_many_runs_of_a_user_wait_for_each_other_and_all_end(server: Server) -> None:
    async with get_client(url=server.url, headers={"Authorization": f"Bearer {server.office.token}"}) as sdk:
        context = {"matter_id": server.office.matter}
        answers = await asyncio.gather(*(sdk.runs.wait(None, "orderly", input=QUESTION, context=context) for _ in range(8)))
    assert all("New South Wales" in str(answer) for answer in answers)


def test_requests_of_a_minute_are_bounded_for_one_user_and_no_other(server: Server) -> None:
    with httpx.Client(base_url=server.url, headers={"Authorization": f"Bearer {server.office.token}"}) as http:
        answers = (http.get("/api/session") for _ in range(3_000))
        refused = next(answer for answer in answers if answer.status_code != 200)
    assert (refused.status_code, refused.headers["content-type"]) == (429, "application/problem+json")
    assert int(refused.headers["retry-after"]) >= 1
    theirs = {"Authorization": f"Bearer {server.office.colleague_token}"}
    assert httpx.get(f"{server.url}/api/session", headers=theirs).status_code == 200
    guesses = [httpx.post(f"{server.url}/api/session", json={"token": f"ord_{n}"}).status_code for n in range(6)]
    assert guesses[-1] == 429
