"""A review while server and worker are killed: `python tests/stress/chaos/reviews.py [DOCUMENTS] [KILLS] [SEED]`. Exits with 1 on any violation.

The server and a worker of their own processes answer the cells of one review. Both are killed with SIGKILL in turn, while a person
gives verdicts. At the end every cell must be there once, be answered once, and have the verdict that was given.
"""

from __future__ import annotations

import asyncio
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))

from orderly.errors import Changed
from orderly.models import Caller
from orderly.services.reviews import propose_column
from orderly.settings import Settings
from orderly.store.functions.matters import create_matter
from orderly.store.functions.review_cells import Cell
from orderly.wiring.services import Services, open_operator, open_services
from stress.chaos.chaos import ORDERLY, Installation
from support.lease import LEASE

COLUMNS = 6
DEADLINE_SECONDS = 600


class Victims:
    """A server and a worker, each in a process group of its own."""

    def __init__(self, installation: Installation) -> None:
        self._installation = installation
        self._running: dict[str, subprocess.Popen[bytes]] = {}
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        self._commands = {"server": ["serve", "--port", str(port)], "worker": ["worker"]}
        for name in self._commands:
            self._start(name)

    def _start(self, name: str) -> None:
        with (self._installation.home / f"{name}.log").open("ab") as log:
            self._running[name] = subprocess.Popen(
                [*ORDERLY, *self._commands[name]],
                env=self._installation.environment,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def kill(self, name: str, *, again: bool = True) -> None:
        """Kills the process with its children. `again`: starts it anew."""
        os.killpg(self._running[name].pid, signal.SIGKILL)
        self._running[name].wait()
        if again:
            self._start(name)

    def end(self) -> None:
        for name in self._commands:
            self.kill(name, again=False)


async def cells_of(services: Services, caller: Caller, review: Any) -> list[Cell]:
    table = await services.reviews.table(caller, review)
    return [cell for row in table.rows for cell in row["cells"]]


async def give_verdict(
    services: Services, caller: Caller, cells: list[Cell], given: dict[str, str], picker: random.Random
) -> None:
    """Judges one answered cell that has no verdict."""
    open_cells = [c for c in cells if c["state"] in ("found", "candidate", "not_found") and c["id"] not in given]
    if not open_cells:
        return
    cell = picker.choice(open_cells)
    verdict = "accepted" if picker.random() < 0.5 else "rejected"
    try:
        await services.reviews.judge(caller, cell["id"], verdict, seen=cell["edition"])  # type: ignore[arg-type]
    except Changed:
        return
    given[cell["id"]] = verdict


async def storm(services: Services, caller: Caller, review: Any, victims: Victims, kills: int, seed: int) -> dict[str, Any]:
    """Kills server and worker in turn until the review is done. Returns the verdicts, and the kills in mid-review."""
    picker, given, killed, kept = random.Random(seed), dict[str, str](), {"server": 0, "worker": 0}, dict[str, str]()
    until, next_kill, answered_before = time.monotonic() + DEADLINE_SECONDS, time.monotonic() + 1, 0
    while (found := await services.reviews.find(caller, review["matter_id"], review["id"]))["status"] == "running":
        if time.monotonic() > until:
            break
        cells = await cells_of(services, caller, review)
        kept |= {c["id"]: str(c["answered_at"]) for c in cells if c["answered_at"] and c["id"] not in kept}
        await give_verdict(services, caller, cells, given, picker)
        if time.monotonic() > next_kill and len(kept) > answered_before and sum(killed.values()) < kills:
            name = "server" if killed["server"] <= killed["worker"] else "worker"
            await asyncio.to_thread(victims.kill, name)
            killed[name] += 1
            answered_before, next_kill = len(kept), time.monotonic() + picker.uniform(0.5, 3)
        await asyncio.sleep(0.1)
    return {"verdicts": given, "kills": killed, "answered": kept, "status": found["status"]}


def violations(cells: list[Cell], documents: int, seen: dict[str, Any]) -> list[str]:
    places = {(cell["document_id"], cell["column_id"]) for cell in cells}
    problems = [] if seen["status"] == "done" else [f"the review is {seen['status']}"]
    if not len(cells) == len(places) == documents * COLUMNS:
        problems.append(f"{len(cells)} cells in {len(places)} places, not {documents * COLUMNS}")
    for cell in cells:
        wanted, verdict = seen["verdicts"].get(cell["id"]), cell["verdict"]
        if (verdict["verdict"] if verdict else None) != wanted:
            problems.append(f"a verdict is {verdict}, and was {wanted}")
        if cell["edition"] != (3 if wanted else 2):
            problems.append(f"a cell was written {cell['edition'] - 1} times")
        if seen["answered"].get(cell["id"], str(cell["answered_at"])) != str(cell["answered_at"]):
            problems.append("an answered cell was answered again")
    return problems


async def run(folder: Path, documents: int, kills: int, seed: int) -> tuple[list[str], dict[str, Any]]:
    """Returns the violations and a summary."""
    installation = Installation(folder / "home")
    settings = Settings(home=installation.home, _env_file=None)
    async with open_services(settings) as services:
        assert services.local_user is not None
        caller = Caller(services.local_user)
        matter = await create_matter(services.store, caller, "Reviewed")
        async with open_operator(services) as operator:
            for number in range(documents):
                path = folder / f"lease-{number}.txt"
                await asyncio.to_thread(path.write_text, f"Lease number {number}.\n\n{LEASE}", encoding="utf-8")
                await operator.file_ingestor.add(caller, matter["id"], path)
        columns = [await propose_column(services.engine, f"How much notice is needed in case {n}?") for n in range(COLUMNS)]
        review = await services.reviews.create(caller, matter["id"], "Notices", columns, run=True)
        victims = await asyncio.to_thread(Victims, installation)
        began = time.monotonic()
        try:
            seen = await storm(services, caller, review, victims, kills, seed)
        finally:
            await asyncio.to_thread(victims.end)
        cells = await cells_of(services, caller, review)
    return violations(cells, documents, seen), {
        "cells": len(cells), "verdicts": len(seen["verdicts"]), "server killed": seen["kills"]["server"],
        "worker killed": seen["kills"]["worker"], "seconds": round(time.monotonic() - began),
    }  # fmt: skip


def main(documents: int = 60, kills: int = 20, seed: int = 1) -> None:
    folder = Path(tempfile.mkdtemp(prefix="orderly-chaos-"))
    folder.chmod(0o711)
    problems, summary = asyncio.run(run(folder, documents, kills, seed))
    for name, value in summary.items():
        sys.stdout.write(f"{name:18} {value}\n")
    for problem in problems:
        sys.stdout.write(f"✗ {problem}\n")
    if problems:
        sys.stdout.write(f"Kept for inspection: {folder}\n")
        sys.exit(1)
    sys.stdout.write("✓ every cell there once, answered once, and with the verdict that was given\n")
    shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
