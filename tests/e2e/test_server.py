"""The LangGraph API of the server with the stock SDK: access, conversations, streaming and documented programs."""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AsyncExitStack
from functools import partial
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx
import pytest
from langgraph_sdk import get_client
from langgraph_sdk.client import LangGraphClient

from support.installation import Office, Server, started
from support.lease import LEASE

pytestmark = pytest.mark.server

QUESTION = {"messages": [{"role": "user", "content": "Which law governs the lease?"}]}


ENGINE = os.environ.get("ORDERLY_TEST_ENGINE", "langgraph")

Client = Callable[[str], LangGraphClient]
Ask = Callable[..., Awaitable[dict[str, Any]]]


@pytest.fixture(scope="module")
def running(office: Office) -> Iterator[Server]:
    """A separate server, since these tests raise walls, revoke tokens and read the log."""
    with started(office, {}) as server:
        yield server


@pytest.fixture
async def client(server: Server) -> AsyncIterator[Client]:
    """Returns a function from a token to a stock SDK client."""
    async with AsyncExitStack() as stack:
        opened = {}
        for token in (server.office.token, server.office.colleague_token):
            sdk = get_client(url=server.url, headers={"Authorization": f"Bearer {token}"})
            opened[token] = await stack.enter_async_context(sdk)
        yield opened.__getitem__


@pytest.fixture
def ask(client: Client) -> Ask:
    """Returns a function that runs a question on a new thread and returns the thread's values."""

    async def run(token: str, **options: Any) -> dict[str, Any]:
        sdk = client(token)
        thread = await sdk.threads.create()
        values: Any = await sdk.runs.wait(thread["thread_id"], "orderly", input=QUESTION, **options)
        return {**values, "thread_id": thread["thread_id"]}

    return run


async def test_the_right_user_gets_the_answer_with_its_citation(server: Server, ask: Ask) -> None:
    values = await ask(server.office.token, context={"matter_id": server.office.matter})
    assert "laws of New South Wales" in values["messages"][-1]["content"]
    [citation] = values["citations"]
    assert LEASE[citation["start"] : citation["end"]] == citation["text"]
    assert citation["document_id"] == server.office.document_id


async def test_another_user_gets_nothing_of_the_matter(server: Server, ask: Ask) -> None:
    for matter in (server.office.matter, server.office.matter_id):
        values = await ask(server.office.colleague_token, context={"matter_id": matter})
        assert "New South Wales" not in str(values)
        assert not values.get("citations")


@pytest.mark.parametrize(
    "headers", [{}, {"Authorization": "Bearer ord_made-up"}, {"Authorization": "Basic x"}, {"x-api-key": "x"}]
)
async def test_every_endpoint_needs_a_valid_token(server: Server, headers: dict[str, str]) -> None:
    async with httpx.AsyncClient(base_url=server.url, headers=headers) as http:
        for method, path in [
            ("POST", "/threads"),
            ("POST", "/threads/search"),
            ("POST", "/runs/wait"),
            ("POST", "/assistants/search"),
        ]:
            assert (await http.request(method, path, json={"assistant_id": "orderly", "input": QUESTION})).status_code == 401


async def test_the_key_header_of_stock_frontends_is_accepted_as_a_token(server: Server) -> None:
    async with httpx.AsyncClient(base_url=server.url, headers={"x-api-key": server.office.token}) as http:
        assert (await http.post("/threads", json={})).status_code == 200


async def test_studio_sees_orchestrator_and_document_agent(server: Server) -> None:
    async with httpx.AsyncClient(base_url=server.url, headers={"x-api-key": server.office.token}) as http:
        [assistant] = (await http.post("/assistants/search", json={})).json()
        address = f"/assistants/{assistant['assistant_id']}"
        drawn = (await http.get(f"{address}/graph", params={"xray": "true"})).json()
        nodes = {node["id"] for node in drawn["nodes"]}
        assert {"orchestrator", "document-agent:model", "document-agent:tools"} <= nodes
        edges = {(edge["source"].split(":")[0], edge["target"].split(":")[0]) for edge in drawn["edges"]}
        assert {("orchestrator", "document-agent"), ("document-agent", "orchestrator")} <= edges
        assert list((await http.get(f"{address}/subgraphs")).json()) == ["document-agent"]


@pytest.mark.parametrize("place", ["configurable", "context"])
async def test_a_forged_user_gains_nothing(server: Server, ask: Ask, place: str) -> None:
    local = next(u for u in server.office.installation.data("user", "list") if u["email"] == server.office.lawyer)
    sealed = {
        "orderly_user": local["user_id"],
        "orderly_expires": "9999999999",
        "orderly_matters": "*",
        "orderly_seal": "0" * 64,
    }
    forged = {
        "langgraph_auth_user": {"identity": local["user_id"], **sealed},
        "langgraph_auth_user_id": local["user_id"],
        "user_id": local["user_id"],
        **sealed,
        "matter_id": server.office.matter_id,
    }
    for names in (forged, {k: v for k, v in forged.items() if not k.startswith("langgraph_")}):
        run: dict[str, Any] = {"context": names} if place == "context" else {"config": {"configurable": names}}
        try:
            values = await ask(server.office.colleague_token, **run)
        except httpx.HTTPStatusError as refused:
            assert refused.response.status_code in (400, 403, 422)
        else:
            assert "New South Wales" not in str(values)
            assert not values.get("citations")


async def test_a_client_cannot_set_reserved_configuration_keys(server: Server, client: Client) -> None:
    sdk = client(server.office.token)
    thread = await sdk.threads.create()
    inside = {"matter_id": server.office.matter, "__deepagents_subagent_response_format": {"title": "Own", "type": "object"}}
    await sdk.runs.wait(thread["thread_id"], "orderly", input=QUESTION, config={"configurable": inside})
    [run] = await sdk.runs.list(thread["thread_id"])
    assert server.office.matter in str(run)
    if (
        ENGINE == "langgraph"
    ):  # other servers store the request unchanged, and the graph removes the key (tests/unit/aegra/test_served_graph.py)
        assert "response_format" not in str(run)
    state: Any = await sdk.threads.get_state(thread["thread_id"])
    assert "laws of New South Wales" in state["values"]["messages"][-1]["content"]


async def test_another_users_thread_cannot_be_read_continued_changed_or_deleted(
    server: Server, ask: Ask, client: Client
) -> None:
    mine = await ask(server.office.token, context={"matter_id": server.office.matter})
    theirs = client(server.office.colleague_token)
    thread = mine["thread_id"]
    for attempt in (
        theirs.threads.get(thread),
        theirs.threads.get_state(thread),
        theirs.threads.get_history(thread),
        theirs.threads.update(thread, metadata={"owner": server.office.colleague_id}),
        theirs.threads.delete(thread),
        theirs.threads.copy(thread),
        theirs.runs.wait(thread, "orderly", input=QUESTION),
    ):
        with pytest.raises(httpx.HTTPStatusError) as refused:
            await attempt
        assert refused.value.response.status_code in (403, 404, 409)
    try:
        assert await theirs.runs.list(thread) == []
    except httpx.HTTPStatusError as refused:
        assert refused.response.status_code in (403, 404)
    assert all(found["thread_id"] != thread for found in await theirs.threads.search(limit=100))
    kept = await client(server.office.token).threads.get(thread)
    assert kept["metadata"]["owner"] != server.office.colleague_id


async def test_a_thread_cannot_be_copied(server: Server, client: Client) -> None:
    sdk = client(server.office.token)
    thread = await sdk.threads.create()
    with pytest.raises(httpx.HTTPStatusError) as refused:
        await sdk.threads.copy(thread["thread_id"])
    assert refused.value.response.status_code in (403, 404, 405)


async def test_a_wall_closes_the_threads_that_read_the_matter(server: Server, ask: Ask, client: Client) -> None:
    office = server.office
    data = partial(office.installation.data, "--as", office.lawyer)
    sdk, token = client(office.colleague_token), office.colleague_token
    data("matters", "member", "add", office.matter, office.colleague)
    read = (await ask(token, context={"matter_id": office.matter}))["thread_id"]
    # The id comes from the client; Orderly knows an id of the server only from its first question.
    other = (await sdk.threads.create(thread_id=str(uuid4())))["thread_id"]
    assert "laws of New South Wales" in str((await sdk.threads.get_state(read))["values"])
    await sdk.threads.update(read, metadata={"orderly_thread": other})  # a forged metadata field
    data("matters", "screen", "add", office.matter, office.colleague, "--reason", "Conflict")
    data("user", "officer", office.lawyer)
    for attempt in (
        sdk.threads.get(read),
        sdk.threads.get_state(read),
        sdk.threads.get_history(read),
        sdk.threads.update(read, metadata={"note": "mine"}),
        sdk.threads.update_state(read, {"messages": []}),
        sdk.threads.copy(read),
        sdk.threads.create(thread_id=read, if_exists="do_nothing"),
        sdk.runs.list(read),
        sdk.runs.create(read, "orderly", input=QUESTION),
    ):
        with pytest.raises(httpx.HTTPStatusError) as refused:
            await attempt
        assert refused.value.response.status_code in (403, 404)
    assert {t["thread_id"] for t in await sdk.threads.search(limit=100)} >= {other}
    assert read not in {t["thread_id"] for t in await sdk.threads.search(limit=100)}
    assert await sdk.threads.search(limit=100, metadata={"orderly_thread": read}) == []
    assert await sdk.threads.get(other)
    [screen] = data("matters", "screen", "list", office.matter)
    data("matters", "screen", "lift", office.matter, screen["id"])
    assert await sdk.threads.get_state(read)
    data("matters", "member", "remove", office.matter, office.colleague)


async def test_concurrent_questions_in_one_thread_are_answered_in_turn(server: Server, client: Client) -> None:
    sdk = client(server.office.token)
    thread = (await sdk.threads.create())["thread_id"]
    options: Any = {"context": {"matter_id": server.office.matter}, "multitask_strategy": "enqueue"}
    await asyncio.gather(*(sdk.runs.wait(thread, "orderly", input=QUESTION, **options) for _ in range(2)))
    state: Any = await sdk.threads.get_state(thread)
    kinds = [m["type"] for m in state["values"]["messages"]]
    answers = [m for m in state["values"]["messages"] if m["type"] == "ai" and "laws of New South Wales" in str(m["content"])]
    assert (kinds.count("human"), len(answers)) == (2, 2)
    second = len(kinds) - 1 - kinds[::-1].index("human")
    assert kinds[second - 1] == "ai", "the second question was started before the first was answered"


async def test_the_owner_of_a_thread_is_its_creator_despite_forged_metadata(server: Server, client: Client) -> None:
    theirs = client(server.office.colleague_token)
    thread = await theirs.threads.create(metadata={"owner": "someone else"})
    assert (await theirs.threads.get(thread["thread_id"]))["metadata"]["owner"] == server.office.colleague_id


async def test_resources_without_a_handler_are_denied(server: Server, client: Client) -> None:
    sdk = client(server.office.token)
    for attempt in (
        sdk.assistants.create("orderly"),
        sdk.store.put_item(["a"], "b", {"c": 1}),
        sdk.store.search_items(["a"]),
        sdk.crons.search(),
    ):
        with pytest.raises(httpx.HTTPStatusError) as refused:
            await attempt
        assert refused.value.response.status_code in (403, 404, 422)


async def test_studios_header_alone_is_refused(server: Server) -> None:
    async with httpx.AsyncClient(base_url=server.url, headers={"x-auth-scheme": "langsmith"}) as http:
        assert (await http.post("/threads/search", json={})).status_code == 401


@pytest.mark.skipif(ENGINE != "langgraph", reason="nodes share a home")
def test_a_second_server_on_one_home_is_refused_and_told_where_the_first_is(server: Server) -> None:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = str(probe.getsockname()[1])
    refused = server.office.installation.run("serve", "--port", port, code=1)
    assert f"already, at {server.url}: stop it, or set ORDERLY_HOME" in refused.stderr


def test_studio_access_is_refused_on_a_public_address(server: Server) -> None:
    refused = server.office.installation.run("serve", "--host", "0.0.0.0", code=1, ORDERLY_STUDIO_TOKEN=server.office.token)
    assert "loopback" in refused.stderr


async def test_a_revoked_token_is_refused(server: Server) -> None:
    installation = server.office.installation
    installation.run("user", "add", "leaver@firm.example")
    token = installation.data("user", "token", "leaver@firm.example")["token"]
    async with httpx.AsyncClient(base_url=server.url, headers={"Authorization": f"Bearer {token}"}) as http:
        assert (await http.post("/threads", json={})).status_code == 200
        installation.run("user", "revoke", "leaver@firm.example")
        assert (await http.post("/threads", json={})).status_code == 401


async def test_the_answer_and_the_agents_steps_stream(server: Server, client: Client) -> None:
    sdk = client(server.office.token)
    thread = await sdk.threads.create()
    seen: list[tuple[str, Any]] = []
    async for part in sdk.runs.stream(
        thread["thread_id"],
        "orderly",
        input=QUESTION,
        context={"matter_id": server.office.matter},
        stream_mode=["messages-tuple", "updates"],
        stream_subgraphs=True,
    ):
        seen.append((part.event, part.data))
    events = {event.split("|")[0] for event, _ in seen}
    assert {"metadata", "messages", "updates"} <= events
    assert any("|" in event for event, _ in seen), "the document agent's steps must be streamed"
    assert "ask_documents" in str(seen)


async def test_a_token_never_reaches_thread_run_log_or_stored_state(server: Server, ask: Ask, client: Client) -> None:
    values = await ask(server.office.token, context={"matter_id": server.office.matter})
    sdk = client(server.office.token)
    thread = values["thread_id"]
    [run] = await sdk.runs.list(thread)
    history = await sdk.threads.get_history(thread)
    for place in (await sdk.threads.get(thread), run, history, server.log.read_text()):
        assert server.office.token not in str(place)
    for file in (server.office.installation.home / "server").glob(".langgraph_api/**/*"):
        if file.is_file():
            assert server.office.token.encode() not in file.read_bytes()


async def test_the_documented_example_runs_as_printed(server: Server, tmp_path: Path) -> None:
    page = (Path(__file__).parents[2] / "docs/server.md").read_text()
    [example] = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    example = example.replace("Which law governs the Hertz intellectual property agreement?", "Which law governs the lease?")
    (tmp_path / "example.py").write_text(example)
    done = subprocess.run(
        [sys.executable, str(tmp_path / "example.py")],
        check=False,
        env={
            **os.environ,
            "ORDERLY_URL": server.url,
            "ORDERLY_TOKEN": server.office.token,
            "ORDERLY_MATTER": server.office.matter,
        },
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    assert "New South Wales" in done.stdout
    assert re.search(r"^lease\.txt page 1 ", done.stdout, re.MULTILINE)


# ---------------------------------------------------------------- docs/streaming.md

STREAMING = (Path(__file__).parents[2] / "docs/streaming.md").read_text()
REST = (Path(__file__).parents[2] / "docs/rest.md").read_text()
JS = Path(__file__).parent / "js"


def environment_of(server: Server) -> dict[str, str]:
    named = {"ORDERLY_URL": server.url, "ORDERLY_TOKEN": server.office.token, "ORDERLY_MATTER": server.office.matter}
    return {**os.environ, **named}


def printed(command: list[str], server: Server, folder: Path) -> str:
    done = subprocess.run(
        command, check=False, env=environment_of(server), cwd=folder, capture_output=True, text=True, timeout=90
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def assert_search_is_printed(output: str) -> None:
    stages = [output.index(f"response.file_search_call.{stage}") for stage in ("in_progress", "searching", "completed")]
    assert stages == sorted(stages)
    assert "orderly.tool.started" in output and "orderly.tool.finished" in output
    assert "laws of New South Wales" in output


@pytest.mark.parametrize("number", [0, 1], ids=["classic protocol", "newer protocol"])
def test_the_documented_python_programs_watch_a_run(server: Server, tmp_path: Path, number: int) -> None:
    program = tmp_path / "watch.py"
    program.write_text(re.findall(r"```python\n(.*?)```", STREAMING, re.DOTALL)[number])
    output = printed([sys.executable, str(program)], server, tmp_path)
    assert_search_is_printed(output)
    within = "subagent response.file_search_call.completed" if number == 0 else "['tools:"
    assert within in output


@pytest.fixture(scope="module")
def node_modules(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """node_modules with the stock JavaScript clients, installed from the lock file."""
    if shutil.which("npm") is None:
        pytest.skip("npm is not installed")
    folder = tmp_path_factory.mktemp("js")
    for name in ("package.json", "package-lock.json"):
        shutil.copy(JS / name, folder)
    command = ["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"]
    done = subprocess.run(command, check=False, cwd=folder, capture_output=True, text=True, timeout=150)
    if done.returncode:
        pytest.skip(f"the JavaScript clients cannot be installed here: {done.stderr[-300:]}")
    return folder


def test_the_documented_javascript_program_watches_a_run(server: Server, node_modules: Path) -> None:
    program = node_modules / "watch.mjs"
    program.write_text(re.findall(r"```js\n(.*?)```", STREAMING, re.DOTALL)[0])
    output = printed(["node", str(program)], server, node_modules)
    assert_search_is_printed(output)
    assert "subagent response.file_search_call.completed" in output


RESUMED = """
import { Buffer } from "node:buffer";
import * as tus from "tus-js-client";
const { ORDERLY_URL, ORDERLY_TOKEN, ORDERLY_MATTER } = process.env;
const options = {
  endpoint: `${ORDERLY_URL}/api/uploads`,
  headers: { Authorization: `Bearer ${ORDERLY_TOKEN}` },
  metadata: { filename: "from-javascript.txt", filetype: "text/plain", matter_id: ORDERLY_MATTER },
  chunkSize: 20,
};
const data = Buffer.from("The rent is reviewed on every first of July by an independent valuer.");
const url = await new Promise((resolve, reject) => {
  const first = new tus.Upload(data, {
    ...options,
    onError: reject,
    onChunkComplete: () => first.abort().then(() => resolve(first.url), reject),
  });
  first.start();
});
await new Promise((resolve, reject) => {
  new tus.Upload(data, { ...options, uploadUrl: url, onError: reject, onSuccess: resolve }).start();
});
console.log("uploaded");
"""


def test_an_interrupted_upload_from_javascript_resumes(server: Server, node_modules: Path) -> None:
    (node_modules / "upload.mjs").write_text(RESUMED)
    assert "uploaded" in printed(["node", "upload.mjs"], server, node_modules)
    names = [d["filename"] for d in server.office.installation.data("--as", server.office.lawyer, "list", server.office.matter)]
    assert "from-javascript.txt" in names


def test_the_documented_javascript_upload_works(server: Server, node_modules: Path) -> None:
    (node_modules / "documented.mjs").write_text(re.findall(r"```js\n(.*?)```", REST, re.DOTALL)[0])
    (node_modules / "lease.txt").write_text("Sent by the JavaScript program.\n")
    document = printed(["node", "documented.mjs"], server, node_modules).strip()
    assert document in {
        d["id"] for d in server.office.installation.data("--as", server.office.lawyer, "list", server.office.matter)
    }


async def test_a_links_secret_is_not_in_the_servers_log(server: Server) -> None:
    async with httpx.AsyncClient(base_url=server.url) as client:
        await client.get("/files/secret-of-a-link", headers={"X-Request-Id": "this-very-request"})
        metrics = await client.get("/api/metrics")
    assert "orderly_requests_total" in metrics.text
    log = server.log.read_text()
    assert "/files/-" in log
    assert "secret-of-a-link" not in log
