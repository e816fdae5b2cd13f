"""Steady load on one node: `python tests/stress/nodes/soak.py [SECONDS] [ASKERS]`. Measures memory after a warm-up, and waiting times.

Exits with 1 if memory grows by more than 5 % after the warm-up, or a run has no answer.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
import shutil
import statistics
import sys
import tempfile
import time
from pathlib import Path

import psycopg

sys.path.insert(0, str(Path(__file__).parents[2]))

from stress.nodes.clients import Asker, Outcomes
from stress.nodes.processes import Firm, firm

GROWTH = 0.05
WARM_UP = 0.25
"""Share of the time in which models are loaded, pools filled and caches warmed."""

PAUSE_SECONDS = 1.0
"""Pause between an answer and the same client's next question."""


async def run(home: Path, seconds: float, askers: int) -> tuple[Outcomes, list[tuple[float, float]], int]:
    """Returns the outcomes, samples of (seconds, MiB) of the node, and the growth of the conversations in bytes."""
    async with firm(home, nodes=1, workers=1) as office:
        outcomes, until = Outcomes(), time.monotonic() + seconds
        memory, before = asyncio.create_task(_memory(office, until)), _size(office.conversations_url)
        await asyncio.gather(*(_keep_asking(office, outcomes, until, n) for n in range(askers)))
        return outcomes, await memory, _size(office.conversations_url) - before


def _size(url: str) -> int:
    with psycopg.connect(url) as admin:
        row = admin.execute("select pg_database_size(current_database())").fetchone()
    assert row is not None
    return int(row[0])


async def _keep_asking(office: Firm, outcomes: Outcomes, until: float, seed: int) -> None:
    asker = Asker(office, outcomes, random.Random(seed))
    await asyncio.sleep(seed * PAUSE_SECONDS)
    while time.monotonic() < until:
        await asker.ask()
        await asyncio.sleep(PAUSE_SECONDS)


async def _memory(office: Firm, until: float) -> list[tuple[float, float]]:
    began, found = time.monotonic(), []
    while time.monotonic() < until:
        found.append((time.monotonic() - began, _resident_mb(office.nodes[0].pid)))
        await asyncio.sleep(2)
    return found


def _resident_mb(pid: int) -> float:
    """Returns the private memory of the process, without pages shared with the database's cache."""
    for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
        if line.startswith("Pss_Anon:"):
            return int(line.split()[1]) / 1024
    raise RuntimeError("the kernel does not tell the node's memory")


def p95(values: list[float]) -> float:
    return statistics.quantiles(values, n=20)[-1] if len(values) > 1 else values[0]


def main(seconds: float = 600, askers: float = 2) -> None:
    home = Path(tempfile.mkdtemp(prefix="orderly-soak-"))
    outcomes, memory, grown = asyncio.run(run(home, seconds, int(askers)))
    warm = [mb for at, mb in memory if at > seconds * WARM_UP]
    ends = max(1, len(warm) // 5)
    begin, end = statistics.median(warm[:ends]), statistics.median(warm[-ends:])
    failed = len(outcomes.errors) + len(outcomes.lost) + len(outcomes.duplicated)
    rows = [
        ("seconds, people asking", f"{seconds:.0f}, {askers:.0f}"),
        ("questions answered, not answered", f"{outcomes.answered}, {failed}"),
        ("first event, s: median, p95", f"{statistics.median(outcomes.first_event):.2f}, {p95(outcomes.first_event):.2f}"),
        (
            "full offline answer, s: median, p95",
            f"{statistics.median(outcomes.whole_answer):.2f}, {p95(outcomes.whole_answer):.2f}",
        ),
        ("node's memory after warm-up, at the end, MiB", f"{begin:.0f}, {end:.0f} ({(end / begin - 1) * 100:+.1f} %)"),
        ("conversations, kB of database a question", f"{grown / max(1, outcomes.answered) / 1e3:.0f}"),
    ]
    for name, value in rows:
        sys.stdout.write(f"{name:48} {value}\n")
    with contextlib.suppress(OSError):
        shutil.rmtree(home)
    if failed or end > begin * (1 + GROWTH):
        sys.stdout.write("✗ memory grew, or a question had no answer\n")
        sys.exit(1)


if __name__ == "__main__":
    main(*map(float, sys.argv[1:]))
