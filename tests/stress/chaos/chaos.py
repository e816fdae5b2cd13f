"""Uploads while workers and database are killed: `python tests/stress/chaos/chaos.py [FILES] [SEED]`. Exits with 1 on any violation.

The same files are taken in twice: once in peace, once by two workers that are killed again and again, one of them paused past
the time after which its work is given to others, with the database killed once. Both installations must hold the same.
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
# Enough that nobody's bad luck counts as a poisonous file.
LIMITS = {"ORDERLY_LEASE_SECONDS": str(LEASE_SECONDS), "ORDERLY_RETRY_SECONDS": "0.5", "ORDERLY_MAX_ATTEMPTS": "20"}
BATCH = 8


@dataclass(frozen=True)
class Plan:
    files: int
    seed: int
    kills: int
    """Workers killed at most; it ends with the work."""
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
        """Whether the worker last started has come so far that it can be told to stop."""
        return b"Working." in self._log(number).read_bytes()[self._begins[number] :]

    def _log(self, number: int) -> Path:
        return self.home / f"worker-{number}.log"

    def database_pid(self) -> int:
        data = (self.home / "postgres" / "postgres").resolve() / "data18" / "postmaster.pid"
        return int(data.read_text().split("\n", 1)[0])


class Storm:
    """Two workers, killed and started again until nothing is left to do."""

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
                    self._tally.problems.append("the work did not come to an end in time")
                    break
                if self._in_work() and step < self._plan.kills:
                    step += 1
                    if step == pause_at:
                        self._pause()
                    if step == database_at and self._plan.kill_database:
                        self._kill_database()
                    self._kill_a_worker()
                    time.sleep(self._picker.uniform(0.1, 1.5))
                time.sleep(0.05)
        finally:
            uploading.join()
            self._dismiss()

    def _upload(self, files: list[Path]) -> None:
        for first in range(0, len(files), BATCH):
            for _ in range(20):
                done = self._installation.ingest(files[first : first + BATCH], "--no-wait")
                if done.returncode == 0:
                    break
                # As a person would: the same command once more.
                self._tally.upload_retries += 1
                time.sleep(1)
            else:
                self._tally.problems.append(f"an upload was refused again and again: {done.stderr[-300:]}")
        self._uploaded.set()

    def _ask(self, query: str) -> int | None:
        """None while the database is away."""
        try:
            with psycopg.connect(self._url, connect_timeout=5) as db:
                row = db.execute(query).fetchone()  # type: ignore[call-overload]
                return int(row[0])
        except psycopg.OperationalError:
            return None

    def _pending(self) -> int | None:
        statuses = "('queued', 'extracting', 'ocr', 'chunking', 'embedding')"
        return self._ask(f"select count(*) from documents where status in {statuses}")

    def _in_work(self) -> int | None:
        return self._ask("select count(*) from documents where status in ('extracting', 'ocr', 'chunking', 'embedding')")

    def _kill_a_worker(self) -> None:
        number = self._picker.randrange(len(self._workers))
        time.sleep(self._picker.uniform(0, 0.3))
        self._workers[number].kill()
        self._workers[number].wait()
        self._tally.kills += 1
        self._workers[number] = self._installation.worker(number)

    def _pause(self) -> None:
        """Past the rescue; the other worker takes over, and the paused one wakes up with its work in its hands."""
        worker = self._workers[self._picker.randrange(len(self._workers))]
        os.kill(worker.pid, signal.SIGSTOP)
        time.sleep(LEASE_SECONDS * 2)
        os.kill(worker.pid, signal.SIGCONT)
        self._tally.pauses += 1

    def _kill_database(self) -> None:
        os.kill(self._installation.database_pid(), signal.SIGKILL)
        self._tally.database_kills += 1

    def _dismiss(self) -> None:
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
                self._tally.problems.append(f"a worker that was told to stop ended with {code}")


async def in_peace(folder: Path, files: list[Path]) -> Holdings:
    installation = Installation(folder / "calm")
    await asyncio.to_thread(installation.ingest, files)
    return await inspect(installation.home)


async def in_a_storm(folder: Path, files: list[Path], plan: Plan, tally: Tally) -> Holdings:
    installation = Installation(folder / "storm")
    # An owner beside the workers, so that the server is not stopped and started with each of them.
    async with EmbeddedPostgres(installation.home / "postgres") as server:
        await migrate(server.database_url)
        storm = await asyncio.to_thread(Storm, installation, plan, server.database_url, tally)
        await asyncio.to_thread(storm.run, files)
    return await inspect(installation.home)


async def run(plan: Plan, folder: Path) -> tuple[list[str], dict[str, Any]]:
    """Violations, and what happened."""
    files = make_documents(folder / "files", plan.files, plan.seed)
    calm = await in_peace(folder, files)
    tally, began = Tally(), time.monotonic()
    stormy = await in_a_storm(folder, files, plan, tally)
    violations = [*tally.problems, *stormy.violations, *differences(calm, stormy)]
    violations += [f"not finished: {name} is {status}" for name, status in stormy.unfinished.items()]
    if len(calm.documents) < len(files):
        violations.append(f"the calm run took in {len(calm.documents)} of {len(files)} files")
    if stormy.uploading > tally.upload_retries:
        violations.append(f"{stormy.uploading} uploads are unfinished after {tally.upload_retries} broken commands")
    return violations, {
        "files": len(files), "documents": len(stormy.documents), "by status": _by_status(stormy), "workers killed": tally.kills,
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
        "✓ every document in a final state, none lost, none doubled, nothing left over, the same text as in peace\n"
    )
    with contextlib.suppress(OSError):
        shutil.rmtree(folder)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
