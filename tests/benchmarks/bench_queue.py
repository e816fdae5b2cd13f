"""Documents per minute through the queue with one and two worker processes: `python tests/benchmarks/bench_queue.py [FILES]`."""

from __future__ import annotations

import asyncio
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import psycopg

sys.path.insert(0, str(Path(__file__).parents[1]))

from orderly.store.embedded import EmbeddedPostgres
from orderly.store.migrate import migrate
from stress.chaos.chaos import Installation
from stress.chaos.documents import make_documents

COUNTS = """
select count(*) filter (where claim > 0), count(*) filter (where status in ('ready', 'partial', 'failed', 'unsupported'))
from documents
"""


async def measure(files: list[Path], folder: Path, workers: int) -> float:
    """Returns documents per minute between the first claim and the last publication, without the start of processes."""
    installation = Installation(folder / f"workers-{workers}")
    async with EmbeddedPostgres(installation.home / "postgres") as server:
        await migrate(server.database_url)
        done = await asyncio.to_thread(installation.ingest, files, "--no-wait")
        assert done.returncode == 0, done.stderr
        running = [installation.worker(n) for n in range(workers)]
        try:
            return await asyncio.to_thread(_watch, server.database_url, len(files))
        finally:
            _stop(running)


def _watch(url: str, count: int) -> float:
    began = None
    with psycopg.connect(url, autocommit=True) as db:
        while True:
            taken, finished = db.execute(COUNTS).fetchone() or (0, 0)
            if began is None and taken:
                began, before = time.perf_counter(), finished
            if began is not None and finished == count:
                return (finished - before) / (time.perf_counter() - began) * 60
            time.sleep(0.02)


def _stop(running: list[subprocess.Popen[bytes]]) -> None:
    for worker in running:
        worker.terminate()
    for worker in running:
        worker.wait(timeout=60)


async def main(count: int = 120) -> None:
    folder = Path(tempfile.mkdtemp(prefix="orderly-bench-"))
    folder.chmod(0o711)
    files = make_documents(folder / "files", count, seed=7)
    figures = {workers: await measure(files, folder, workers) for workers in (1, 2)}
    for workers, rate in figures.items():
        sys.stdout.write(f"{workers} worker{'s' if workers > 1 else ' '}: {rate:6.0f} documents a minute\n")
    sys.stdout.write(f"ratio {figures[2] / figures[1]:.2f}\n")
    shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    asyncio.run(main(*map(int, sys.argv[1:])))
