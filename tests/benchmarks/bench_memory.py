"""Peak memory during the ingestion of a long PDF: `python tests/benchmarks/bench_memory.py [PAGES]`.

The target for 2,000 pages is at most 300 MB above the idle program, including reader processes.
Idle: the store is open and one short file was ingested and found, so that models and libraries are loaded.
The embedded Postgres is not counted. Linux only.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

from orderly.models import Caller
from orderly.settings import Settings
from orderly.wiring.services import open_operator, open_services

PAGES = 2_000
TARGET_MB = 300
EVERY_S = 0.02


def held_mb() -> tuple[float, float]:
    """Returns the proportional set size in MiB of this process and of its reader processes."""
    return _pss(os.getpid()), sum(_pss(child) for child in _readers())


def _readers() -> list[int]:
    found = []
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and b"document_processor.child" in (entry / "cmdline").read_bytes():
                parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
                found += [int(entry.name)] if parent == os.getpid() else []
        except (FileNotFoundError, ProcessLookupError):
            continue
    return found


def _pss(pid: int) -> float:
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except (FileNotFoundError, ProcessLookupError):
        return 0.0
    return int(next(line for line in lines if line.startswith("Pss:")).split()[1]) / 1024


class PeakMemory:
    """Records the peak memory in a thread."""

    def __init__(self) -> None:
        self.stage = "at rest"
        self.peak: dict[str, tuple[float, float]] = {}
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)

    def _look(self) -> None:
        while not self._end.wait(EVERY_S):
            now, stage = held_mb(), self.stage
            if sum(now) > sum(self.peak.get(stage, (0.0, 0.0))):
                self.peak[stage] = now

    def __enter__(self) -> PeakMemory:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._end.set()
        self._thread.join()

    def note(self, stage: str, done: int, total: int) -> None:
        self.stage = stage


async def run(pages: int) -> int:
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        Path(folder).chmod(0o711)
        # Written by another process, so that this process never held the file.
        subprocess.run([sys.executable, Path(__file__).with_name("long_pdf.py"), folder, str(pages)], check=True)
        path, short = Path(folder) / "long.pdf", Path(folder) / "short.txt"
        short.write_text("The Supplier shall deliver the Goods within thirty days of the order. " * 40)
        async with (
            open_services(Settings(home=Path(folder) / "home", _env_file=None)) as services,
            open_operator(services) as operator,
        ):
            assert services.local_user is not None
            caller = Caller(services.local_user)
            matter = (await services.store.rpc(caller, "create_matter", {"title": "Bench"}))["id"]
            await operator.file_ingestor.add(caller, matter, short)
            await services.library.search(caller, matter, "delivery of the goods", 10)
            rest = held_mb()
            with PeakMemory() as watch:
                report = await operator.file_ingestor.add(caller, matter, path, progress=watch.note)
    assert report.status == "ready", report
    sys.stdout.write(f"{report.pages} pages, {report.chunks} chunks\nat rest: {rest[0]:.0f} MB, readers {rest[1]:.0f} MB\n")
    for stage, (own, readers) in watch.peak.items():
        sys.stdout.write(f"{stage:12} {own:6.0f} MB, readers {readers:4.0f} MB\n")
    most = max(sum(peak) for peak in watch.peak.values()) - sum(rest)
    sys.stdout.write(f"most above rest: {most:.0f} MB\n")
    return 0 if most <= TARGET_MB else 1


if __name__ == "__main__":
    sys.exit(asyncio.run(run(int(sys.argv[1]) if len(sys.argv) > 1 else PAGES)))
