"""Uploads while workers and the database are killed: `python tests/stress/chaos/chaos.py [FILES] [SEED]`. Exits with 1 on any violation.

The same files are ingested twice: once undisturbed, and once by two workers that are killed repeatedly, one of them paused past
the expiry of its lease, while the database is killed once. Both installations must hold the same documents.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psycopg

sys.path.insert(0, str(Path(__file__).parents[2]))

from orderly.store.embedded import EmbeddedPostgres
from orderly.store.migrate import migrate
from stress.chaos.documents import make_documents
from stress.chaos.inspection import Holdings, differences, inspect

ORDERLY = [sys.executable, "-c", "from orderly.cli import main; main()"]
LEASE_SECONDS = 3
# Enough attempts that repeated kills of one file's worker do not mark the file as failed.
LIMITS = {"ORDERLY_LEASE_SECONDS": str(LEASE_SECONDS), "ORDERLY_RETRY_SECONDS": "0.5", "ORDERLY_MAX_ATTEMPTS": "20"}
BATCH = 8


@dataclass(frozen=True)
class Plan:
    files: int
    seed: int
    kills: int
    """Maximum number of worker kills; killing ends when all documents are processed."""
    kill_database: bool = True
    deadline_seconds: float = 1500.0


@dataclass
class Tally:
    kills: int = 0
    pauses: int = 0
    database_kills: int = 0
    upload_retries: int = 0
    problems: list[str] = field(default_factory=list)


class Installation:
    def __init__(self, home: Path) -> None:
        home.mkdir()
        home.chmod(0o711)
        self.home = home
        self._begins: dict[int, int] = {}
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("ORDERLY_", "OPENAI_", "ISAACUS_", "SUPABASE_"))}
        self.environment = {**kept, **LIMITS, "ORDERLY_HOME": str(home), "NO_COLOR": "1"}

    def ingest(self, files: list[Path], *options: str) -> subprocess.CompletedProcess[str]:
        command = [*ORDERLY, "ingest", *map(str, files), "--matter", "Chaos", *options]
        return subprocess.run(command, check=False, env=self.environment, capture_output=True, text=True, timeout=600)

    def worker(self, number: int) -> subprocess.Popen[bytes]:
        with self._log(number).open("ab") as log:
            self._begins[number] = log.tell()
            return subprocess.Popen([*ORDERLY, "worker", "--verbose"], env=self.environment, stdout=log, stderr=log)

    def is_working(self, number: int) -> bool:
        """True once the worker's last start has installed its signal handlers."""
        return b"Working." in self._log(number).read_bytes()[self._begins[number] :]

    def _log(self, number: int) -> Path:
        return self.home / f"worker-{number}.log"

    def database_pid(self) -> int:
        data = (self.home / "postgres" / "postgres").resolve() / "data18" / "postmaster.pid"
        return int(data.read_text().split("\n", 1)[0])


class FaultInjection:
    """Kills and restarts two workers until every document is processed."""

    def __init__(self, installation: Installation, plan: Plan, url: str, tally: Tally) -> None:
        self._installation, self._plan, self._url, self._tally = installation, plan, url, tally
        self._picker = random.Random(plan.seed)
        self._workers = [installation.worker(n) for n in range(2)]
        self._uploaded = threading.Event()

    def run(self, files: list[Path]) -> None:
        uploading = threading.Thread(target=self._upload, args=(files,))
        uploading.start()
        deadline = time.monotonic() + self._plan.deadline_seconds
        pause_at, database_at = self._picker.sample(range(1, max(self._plan.kills, 3)), 2)
        step = 0
        try:
            while not (self._uploaded.is_set() and self._pending() == 0):
                if time.monotonic() > deadline:
                    self._tally.problems.append("the documents were not processed in time")
                    break
                if self._processing() and step < self._plan.kills:
                    step += 1
                    if step == pause_at:
                        self._pause_a_worker()
                    if step == database_at and self._plan.kill_database:
                        self._kill_database()
                    self._kill_a_worker()
                    time.sleep(self._picker.uniform(0.1, 1.5))
                time.sleep(0.05)
        finally:
            uploading.join()
            self._stop_workers()

    def _upload(self, files: list[Path]) -> None:
        for first in range(0, len(files), BATCH):
            for _ in range(20):
                done = self._installation.ingest(files[first : first + BATCH], "--no-wait")
                if done.returncode == 0:
                    break
                # Retry the same command, as a person would.
                self._tally.upload_retries += 1
                time.sleep(1)
            else:
                self._tally.problems.append(f"an upload failed 20 times: {done.stderr[-300:]}")
        self._uploaded.set()

    def _query_count(self, query: str) -> int | None:
        """Returns None while the database is down."""
        try:
            with psycopg.connect(self._url, connect_timeout=5) as db:
                row = db.execute(query).fetchone()  # type: ignore[call-overload]
                return int(row[0])
        except psycopg.OperationalError:
            return None

    def _pending(self) -> int | None:
        statuses = "('queued', 'extracting', 'ocr', 'chunking', 'embedding')"
        return self._query_count(f"select count(*) from documents where status in {statuses}")

    def _processing(self) -> int | None:
        return self._query_count(
            "select count(*) from documents where status in ('extracting', 'ocr', 'chunking', 'embedding')"
        )

    def _kill_a_worker(self) -> None:
        number = self._picker.randrange(len(self._workers))
        time.sleep(self._picker.uniform(0, 0.3))
        self._workers[number].kill()
        self._workers[number].wait()
        self._tally.kills += 1
        self._workers[number] = self._installation.worker(number)

    def _pause_a_worker(self) -> None:
        """Pauses a worker until its lease has expired: the other worker takes over, then the paused one resumes the same document."""
        worker = self._workers[self._picker.randrange(len(self._workers))]
        os.kill(worker.pid, signal.SIGSTOP)
        time.sleep(LEASE_SECONDS * 2)
        os.kill(worker.pid, signal.SIGCONT)
        self._tally.pauses += 1

    def _kill_database(self) -> None:
        os.kill(self._installation.database_pid(), signal.SIGKILL)
        self._tally.database_kills += 1

    def _stop_workers(self) -> None:
        for number, worker in enumerate(self._workers):
            deadline = time.monotonic() + 60
            while worker.poll() is None and not self._installation.is_working(number) and time.monotonic() < deadline:
                time.sleep(0.1)
            worker.terminate()
        for worker in self._workers:
            try:
                code = worker.wait(timeout=60)
            except subprocess.TimeoutExpired:
                worker.kill()
                code = worker.wait()
            if code != 0:
                self._tally.problems.append(f"a worker exited with {code} after SIGTERM")


async def run_undisturbed(folder: Path, files: list[Path]) -> Holdings:
    installation = Installation(folder / "calm")
    await asyncio.to_thread(installation.ingest, files)
    return await inspect(installation.home)


async def run_with_faults(folder: Path, files: list[Path], plan: Plan, tally: Tally) -> Holdings:
    installation = Installation(folder / "storm")
    # This process also holds the database open, so that it does not stop with the last worker.
    async with EmbeddedPostgres(installation.home / "postgres") as server:
        await migrate(server.database_url)
        faults = await asyncio.to_thread(FaultInjection, installation, plan, server.database_url, tally)
        await asyncio.to_thread(faults.run, files)
    return await inspect(installation.home)


async def run(plan: Plan, folder: Path) -> tuple[list[str], dict[str, Any]]:
    """Returns the violations and a summary of the run."""
    files = make_documents(folder / "files", plan.files, plan.seed)
    undisturbed = await run_undisturbed(folder, files)
    tally, began = Tally(), time.monotonic()
    disturbed = await run_with_faults(folder, files, plan, tally)
    violations = [*tally.problems, *disturbed.violations, *differences(undisturbed, disturbed)]
    violations += [f"not finished: {name} is {status}" for name, status in disturbed.unfinished.items()]
    if len(undisturbed.documents) < len(files):
        violations.append(f"the undisturbed run ingested {len(undisturbed.documents)} of {len(files)} files")
    if disturbed.uploading > tally.upload_retries:
        violations.append(f"{disturbed.uploading} uploads are unfinished after {tally.upload_retries} failed commands")
    return violations, {
        "files": len(files), "documents": len(disturbed.documents), "by status": _by_status(disturbed), "workers killed": tally.kills,
        "workers paused": tally.pauses, "database killed": tally.database_kills, "uploads repeated": tally.upload_retries,
        "seconds": round(time.monotonic() - began),
    }  # fmt: skip


def _by_status(holdings: Holdings) -> dict[str, int]:
    return {
        status: sum(d.status == status for d in holdings.documents) for status in sorted({d.status for d in holdings.documents})
    }


def main(files: int = 200, seed: int = 1) -> None:
    folder = Path(tempfile.mkdtemp(prefix="orderly-chaos-"))
    folder.chmod(0o711)
    violations, summary = asyncio.run(run(Plan(files=files, seed=seed, kills=files // 4), folder))
    for name, value in summary.items():
        sys.stdout.write(f"{name:18} {value}\n")
    for violation in violations:
        sys.stdout.write(f"✗ {violation}\n")
    if violations:
        sys.stdout.write(f"Kept for inspection: {folder}\n")
        sys.exit(1)
    sys.stdout.write(
        "✓ every document in a final state, none lost, none duplicated, nothing left over, the same text as undisturbed\n"
    )
    with contextlib.suppress(OSError):
        shutil.rmtree(folder)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
