"""The production server: refusals to start, and retention of conversations."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import AsyncExitStack, ExitStack, closing, contextmanager
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import psycopg
import pytest
from langgraph_sdk import get_client
from langgraph_sdk.client import LangGraphClient

from orderly.store.thread_locks import ThreadLocks
from stress.nodes.clients import QUESTION
from stress.nodes.processes import Firm, firm
from support.engines import AEGRA, ROOT
from support.installation import Installation, Server

needs_aegra = pytest.mark.skipif(os.environ.get("ORDERLY_TEST_ENGINE") != "aegra", reason="Aegra: make engines")


def run(installation: Installation, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [AEGRA, "node", *arguments],
        check=False,
        env=installation.environment,
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=240,
    )


@needs_aegra
def test_a_node_refuses_to_serve_before_its_database_is_upgraded_and_without_the_sign_in(
    installation: Installation, tmp_path: Path
) -> None:
    config = json.loads((ROOT / "aegra.json").read_text())
    config["graphs"]["orderly"]["path"] = str(ROOT / "apps/agent/node.py:graph")
    config["http"]["app"] = str(ROOT / "apps/agent/app.py:app")
    config["auth"]["path"] = "./gone.py:auth"
    (tmp_path / "aegra.json").write_text(json.dumps(config))
    early = run(installation, tmp_path, "serve", "--port", "1")
    assert (early.returncode, "node upgrade" in early.stderr) == (1, True), early.stderr
    assert run(installation, tmp_path, "upgrade").returncode == 0
    refused = run(installation, tmp_path, "serve", "--port", "1")
    assert refused.returncode == 1, refused.stdout
    assert "instead of 401" in refused.stderr


@needs_aegra
def test_four_nodes_that_upgrade_and_start_at_once_on_an_empty_database_all_serve(empty_installation: Installation) -> None:
    with ExitStack() as stack:
        upgrades = [stack.enter_context(started(empty_installation, f"upgrade-{n}", "upgrade")) for n in range(4)]
        assert [upgrade.wait(timeout=240) for upgrade in upgrades] == [0] * 4, logs(empty_installation)
    ports = free_ports(4)
    with ExitStack() as stack:
        nodes = [stack.enter_context(started(empty_installation, f"node-{p}", "serve", "--port", str(p))) for p in ports]
        for node, port in zip(nodes, ports, strict=True):
            assert serves(node, port), logs(empty_installation)


@contextmanager
def started(installation: Installation, name: str, *arguments: str) -> Iterator[subprocess.Popen[bytes]]:
    with (installation.home / f"{name}.txt").open("wb") as log:
        process = subprocess.Popen([AEGRA, "node", *arguments], env=installation.environment, stdout=log, stderr=log)
    try:
        yield process
    finally:
        process.terminate()
        process.wait(timeout=60)


def logs(installation: Installation) -> str:
    return "\n".join(f"== {log.name}\n{log.read_text()[-3000:]}" for log in sorted(installation.home.glob("*.txt")))


def free_ports(count: int) -> list[int]:
    with ExitStack() as stack:
        probes = [stack.enter_context(socket.socket()) for _ in range(count)]
        for probe in probes:
            probe.bind(("127.0.0.1", 0))
        return [probe.getsockname()[1] for probe in probes]


def serves(node: subprocess.Popen[bytes], port: int, seconds: float = 120) -> bool:
    deadline = time.monotonic() + seconds
    while node.poll() is None and time.monotonic() < deadline:
        try:
            return httpx.get(f"http://127.0.0.1:{port}/health", timeout=10).is_success
        except httpx.TransportError:
            time.sleep(0.25)
    return False


def test_without_aegra_the_command_names_the_missing_package(installation: Installation) -> None:
    assert "Python 3.12" in installation.run("node", "serve", code=1).stderr


@needs_aegra
def test_an_idle_connection_stays_longer_than_clients_keep_it(server: Server) -> None:
    """httpx keeps one for 5 s, and uvicorn by itself too: a request sent at that moment would be lost."""
    with closing(HTTPConnection(*urlsplit(server.url).netloc.split(":"))) as connection:
        for pause in (0, 7):
            time.sleep(pause)
            connection.request("GET", "/health")
            with connection.getresponse() as answer:
                assert (answer.status, bool(answer.read())) == (200, True)


@needs_aegra
async def test_conversations_are_deleted_by_rule_and_kept_by_a_hold(server: Server) -> None:
    office, installation = server.office, server.office.installation
    question = {"messages": [{"role": "user", "content": "Which law governs the lease?"}]}
    installation.run("retention", "set", "threads", "0")
    installation.run("retention", "--apply")  # removes threads of other tests
    async with get_client(url=server.url, headers={"Authorization": f"Bearer {office.token}"}) as sdk:
        thread = (await sdk.threads.create())["thread_id"]
        await sdk.runs.wait(thread, "orderly", input=question, context={"matter_id": office.matter})
        installation.run("--as", office.lawyer, "hold", office.document_id, "--on")
        assert "0 of threads would go; 1 more are under a legal hold" in installation.run("retention", "--dry-run").stdout
        installation.run("retention", "--apply")
        assert await sdk.threads.get(thread)
        installation.run("--as", office.lawyer, "hold", office.document_id, "--off")
        assert "1 of threads would go" in installation.run("retention", "--dry-run").stdout
        assert await sdk.threads.get(thread), "a dry run must remove nothing"
        assert installation.data("retention", "--apply")["threads"] == 1
        with pytest.raises(httpx.HTTPStatusError):
            await sdk.threads.get(thread)


@needs_aegra
async def test_a_stream_on_another_node_ends_though_redis_lost_the_end_of_the_run(tmp_path: Path) -> None:
    async with firm(tmp_path, workers=0) as office, AsyncExitStack() as stack:
        headers = {"Authorization": f"Bearer {office.token}"}
        clients = [await stack.enter_async_context(get_client(url=url, headers=headers)) for url in office.urls]
        thread = (await clients[0].threads.create())["thread_id"]
        locks = ThreadLocks(office.conversations_url)
        stack.push_async_callback(locks.close)
        async with asyncio.timeout(120):
            async with locks.held(thread):  # the run waits
                run = (await clients[0].runs.create(thread, "orderly", input=QUESTION))["run_id"]
                runner = await running_on(office, run)
                reader = asyncio.create_task(read(clients[1 - runner], thread, run))
                while run not in await redis(office, "pubsub", "channels"):
                    await asyncio.sleep(0.1)
                os.kill(office.nodes[1 - runner].pid, signal.SIGSTOP)
                await redis(office, "client", "kill", "type", "pubsub")
            while '"payload": ["end"' not in await redis(office, "lrange", f"aegra:run:cache:{run}", "-1", "-1"):
                await asyncio.sleep(0.1)
            await redis(office, "flushall")
            os.kill(office.nodes[1 - runner].pid, signal.SIGCONT)
            await reader


async def running_on(office: Firm, run: str) -> int:
    """The node that executes a run: Aegra names its process."""
    async with await psycopg.AsyncConnection.connect(office.conversations_url, autocommit=True) as connection:
        while True:
            found = await connection.execute("select claimed_by from runs where run_id = %s", (run,))
            claimed = str((await found.fetchone() or ("",))[0])
            for number, node in enumerate(office.nodes):
                if f"-{node.pid}" in claimed:
                    return number
            await asyncio.sleep(0.1)


async def read(client: LangGraphClient, thread: str, run: str) -> None:
    async for _ in client.runs.join_stream(thread, run):
        pass


async def redis(office: Firm, *command: str) -> str:
    place = str(office.redis_folder / "redis.sock")
    return await asyncio.to_thread(subprocess.check_output, ["redis-cli", "-s", place, *command], text=True)
