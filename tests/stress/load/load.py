"""Load test: concurrent chats and uploads, compared with a bare graph on the same server.

    python tests/stress/load/load.py [--chats 200] [--uploads 20] [--seconds 600] [--node]

The graphs take turns; the uploads run in the first round. The model answers immediately, so the measurement covers
Orderly and the server: the development server, or with --node the production server. Prints JSON: seconds to the first event and to the end (median, 95th percentile), chats per second, the ratios
of both to the bare graph's, and the server's memory over time. Exits with 1 if a chat or an upload fails, and with --strict also
if a ratio is above 1.3 or memory grows by more than a fifth after the warm-up.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click
import httpx
from langgraph_sdk import get_client

ROOT = Path(__file__).parents[3]
sys.path.insert(0, str(ROOT / "tests"))

from support.engines import AEGRA, redis_url, start_redis  # noqa: E402
from support.installation import LOCAL_USER, Installation  # noqa: E402
from support.lease import LEASE  # noqa: E402
from support.scripted_model import Reply, serve, texts, tool_names  # noqa: E402

RATIO = 1.3
GROWTH = 1.2
WARM_UP = 0.25
"""Warm-up as a share of the time; memory growth is measured after it."""


def instant(matter: str) -> Any:
    def script(request: dict[str, Any]) -> Reply:
        names, seen = tool_names(request), texts(request, "tool")
        if "task" in names:
            return (
                "There is one."
                if seen
                else [("task", {"description": f"In {matter}: list", "subagent_type": "document-agent"})]
            )
        if "list_matter_documents" in names:
            return "One document." if seen else [("list_matter_documents", {"matter_id": matter})]
        return "There is one."

    return script


@dataclass
class Measured:
    first: list[float] = field(default_factory=list)
    whole: list[float] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)
    seconds: float = 0.0

    def figures(self) -> dict[str, Any]:
        return {
            "chats": len(self.whole),
            "failures": len(self.failures),
            "first_event_seconds": _spread(self.first),
            "whole_seconds": _spread(self.whole),
            "chats_per_second": round(len(self.whole) / self.seconds, 2) if self.seconds else None,
        }


def _spread(values: list[float]) -> dict[str, float] | None:
    if not values:
        return None
    ranked = sorted(values)
    return {
        "median": round(statistics.median(ranked), 3),
        "p95": round(ranked[min(len(ranked) - 1, int(len(ranked) * 0.95))], 3),
    }


async def chat(client: Any, graph: str, matter: str, into: Measured, threads: list[str]) -> None:
    began = time.perf_counter()
    try:
        thread = await client.threads.create()
        threads.append(thread["thread_id"])
        first = None
        question = {"messages": [{"role": "user", "content": f"What is in {matter}?"}]}
        async for part in client.runs.stream(
            thread["thread_id"], graph, input=question, stream_mode=["messages-tuple", "values"]
        ):
            if part.event == "error":
                raise RuntimeError(str(part.data))
            if first is None and part.event != "metadata":
                first = time.perf_counter() - began
        into.first.append(first or 0.0)
        into.whole.append(time.perf_counter() - began)
    except (httpx.HTTPError, RuntimeError) as error:
        into.failures.append(f"{type(error).__name__}: {error}")


async def chats(client: Any, graph: str, matter: str, count: int) -> Measured:
    into, threads, began = Measured(), list[str](), time.perf_counter()
    await asyncio.gather(*(chat(client, graph, matter, into, threads) for _ in range(count)))
    into.seconds = time.perf_counter() - began
    # The development server keeps every thread in memory and scans them at each request.
    for thread in threads:
        await client.threads.delete(thread)
    return into


async def uploads(url: str, token: str, matter: str, count: int, since: int) -> list[str]:
    """Uploads files one after the other; returns the failures."""
    wrong = []
    async with httpx.AsyncClient(base_url=url, headers={"Authorization": f"Bearer {token}"}, timeout=120) as client:
        for n in range(since, since + count):
            text = f"{LEASE}\n\nCopy number {n}.\n"
            answer = await client.post(f"/api/matters/{matter}/documents", files={"file": (f"upload-{n}.txt", text.encode())})
            if not answer.is_success:
                wrong.append(f"{answer.status_code}: {answer.text[:200]}")
    return wrong


def memory_mb(root: int) -> int:
    """Returns the memory of the process and its descendants."""
    total, stack = 0, [root]
    while stack:
        pid = stack.pop()
        try:
            stack += [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
            total += int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
        except OSError:
            continue
    return total // (1 << 20)


def configuration() -> dict[str, Any]:
    """Returns the project's langgraph.json with the bare graph added."""
    given: dict[str, Any] = json.loads((ROOT / "langgraph.json").read_text())
    given["dependencies"] = [str(ROOT)]
    given["graphs"] = {
        "orderly": str(ROOT / "apps/agent/graph.py:graph"),
        "bare": str(Path(__file__).parent / "bare_graph.py:graph"),
    }
    given["auth"]["path"] = str(ROOT / "apps/agent/auth.py:auth")
    given["http"]["app"] = str(ROOT / "apps/agent/app.py:app")
    return given


def development_server(installation: Installation, port: int, jobs: int) -> list[str]:
    """Returns the command that starts the development server."""
    config = installation.home / "langgraph.json"
    config.write_text(json.dumps(configuration()))
    return [str(Path(sys.executable).parent / "langgraph"), "dev", "--config", str(config),
            "--port", str(port), "--n-jobs-per-worker", str(jobs), "--no-browser", "--no-reload"]  # fmt: skip


def production_server(installation: Installation, port: int, jobs: int, environment: dict[str, str]) -> list[str]:
    """Returns the command that starts the node; the node reads its configuration from the working directory."""
    given = configuration()
    graphs = {**given["graphs"], "orderly": str(ROOT / "apps/agent/node.py:graph")}
    config = {"graphs": {name: {"path": path} for name, path in graphs.items()}, "auth": given["auth"], "http": given["http"]}
    (installation.home / "aegra.json").write_text(json.dumps(config))
    subprocess.run([AEGRA, "node", "upgrade"], check=True, env=environment, cwd=installation.home)
    return [str(AEGRA), "node", "serve", "--port", str(port), "--runs", str(jobs)]


@contextmanager
def server(installation: Installation, environment: dict[str, str], jobs: int, *, node: bool = False) -> Any:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    environment = {**installation.environment, **environment, "ORDERLY_BIND_HOST": "127.0.0.1"}
    redis = None
    if node:
        redis = start_redis(installation.home)
        environment["ORDERLY_REDIS_URL"] = redis_url(installation.home)
        command = production_server(installation, port, jobs, environment)
    else:
        command = development_server(installation, port, jobs)
    log = (installation.home / "load-server.log").open("wb")
    process = subprocess.Popen(command, env=environment, stdout=log, stderr=log, start_new_session=True, cwd=installation.home)
    url = f"http://127.0.0.1:{port}"
    try:
        for _ in range(240):
            try:
                if httpx.get(f"{url}{'/health' if node else '/ok'}", timeout=2).is_success:
                    break
            except httpx.HTTPError:
                time.sleep(0.5)
        else:
            raise SystemExit((installation.home / "load-server.log").read_text()[-2000:])
        yield url, process.pid
    finally:
        os.killpg(process.pid, signal.SIGTERM)
        try:
            process.wait(timeout=60)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
        if redis is not None:
            redis.terminate()
            redis.wait(timeout=10)


async def measured(options: argparse.Namespace, url: str, pid: int, token: str, matter: str) -> dict[str, Any]:
    failures: list[str] = []
    rounds: list[tuple[Measured, Measured]] = []
    memory: list[int] = []
    limits = httpx.Limits(max_connections=options.chats * 2)
    async with get_client(url=url, headers={"Authorization": f"Bearer {token}"}, timeout=300) as client:
        client.http.client._limits = limits
        for graph in ("bare", "orderly"):
            await chats(client, graph, matter, min(20, options.chats))  # warm-up, not measured
        ends = time.monotonic() + options.seconds
        while not rounds or time.monotonic() < ends:
            given = 0 if rounds else options.uploads
            bare, amiss = await asyncio.gather(
                chats(client, "bare", matter, options.chats), uploads(url, token, matter, given, 0)
            )
            own, wrong = await asyncio.gather(
                chats(client, "orderly", matter, options.chats), uploads(url, token, matter, given, given)
            )
            rounds.append((bare, own))
            failures += [*bare.failures, *own.failures, *amiss, *wrong]
            memory.append(memory_mb(pid))
    bares, owns = (_combine([pair[n] for pair in rounds]) for n in (0, 1))
    return {
        "bare": bares.figures(),
        "orderly": owns.figures(),
        "ratio": {
            "first_event_p95": round(_spread(owns.first)["p95"] / _spread(bares.first)["p95"], 2)
            if owns.first and bares.first
            else None,
            "seconds_per_chat": round(owns.seconds / bares.seconds, 2),
        },
        "rounds": len(rounds),
        "memory_mb": memory,
        "failures": failures[:10],
    }


def _combine(parts: list[Measured]) -> Measured:
    whole = Measured()
    for part in parts:
        whole.first += part.first
        whole.whole += part.whole
        whole.failures += part.failures
        whole.seconds += part.seconds
    return whole


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--chats", type=int, default=200)
    parser.add_argument("--uploads", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--jobs", type=int, default=50, help="Concurrent runs on the server.")
    parser.add_argument("--node", action="store_true", help="On the production server (make engines installs it).")
    parser.add_argument("--strict", action="store_true")
    options = parser.parse_args()
    home = Path(tempfile.mkdtemp(prefix="orderly-load-"))
    home.chmod(0o711)
    installation = Installation(home)
    (home / "lease.txt").write_text(LEASE)
    installation.run("ingest", str(home / "lease.txt"), "--matter", "High Street")
    [matter] = installation.data("matters", "list")
    token = installation.data("user", "token", LOCAL_USER)["token"]
    with serve(instant(matter["number"])) as model:
        # All chats belong to one user, so the limits per user are switched off.
        environment = {"OPENAI_API_KEY": "scripted", "OPENAI_BASE_URL": model.base_url, "ORDERLY_REQUESTS_PER_MINUTE": "0"}
        with server(installation, environment, options.jobs, node=options.node) as (url, pid):
            found = asyncio.run(measured(options, url, pid, token, matter["number"]))
    click.echo(json.dumps(found, indent=2))
    warm = found["memory_mb"][int(len(found["memory_mb"]) * WARM_UP)]
    slow = any((ratio or 0) > RATIO for ratio in found["ratio"].values())
    if found["failures"] or (options.strict and (slow or found["memory_mb"][-1] > warm * GROWTH)):
        sys.exit(1)


if __name__ == "__main__":
    main()
