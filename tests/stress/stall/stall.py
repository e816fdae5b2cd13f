"""One user attacks; another works. Compares the other's waiting with a quiet server.

    python tests/stress/stall/stall.py [--rounds 3] [--only NAME[,NAME]] [--factor 3] [--page FILE]

The second user asks a question (seconds to the first event that is not metadata), then uploads a document of one page (seconds until
it is read). He does not do both at once: the development server looks for a run every half second, so whether the upload met the
work on the question would be chance. He does so in quiet, then under a load of `hostile.py`, in turns, so that other work of the
machine meets both alike. After a load its documents are deleted, and the server rests. Each load is compared with the quiet rounds
before and after it; one that seems slow is measured again, and judged by all its rounds, because three rounds of a third of a second
say little. Prints a table, which `--page` writes as Markdown too. Exits with 1 if a load makes
the second user wait longer than `--factor` times the quiet median, unless `STATED` says why; if the 95th percentile over all loads does;
or if an answer or a document of the second user is lost.
"""

from __future__ import annotations

import argparse
import asyncio
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from statistics import median, quantiles
from typing import Any

import httpx

sys.path.insert(0, str(Path(__file__).parents[2]))

from stress.stall.hostile import LOADS
from support.installation import LOCAL_USER, Installation, Office, Server, started
from support.lease import LEASE
from support.process_memory import processor_seconds

WARM_UP_SECONDS = 3.0
DOCUMENT_SECONDS = 120.0
LEFTOVER_SECONDS = 180.0
RESTING = 0.3
"""Processor seconds a second, of all processes of the server."""

STATED: dict[str, str] = {
    "ten thousand messages": "bodies of up to 1 MB are parsed, and Python's lock is held meanwhile, before they are refused",
}
"""Load -> why another user waits longer than the factor allows."""


@dataclass
class Waiting:
    first_event: list[float] = field(default_factory=list)
    upload: list[float] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)

    def add(self, other: Waiting) -> None:
        self.first_event += other.first_event
        self.upload += other.upload


class Colleague:
    """The second user."""

    def __init__(self, server: Server, matter: str) -> None:
        headers = {"Authorization": f"Bearer {server.office.colleague_token}"}
        # The development server closes a connection that is idle for 5 s, httpx's own limit: a request that is sent as it closes would count
        # as lost.
        limits = httpx.Limits(keepalive_expiry=3)
        self.http = httpx.AsyncClient(base_url=server.url, headers=headers, timeout=120, limits=limits)
        self.matter, self.number = matter, 0

    async def work(self, waiting: Waiting) -> None:
        await self._timed(self._ask, waiting)
        await self._timed(self._upload, waiting)

    async def _timed(self, act: Callable[[Waiting], Awaitable[None]], waiting: Waiting) -> None:
        """A connection that fails is a loss, not the end of the measurement."""
        began = time.monotonic()
        try:
            await act(waiting)
        except httpx.HTTPError as error:
            waiting.lost.append(f"{act.__name__[1:]}: {type(error).__name__}")
            (waiting.first_event if act == self._ask else waiting.upload).append(time.monotonic() - began)

    async def _ask(self, waiting: Waiting) -> None:
        began, first, text = time.monotonic(), None, ""
        question = {"messages": [{"role": "user", "content": "Which law governs the lease?"}]}
        body = {"assistant_id": "orderly", "input": question, "context": {"matter_id": self.matter}, "stream_mode": ["updates"]}
        async with self.http.stream("POST", "/runs/stream", json=body) as answer:
            async for line in answer.aiter_lines():
                if first is None and line.startswith("event: updates"):
                    first = time.monotonic() - began
                text += line
        if first is None or "New South Wales" not in text:
            waiting.lost.append(f"answer: {answer.status_code} {text[-200:]}")
        waiting.first_event.append(first if first is not None else time.monotonic() - began)

    async def _upload(self, waiting: Waiting) -> None:
        self.number += 1
        began = time.monotonic()
        page = f"Letter {self.number}. The rent of suite {self.number} is payable monthly in advance.".encode()
        sent = await self.http.post(
            f"/api/matters/{self.matter}/documents", files={"file": (f"letter-{self.number}.txt", page)}
        )
        status = "refused"
        if sent.is_success:
            address = f"/api/documents/{sent.json()['id']}"
            while time.monotonic() - began < DOCUMENT_SECONDS:
                status = (await self.http.get(address)).json().get("status", "unreadable")
                if status in ("ready", "partial", "failed"):
                    break
                await asyncio.sleep(0.1)
        if status != "ready":
            waiting.lost.append(f"document: {sent.status_code} {status} {sent.text[:200]}")
        waiting.upload.append(time.monotonic() - began)


async def measure(server: Server, office: Office, theirs: str, rounds: int, only: str, page: Path | None) -> int:
    colleague = Colleague(server, theirs)
    for _ in range(3):
        await colleague.work(Waiting())  # models are loaded, processes are started
    tell(f"{'':36} {'first event':>22} {'one-page upload':>22}")
    before, quiet, pooled = await in_quiet(colleague, rounds), Waiting(), Waiting()
    single: dict[str, tuple[Waiting, Waiting]] = {}
    quiet.add(before)
    for name in LOADS:
        if not any(part in name for part in only.split(",")):
            continue
        found, after = await once(name, server, office, colleague, rounds)
        beside = Waiting()
        beside.add(before)
        beside.add(after)
        show(name, found, beside)
        if is_slow(found, beside):
            more, after = await once(name, server, office, colleague, rounds)
            found.add(more)
            found.lost += more.lost
            beside.add(after)
            show(f"{name}, all rounds", found, beside)
        single[name] = found, beside
        before = after
        quiet.add(after)
        pooled.add(found)
        pooled.lost += [f"{name}: {lost}" for lost in found.lost]
    show("quiet", quiet, quiet)
    show("all loads", pooled, quiet)
    tell("\n".join(["lost:", *pooled.lost] if pooled.lost else ["nothing lost"]))
    slow = [name for name, (found, beside) in single.items() if is_slow(found, beside)]
    for name in slow:
        tell(f"above {FACTOR:g} times the quiet median: {name}: {STATED.get(name, 'NO CAUSE STATED')}")
    if page is not None:
        page.write_text(written({**single, "all loads": (pooled, quiet)}))
    return int(bool(pooled.lost) or bool(set(slow) - STATED.keys()) or max(ratios(pooled, quiet, p95)) > FACTOR)


async def once(name: str, server: Server, office: Office, colleague: Colleague, rounds: int) -> tuple[Waiting, Waiting]:
    """Rounds under a load, and quiet rounds after it."""
    found = await under(name, server, office, colleague, rounds)
    found.lost += await put_away(server, office)
    return found, await in_quiet(colleague, rounds)


async def in_quiet(colleague: Colleague, rounds: int) -> Waiting:
    found = Waiting()
    for _ in range(rounds):
        await colleague.work(found)
    return found


async def put_away(server: Server, office: Office) -> list[str]:
    """Deletes what the attacker uploaded and waits until the server rests: what is left of a load
    would slow the quiet rounds after it, and the next load. Returns what was not put away in LEFTOVER_SECONDS."""
    headers = {"Authorization": f"Bearer {office.token}"}
    end = time.monotonic() + LEFTOVER_SECONDS
    async with httpx.AsyncClient(base_url=server.url, headers=headers, timeout=60) as http:
        while time.monotonic() < end:
            with suppress(httpx.HTTPError):  # a server that is still busy is asked again
                listed = await http.get(f"/api/matters/{office.matter}/documents", params={"limit": 100, "sort": "-uploaded"})
                theirs = [d["id"] for d in listed.raise_for_status().json() if d["id"] != office.document_id]
                for document in theirs:
                    await http.delete(f"/api/documents/{document}")
                if not theirs and await rests(server):
                    return []
            await asyncio.sleep(0.5)
    return ["what the load left was not put away"]


async def rests(server: Server) -> bool:
    """Whether the server computes nothing for a second. Other work of the machine does not count."""
    before = processor_seconds(server.pid)
    await asyncio.sleep(1)
    return processor_seconds(server.pid) - before < RESTING


async def under(name: str, server: Server, office: Office, colleague: Colleague, rounds: int) -> Waiting:
    command = [sys.executable, str(Path(__file__).with_name("hostile.py")), name]
    attack = subprocess.Popen(
        [*command, server.url, office.token, office.matter, office.document_id], stderr=subprocess.DEVNULL
    )
    found = Waiting()
    try:
        await asyncio.sleep(WARM_UP_SECONDS)
        for _ in range(rounds):
            await colleague.work(found)
        if attack.poll() is not None:
            found.lost.append("the attack ended early")
    finally:
        attack.kill()
        attack.wait()
    return found


def tell(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def p95(seconds: list[float]) -> float:
    return quantiles(seconds, n=20, method="inclusive")[-1] if len(seconds) > 1 else seconds[0]


def ratios(found: Waiting, quiet: Waiting, of: Callable[[list[float]], float]) -> tuple[float, float]:
    """Of the first event and of the upload."""
    return of(found.first_event) / of(quiet.first_event), of(found.upload) / of(quiet.upload)


def is_slow(found: Waiting, quiet: Waiting) -> bool:
    return max(ratios(found, quiet, median)) > FACTOR


def show(name: str, found: Waiting, quiet: Waiting) -> None:
    asked, sent = ratios(found, quiet, median)
    cells = (
        f"{median(seconds):6.2f} {p95(seconds):6.2f} s {ratio:5.2f}×"
        for seconds, ratio in ((found.first_event, asked), (found.upload, sent))
    )
    tell(f"{name:36} {'  '.join(cells)}{'  LOST' if found.lost else ''}")


def written(measured: dict[str, tuple[Waiting, Waiting]]) -> str:
    """The table as Markdown, with its date and commit."""
    commit = subprocess.run(
        ["git", "rev-parse", "--short=8", "HEAD"], check=True, capture_output=True, text=True
    ).stdout.strip()
    lines = [f"Measured on {date.today():%d %B %Y} at commit {commit}.".replace(" 0", " "), ""]
    lines += ["| load | first event: median, p95, against quiet | upload: median, p95, against quiet |", "|---|---|---|"]
    for name, (found, quiet) in measured.items():
        cells = (
            f"{median(seconds):.2f} s, {p95(seconds):.2f} s, {ratio:.1f}"
            for seconds, ratio in zip((found.first_event, found.upload), ratios(found, quiet, median), strict=True)
        )
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def opened(installation: Installation) -> tuple[Office, str]:
    """An office whose colleague has a matter of her own."""
    run, data = installation.run, installation.data
    lease = installation.home / "lease.txt"
    lease.write_text(LEASE)
    [report] = data("ingest", str(lease), "--matter", "High Street")
    [mine] = data("matters", "list")
    colleague: dict[str, Any] = data("user", "add", "colleague@firm.example")
    [_] = data("ingest", str(lease), "--matter", "Station Road")
    theirs = next(m["number"] for m in data("matters", "list") if m["number"] != mine["number"])
    run("matters", "member", "add", theirs, "colleague@firm.example", "--role", "editor")
    token = data("user", "token", LOCAL_USER)["token"]
    colleague_token = data("user", "token", "colleague@firm.example")["token"]
    office = Office(
        installation, mine["number"], mine["id"], report["document_id"], token, colleague_token, colleague["user_id"]
    )
    return office, theirs


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", default="")
    parser.add_argument("--factor", type=float, default=3.0)
    parser.add_argument("--page", type=Path)
    options = parser.parse_args()
    FACTOR = options.factor
    home = Path(tempfile.mkdtemp(prefix="orderly-stall-"))
    home.chmod(0o711)
    try:
        made, matter = opened(Installation(home))
        with started(made, {}) as running:
            failed = asyncio.run(measure(running, made, matter, options.rounds, options.only, options.page))
    finally:
        shutil.rmtree(home, ignore_errors=True)
    sys.exit(failed)
