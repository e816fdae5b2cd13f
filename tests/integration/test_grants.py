"""The tools of a run, by the firm's grants, the assistant's configuration and the chat's files."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
from langchain_core.messages import ToolMessage
from mcp.shared.exceptions import MCPError

from integration.graph_runs import Put, run
from orderly.agent.middleware.run_context import RunContext
from orderly.api.app import create_app
from orderly.api.callers import caller, provide_services
from orderly.mcp.server import _documents, _read, _templates, _tools
from orderly.models import Caller
from orderly.settings import Settings
from orderly.wiring.services import Operator, Services
from support.scripted_model import Reply, texts, tool_names

Acting = Callable[[Caller], dict[str, Any]]
FUNCTIONS = "/api/admin/definitions/clients/{client}/functions"


@pytest.fixture
async def root(services: Services, make_user: Callable[..., Awaitable[Caller]]) -> Caller:
    return await make_user("root@firm.example", is_admin=True)


@pytest.fixture
async def rest(services: Services) -> AsyncIterator[Callable[[Caller], httpx.AsyncClient]]:
    """Returns a client of the REST application for a caller."""
    app = create_app()
    opened: list[httpx.AsyncClient] = []

    def client(who: Caller) -> httpx.AsyncClient:
        app.dependency_overrides = {caller: lambda: who, provide_services: lambda: services}
        opened.append(httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://test"))
        return opened[-1]

    yield client
    for one in opened:
        await one.aclose()


def asking(*calls: tuple[str, dict[str, Any]]) -> Callable[[dict[str, Any]], Reply]:
    """Returns a script in which both agents make `calls` once."""

    def script(request: dict[str, Any]) -> Reply:
        if texts(request, "tool"):
            return "Done."
        own = [("task", {"description": "Look", "subagent_type": "document-agent"})] if "task" in tool_names(request) else []
        return [*calls, *own] or "Done."

    return script


async def test_a_tool_withheld_by_the_firm_does_not_exist_in_its_runs(
    put: Put, ada: Caller, root: Caller, rest: Any, matter: dict[str, Any]
) -> None:
    listing = FUNCTIONS.format(client="orderly")
    for name in ("list_docs", "read_doc"):
        taken = (await rest(root).delete(f"{listing}/{name}")).json()
        assert taken["granted"] is False
    offered = {f["function_name"]: f["granted"] for f in (await rest(ada).get(listing)).json()}
    assert offered["list_matter_documents"] is offered["get_document_text"] is False
    assert offered["isaacus_search"] is True
    state, model = await put(asking(("list_matter_documents", {"matter_id": matter["id"]})), "What is there?")
    assert all({"list_matter_documents", "get_document_text"}.isdisjoint(tool_names(r)) for r in model.requests)
    assert all("You do not have these tools in this run" in texts(r, "system")[0] for r in model.requests)
    refused = [m for m in state["messages"] if isinstance(m, ToolMessage) and m.name == "list_matter_documents"]
    assert [m.text for m in refused] == ["Error: There is no tool 'list_matter_documents' in this run."]
    seen = [t for r in model.requests if "task" not in tool_names(r) for t in texts(r, "tool")]
    assert seen == ["Error: There is no tool 'list_matter_documents' in this run."], (
        "the subagent must not have the tool either"
    )
    assert "list_matter_documents" in {tool.name for tool in (await _tools(ada)).tools}, "the tool must stay available over MCP"

    granted = await rest(root).post(listing, json={"function_name": "list_docs"})
    assert granted.json() == {
        "client_id": "orderly",
        "function_name": "list_matter_documents",
        "category": "document",
        "granted": True,
    }
    _, model = await put(asking(), "What is there?")
    assert all("list_matter_documents" in tool_names(r) for r in model.requests)


async def test_a_tool_withheld_from_mcp_is_missing_there(ada: Caller, root: Caller, rest: Any) -> None:
    await rest(root).delete(FUNCTIONS.format(client="mcp") + "/read_doc")
    assert "get_document_text" not in {tool.name for tool in (await _tools(ada)).tools}


async def test_tools_that_change_reviews_are_granted_to_mcp_clients_alone(ada: Caller, root: Caller, rest: Any) -> None:
    changing = {"make_review", "add_review_columns", "run_review", "judge_cell"}
    listed = {
        c: {f["function_name"] for f in (await rest(ada).get(FUNCTIONS.format(client=c))).json()} for c in ("orderly", "mcp")
    }
    assert listed["orderly"] & {*changing, "export_review"} == set()
    assert listed["mcp"] >= {*changing, "export_review"}
    assert listed["mcp"] == {tool.name for tool in (await _tools(ada)).tools}
    said = {tool.name: tool.annotations for tool in (await _tools(ada)).tools}
    assert {name for name, annotations in said.items() if not annotations.read_only_hint} == changing
    assert (await rest(root).post(FUNCTIONS.format(client="orderly"), json={"function_name": "judge_cell"})).status_code == 404
    await rest(root).delete(FUNCTIONS.format(client="mcp") + "/judge_cell")
    assert "judge_cell" not in {tool.name for tool in (await _tools(ada)).tools}


async def test_what_is_withheld_from_mcp_is_no_resource_either(
    ada: Caller, root: Caller, rest: Any, matter: dict[str, Any], publish_text: Callable[..., Awaitable[str]]
) -> None:
    document = await publish_text(ada, matter["id"], "lease.txt", "Rent is due on Monday.")
    uri, mcp = f"orderly://documents/{document}", FUNCTIONS.format(client="mcp")
    assert [r.uri for r in (await _documents(ada, None)).resources] == [uri]
    assert "Monday" in str(await _read(ada, uri))
    await rest(root).delete(f"{mcp}/list_docs")
    assert (await _documents(ada, None)).resources == []
    assert "Monday" in str(await _read(ada, uri)), "reading is granted still"
    await rest(root).delete(f"{mcp}/read_doc")
    for address in (uri, f"{uri}/pages/1"):
        with pytest.raises(MCPError, match="There is no resource"):
            await _read(ada, address)
    assert (await _templates(ada)).resource_templates == []
    for name in ("list_docs", "read_doc"):
        await rest(root).post(mcp, json={"function_name": name})
    await rest(root).delete(f"{mcp}/list_matters")
    assert (await _documents(ada, None)).resources == [], "resources name matters"


async def test_only_administrators_change_grants_and_only_of_their_firm(
    ada: Caller, root: Caller, rest: Any, make_user: Callable[..., Awaitable[Caller]]
) -> None:
    listing = FUNCTIONS.format(client="orderly")
    assert (await rest(ada).delete(f"{listing}/read_doc")).status_code == 403
    assert (await rest(root).post(listing, json={"function_name": "rm"})).status_code == 404
    assert (await rest(root).get(FUNCTIONS.format(client="nobody"))).status_code == 422
    other = await make_user("eve@other.example", tenant="Other", is_admin=True)
    assert (await rest(other).delete(f"{listing}/read_doc")).status_code == 200
    assert all(function["granted"] for function in (await rest(ada).get(listing)).json())


async def test_an_assistant_has_only_the_tools_of_its_configuration(put: Put) -> None:
    _, model = await put(asking(), "Hello", RunContext(tools=["find", "list_matters", "no_such_tool"]))
    [first, second, *_] = model.requests
    assert tool_names(first) == {"task", "find", "list_matters"}
    assert tool_names(second) == {"find"}


async def test_a_chat_has_file_search_only_when_it_has_files(
    settings: Settings, services: Services, operator: Operator, ada: Caller, acting: Acting, tmp_path: Path
) -> None:
    chat = Caller(ada.user_id, thread_id="chat-1")
    workspace = await services.library.workspace(chat, make=True)
    assert workspace is not None
    config: Any = {"configurable": {**acting(ada)["configurable"], "thread_id": "chat-1"}}
    search = asking(("file_search", {"query": "database sharding"}))
    state, model = await run(settings, search, config, "How is it sharded?")
    assert all("file_search" not in tool_names(r) for r in model.requests), "a chat without files must not have file_search"
    assert "no tool 'file_search'" in next(m.text for m in state["messages"] if m.type == "tool")

    notes = tmp_path / "notes.md"
    notes.write_text("# Sharding\n\nDatabase sharding strategy follows a hash-based partitioning across four nodes.\n")
    added = await operator.file_ingestor.add(chat, workspace["id"], notes)
    state, model = await run(settings, search, config, "How is it sharded?")
    assert all("file_search" in tool_names(r) for r in model.requests)
    [result] = json.loads(next(m.text for m in state["messages"] if m.type == "tool" and m.name == "file_search"))
    assert result["filename"] == "notes.md" and result["artifact_id"] == added.document_id
    assert "hash-based" in result["chunk_text"] and 0 < result["relevance_score"] <= 1
    assert set(result) == {"filename", "chunk_text", "relevance_score", "artifact_id"}

    elsewhere: Any = {"configurable": {**acting(ada)["configurable"], "thread_id": "chat-2"}}
    _, model = await run(settings, asking(), elsewhere, "How is it sharded?")
    assert all("file_search" not in tool_names(r) for r in model.requests)
