"""Two nodes under load while nodes, worker, Postgres and Redis are killed: `python tests/stress/nodes/two_nodes.py [SECONDS] [SEED]`.

Exits with 1 if a run does not end, an answer or a document is duplicated, or a confirmed upload is missing.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
import shutil
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))

from stress.nodes.clients import Asker, Outcomes, upload
from stress.nodes.processes import Firm, firm

ASKERS, UPLOADERS = 4, 1
READ_SECONDS = 120.0


async def run(home: Path, seconds: float, seed: int) -> tuple[Outcomes, list[str], list[str]]:
    """Returns the clients' outcomes, the killed processes and the violations."""
    async with firm(home) as office:
        outcomes, ending = Outcomes(), asyncio.Event()
        load = [asyncio.create_task(_keep_asking(office, outcomes, ending, seed + n)) for n in range(ASKERS)]
        load += [asyncio.create_task(_keep_uploading(office, outcomes, ending, seed - 1 - n)) for n in range(UPLOADERS)]
        killed = await _kill_processes(office, seconds)
        ending.set()
        await asyncio.gather(*load)
        return outcomes, killed, await _violations(office, outcomes)


async def _keep_asking(office: Firm, outcomes: Outcomes, ending: asyncio.Event, seed: int) -> None:
    asker = Asker(office, outcomes, random.Random(seed))
    while not ending.is_set():
        await asker.ask()


async def _keep_uploading(office: Firm, outcomes: Outcomes, ending: asyncio.Event, seed: int) -> None:
    picker = random.Random(seed)
    while not ending.is_set():
        await upload(office, outcomes, picker)
        await asyncio.sleep(1)


async def _kill_processes(office: Firm, seconds: float) -> list[str]:
    """Kills one process after the other, evenly over the time."""
    faults: list[tuple[str, Callable[[], Awaitable[None]]]] = [
        ("node A: SIGKILL, started again", lambda: _kill_node(office, 0)),
        ("worker 1: SIGKILL, started again", lambda: _kill_worker(office)),
        ("Postgres: SIGKILL, recovered", lambda: _in_thread(office.kill_postgres)),
        ("Redis: SIGKILL, started again empty", lambda: _in_thread(office.restart_redis)),
        ("node B: SIGKILL, started again", lambda: _kill_node(office, 1)),
    ]
    began, killed = time.monotonic(), []
    for number, (name, fault) in enumerate(faults, start=1):
        await asyncio.sleep(max(0.0, began + seconds * number / (len(faults) + 1) - time.monotonic()))
        await fault()
        killed.append(name)
    await asyncio.sleep(max(0.0, began + seconds - time.monotonic()))
    return killed


async def _kill_node(office: Firm, number: int) -> None:
    office.nodes[number].kill()
    office.nodes[number].wait()
    await asyncio.sleep(3)
    office.nodes[number] = office.start_node(number)
    await office.until_up(number)


async def _kill_worker(office: Firm) -> None:
    office.workers[0].kill()
    office.workers[0].wait()
    office.workers[0] = office.start_worker(0)


async def _in_thread(fault: Callable[[], None]) -> None:
    await asyncio.to_thread(fault)


async def _violations(office: Firm, outcomes: Outcomes) -> list[str]:
    found = [*outcomes.lost, *outcomes.duplicated]
    documents = await _documents_after_processing(office)
    names = [d["filename"] for d in documents]
    found += [f"upload {name} was confirmed and is missing" for name in outcomes.uploaded if name not in names]
    found += [f"{name} is stored {names.count(name)} times" for name in set(names) if names.count(name) > 1]
    found += [f"{d['filename']} is {d['status']}: {d['status_reason']}" for d in documents if d["status"] != "ready"]
    if not outcomes.streamed_elsewhere:
        found.append("no run was streamed from another node than the one that started it")
    proven = await asyncio.to_thread(office.installation.run, "verify-store")
    return found if proven.returncode == 0 else [*found, proven.stdout]


async def _documents_after_processing(office: Firm) -> list[dict[str, Any]]:
    deadline = time.monotonic() + READ_SECONDS
    while True:
        documents: list[dict[str, Any]] = await asyncio.to_thread(office.installation.data, "list", office.matter)
        if all(d["status"] == "ready" for d in documents) or time.monotonic() > deadline:
            return documents
        await asyncio.sleep(2)


def main(seconds: float = 150, seed: int = 1) -> None:
    home = Path(tempfile.mkdtemp(prefix="orderly-nodes-"))
    outcomes, killed, violations = asyncio.run(run(home, float(seconds), int(seed)))
    rows = [
        *(("killed", name) for name in killed),
        ("runs answered", outcomes.answered),
        ("runs that ended in a reported error", len(outcomes.errors)),
        ("runs lost", len(outcomes.lost)),
        ("answers duplicated", len(outcomes.duplicated)),
        ("runs streamed from another node", outcomes.streamed_elsewhere),
        ("broken streams continued on another node", outcomes.moved),
        ("uploads confirmed", len(outcomes.uploaded)),
        ("upload attempts retried", outcomes.upload_retries),
        ("violations", len(violations)),
    ]
    for name, value in rows:
        sys.stdout.write(f"{name:55} {value}\n")
    for violation in violations:
        sys.stdout.write(f"✗ {violation}\n")
    if violations:
        sys.stdout.write(f"Kept for inspection: {home}\n")
        sys.exit(1)
    sys.stdout.write("✓ every run ended in an answer or a reported error; nothing lost, nothing duplicated\n")
    with contextlib.suppress(OSError):
        shutil.rmtree(home)


if __name__ == "__main__":
    main(*map(float, sys.argv[1:]))
