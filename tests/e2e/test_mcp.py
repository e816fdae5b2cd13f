"""MCP with the official client: over HTTP with a bearer token, over stdio as the local user."""

from __future__ import annotations

import asyncio
import base64
import io
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx
import httpx2
import openpyxl
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


async def test_a_review_is_made_run_judged_and_exported(server: Server) -> None:
    matter = server.office.matter
    review = {"matter_id": matter, "review": "Terms"}
    cell = {**review, "document": "lease.txt", "column": "How long is the term"}
    async with over_http(server, server.office.token) as client:
        made = await answers(client, "make_review", matter_id=matter, name="Terms", questions=["How long is the term?"])
        assert "Terms: draft, 1 document × 1 column" in made
        assert "Governing law" in await answers(
            client, "add_review_columns", **review, questions=["Which law governs the lease?"]
        )
        assert "does not have yet" in await answers(client, "add_review_columns", **review, questions=["How long is the term?"])
        assert "running" in await answers(client, "run_review", **review)
        async with asyncio.timeout(60):
            while "Terms: done" not in (read := await answers(client, "read_review", **review)):
                await asyncio.sleep(0.2)
        assert "How long is the term: 5 years [" in read
        assert "— “The term of this Lease is five (5) years from the commencement date.”" in read

        assert "The cell says “5 years”, not “4 years”" in await answers(
            client, "judge_cell", **cell, verdict="accepted", seen="4 years"
        )
        assert "accepted" not in await answers(client, "read_review", **review)
        accepted = await answers(client, "judge_cell", **cell, verdict="accepted", seen="5 years", note="As signed")
        assert accepted.startswith("How long is the term: 5 years [accepted]")
        assert f"accepted by {server.office.lawyer}" in accepted
        corrected = {"verdict": "corrected", "seen": "5 years"}
        assert "is not a period" in await answers(client, "judge_cell", **cell, **corrected, value="as long as they like")
        assert "6 years [corrected by hand" in await answers(client, "judge_cell", **cell, **corrected, value="6 years")

        exported = await client.call_tool("export_review", review)
        told, file = exported.content
        assert told.text.startswith("Terms.xlsx: ")
        assert file.resource.uri == "orderly://exports/Terms.xlsx"
        sheet = openpyxl.load_workbook(io.BytesIO(base64.b64decode(file.resource.blob))).worksheets[0]
        assert '"6 years"' in [term.number_format for term in sheet["B"]]
        lines = (await client.call_tool("export_review", {**review, "format": "csv"})).content[1].resource
        assert lines.mime_type == "text/csv; charset=utf-8"
        assert "New South Wales" in base64.b64decode(lines.blob).decode()


async def test_reviews_are_changed_by_editors_and_unknown_to_those_who_are_no_members(server: Server) -> None:
    office = server.office
    review = {"matter_id": office.matter, "review": "Law"}
    verdict = {**review, "document": "lease.txt", "column": "Governing law", "verdict": "rejected", "seen": "not answered yet"}
    calls: list[tuple[str, dict[str, Any]]] = [
        ("make_review", {"matter_id": office.matter, "name": "Another"}),
        ("add_review_columns", {**review, "sets": ["leases"]}),
        ("run_review", review),
        ("judge_cell", verdict),
    ]
    async with over_http(server, office.token) as client:
        await answers(client, "make_review", matter_id=office.matter, name="Law", questions=["Which law governs the lease?"])
        async with asyncio.timeout(60):
            await answers(client, "run_review", **review)
            while "Law: done" not in await answers(client, "read_review", **review):
                await asyncio.sleep(0.2)
    verdict["seen"] = "New South Wales, Australia"
    async with over_http(server, office.colleague_token) as client:
        for tool, arguments in (*calls, ("export_review", review)):
            assert (
                await answers(client, tool, **arguments) == f"Error: Matter {office.matter} not found or you don't have access."
            )
    with httpx.Client(base_url=server.url, headers={"Authorization": f"Bearer {office.token}"}) as http:
        member = {"email": office.colleague, "role": "viewer"}
        assert http.post(f"/api/matters/{office.matter}/members", json=member).is_success
    async with over_http(server, office.colleague_token) as client:
        for tool, arguments in calls:
            assert await answers(client, tool, **arguments) == "Error: Only an editor or owner of this matter can do that."
        assert not (await client.call_tool("export_review", review)).is_error


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
