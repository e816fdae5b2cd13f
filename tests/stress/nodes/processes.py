"""An installation on one machine: two nodes, two workers, one Postgres, one Redis, each a process that can be killed."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import subprocess
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import httpx

from orderly.store.embedded import EmbeddedPostgres
from support.engines import AEGRA, redis_url, start_redis
from support.installation import LOCAL_USER, Installation
from support.lease import LEASE

SETTINGS = {
    "ORDERLY_LEASE_SECONDS": "5",
    "ORDERLY_SERVE_WORKER": "false",
    # Half of the defaults, to shorten the test.
    "LEASE_DURATION_SECONDS": "15",
    "HEARTBEAT_INTERVAL_SECONDS": "5",
    "REAPER_INTERVAL_SECONDS": "5",
    "STUCK_PENDING_THRESHOLD_SECONDS": "20",
}


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port


@dataclass
class Firm:
    installation: Installation
    redis_folder: Path
    environment: dict[str, str]
    ports: list[int] = field(default_factory=lambda: [free_port(), free_port()])
    nodes: list[subprocess.Popen[bytes]] = field(default_factory=list)
    workers: list[subprocess.Popen[bytes]] = field(default_factory=list)
    redis: subprocess.Popen[bytes] | None = None
    token: str = ""
    matter: str = ""
    conversations_url: str = ""

    @property
    def urls(self) -> list[str]:
        return [f"http://127.0.0.1:{port}" for port in self.ports]

    def start_node(self, number: int) -> subprocess.Popen[bytes]:
        return self._start(f"node-{number}", [str(AEGRA), "node", "serve", "--port", str(self.ports[number])])

    def start_worker(self, number: int) -> subprocess.Popen[bytes]:
        return self._start(f"worker-{number}", [str(AEGRA), "worker"])

    def _start(self, name: str, command: list[str]) -> subprocess.Popen[bytes]:
        with (self.installation.home / f"{name}.log").open("ab") as log:
            return subprocess.Popen(command, env=self.environment, stdout=log, stderr=log)

    def restart_redis(self) -> None:
        assert self.redis is not None
        self.redis.kill()
        self.redis.wait()
        self.redis = start_redis(self.redis_folder)

    def kill_postgres(self) -> None:
        """Sends SIGKILL to the embedded Postgres; a process that uses the server restarts it."""
        folder = (self.installation.home / "postgres" / "postgres").resolve()
        pid = int((folder / "data18" / "postmaster.pid").read_text().split("\n", 1)[0])
        os.kill(pid, signal.SIGKILL)

    def stop(self) -> None:
        running = [p for p in (*self.nodes, *self.workers, self.redis) if p is not None and p.poll() is None]
        for process in running:
            process.terminate()
        for process in running:
            try:
                process.wait(timeout=30)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    async def until_up(self, number: int, seconds: float = 90.0) -> None:
        async with httpx.AsyncClient() as client:
            for _ in range(int(seconds / 0.25)):
                try:
                    if (await client.get(f"{self.urls[number]}/health", timeout=2)).is_success:
                        return
                except httpx.HTTPError:
                    pass
                if self.nodes[number].poll() is not None:
                    break
                await asyncio.sleep(0.25)
        log = (self.installation.home / f"node-{number}.log").read_text()[-3000:]
        raise RuntimeError(f"node {number} did not start:\n{log}")


@asynccontextmanager
async def firm(home: Path, *, workers: int = 2, nodes: int = 2) -> AsyncIterator[Firm]:
    """Starts an installation with a matter that holds one lease; stops all its processes at exit."""
    home.chmod(0o711)
    installation, redis_folder = Installation(home), home / "redis"
    redis_folder.mkdir()
    environment = {**installation.environment, **SETTINGS, "ORDERLY_REDIS_URL": redis_url(redis_folder)}
    installed = Firm(installation, redis_folder, environment)
    async with AsyncExitStack() as stack:
        # This process also holds the database open, so that it does not stop with the last node.
        server = await stack.enter_async_context(EmbeddedPostgres(home / "postgres"))
        installed.conversations_url = server.url_of("postgres_conversations")
        stack.callback(installed.stop)
        installed.redis = start_redis(redis_folder)
        await asyncio.to_thread(_prepare, installed)
        installed.nodes = [installed.start_node(n) for n in range(nodes)]
        installed.workers = [installed.start_worker(n) for n in range(workers)]
        for number in range(nodes):
            await installed.until_up(number)
        yield installed


def _prepare(installed: Firm) -> None:
    subprocess.run([AEGRA, "node", "upgrade"], check=True, env=installed.environment, capture_output=True, timeout=180)
    lease = installed.installation.home / "lease.txt"
    lease.write_text(LEASE)
    installed.installation.data("ingest", str(lease), "--matter", "High Street")
    [matter] = installed.installation.data("matters", "list")
    installed.matter, installed.token = matter["number"], installed.installation.data("user", "token", LOCAL_USER)["token"]
