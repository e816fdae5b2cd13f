"""MCP with the official client: over HTTP with a bearer token, over stdio as the local user."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx
import httpx2
import pytest
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError

from support.installation import ORDERLY, Server
from support.lease import LEASE

pytestmark = pytest.mark.server


@asynccontextmanager
async def over_http(server: Server, token: str) -> AsyncIterator[Client]:
    headers = {"Authorization": f"Bearer {token}"}
    async with (
        httpx2.AsyncClient(headers=headers) as http,
        Client(streamable_http_client(f"{server.url}/api/mcp", http_client=http)) as client,
    ):
        yield client


async def answers(client: Client, tool: str, **arguments: Any) -> str:
    result = await client.call_tool(tool, arguments)
    return "\n".join(block.text for block in result.content)


async def test_a_client_searches_and_reads_as_the_user_of_its_token(server: Server) -> None:
    async with over_http(server, server.office.token) as client:
        assert {"isaacus_search", "isaacus_extract", "get_document_text"} <= {t.name for t in (await client.list_tools()).tools}
        found = await client.call_tool("isaacus_search", {"matter_id": server.office.matter, "query": "governing law"})
        assert "New South Wales" in found.content[0].text
        [citation, *_] = found.structured_content["citations"]
        assert LEASE[citation["start"] : citation["end"]] == citation["text"]
        [resource] = (await client.list_resources()).resources
        assert resource.name == "lease.txt"
        read = await client.read_resource(resource.uri)
        assert read.contents[0].text.strip() == LEASE.strip()


async def test_another_user_gets_the_reply_for_missing_ids(server: Server) -> None:
    async with over_http(server, server.office.colleague_token) as client:
        found = await client.call_tool("isaacus_search", {"matter_id": server.office.matter_id, "query": "governing law"})
        assert found.is_error
        assert found.content[0].text == f"Error: Matter {server.office.matter_id} not found or you don't have access."
        assert not (await client.list_resources()).resources
        with pytest.raises(MCPError, match="not found or you don't have access"):
            await client.read_resource(f"orderly://documents/{server.office.document_id}")


async def test_invalid_calls_are_refused_with_a_reason(server: Server) -> None:
    async with over_http(server, server.office.token) as client:
        assert "no argument user_id" in await answers(client, "list_matters", user_id="someone else")
        assert "query" in await answers(client, "isaacus_search", matter_id=server.office.matter)
        with pytest.raises(MCPError, match="no tool"):
            await client.call_tool("delete_document", {})
        with pytest.raises(MCPError, match="no resource"):
            await client.read_resource("file:///etc/passwd")


def test_mcp_over_http_needs_a_token(server: Server) -> None:
    answer = httpx.post(f"{server.url}/api/mcp", json={"jsonrpc": "2.0", "id": 1, "method": "tools/list"})
    assert answer.status_code == 401


async def test_over_stdio_the_caller_is_the_local_user(running: Server) -> None:
    office = running.office
    program = StdioServerParameters(command=str(ORDERLY), args=["mcp"], env=office.installation.environment)
    async with Client(stdio_client(program)) as client:
        assert office.matter in await answers(client, "list_matters")
        assert "New South Wales" in await answers(
            client, "isaacus_search", matter_id=office.matter, query="Which law governs the lease?"
        )
