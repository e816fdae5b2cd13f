"""Backup drill with the public commands: `python tests/stress/nodes/drill.py [SECONDS] [SEED]`.

A backup is taken while clients ask and upload. Everything confirmed before the backup began must exist exactly once after the
restore in a new home; then a byte of a file is flipped and a chunk deleted, and `verify-store` must find both. Exits with 1
on any violation.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import random
import shutil
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psycopg

sys.path.insert(0, str(Path(__file__).parents[2]))

from orderly.store.embedded import EmbeddedPostgres
from stress.nodes.clients import Asker, Outcomes, upload
from stress.nodes.processes import Firm, firm
from support.installation import Installation

ASKERS, UPLOADERS = 2, 2


@dataclass
class Drill:
    rows: list[tuple[str, Any]] = field(default_factory=list)
    violations: list[str] = field(default_factory=list)

    def check(self, name: str, value: Any, good: bool) -> None:
        self.rows.append((name, value))
        if not good:
            self.violations.append(f"{name}: {value}")


@dataclass
class BackupUnderLoad:
    before: Outcomes
    """Outcomes confirmed to clients when the backup began."""
    answered_during: int
    uploaded_during: int
    seconds: float


async def run(folder: Path, seconds: float, seed: int) -> Drill:
    home, new, drill = folder / "home", Installation(folder / "elsewhere"), Drill()
    home.mkdir()
    async with firm(home, nodes=1, workers=1) as office:
        backup = await _backup_under_load(office, folder, seconds, seed)
    drill.rows.append(("backup: seconds", f"{backup.seconds:.1f}"))
    drill.check(
        "uploads confirmed before; during the backup",
        f"{len(backup.before.uploaded)}; {backup.uploaded_during}",
        backup.uploaded_during > 0,
    )
    drill.check(
        "questions answered before; during the backup",
        f"{backup.before.answered}; {backup.answered_during}",
        backup.before.answered > 0,
    )
    restored = await asyncio.to_thread(_restore, new, folder)
    drill.rows.append(("restored in a new home", restored))
    await _compare(new, office.matter, backup, drill)
    await _damage(new, drill)
    return drill


async def _backup_under_load(office: Firm, folder: Path, seconds: float, seed: int) -> BackupUnderLoad:
    outcomes, ending = Outcomes(), asyncio.Event()
    load = [asyncio.create_task(_keep_asking(office, outcomes, ending, seed + n)) for n in range(ASKERS)]
    load += [asyncio.create_task(_keep_uploading(office, outcomes, ending, seed - 1 - n)) for n in range(UPLOADERS)]
    await asyncio.sleep(seconds)
    async with asyncio.timeout(180):
        while outcomes.answered < ASKERS:  # the machine may be slow
            await asyncio.sleep(0.5)
    before = Outcomes(answered=outcomes.answered, uploaded=dict(outcomes.uploaded))
    began = time.monotonic()
    command = ("backup", str(folder / "backup"), "--keys", str(folder / "keys"))
    await asyncio.to_thread(office.installation.run, *command)
    backup = BackupUnderLoad(
        before, outcomes.answered - before.answered, len(outcomes.uploaded) - len(before.uploaded), time.monotonic() - began
    )
    ending.set()
    await asyncio.gather(*load)
    return backup


async def _keep_asking(office: Firm, outcomes: Outcomes, ending: asyncio.Event, seed: int) -> None:
    asker = Asker(office, outcomes, random.Random(seed))
    while not ending.is_set():
        await asker.ask()


async def _keep_uploading(office: Firm, outcomes: Outcomes, ending: asyncio.Event, seed: int) -> None:
    picker = random.Random(seed)
    while not ending.is_set():
        await upload(office, outcomes, picker)


def _restore(new: Installation, folder: Path) -> str:
    new.home.mkdir()
    new.home.chmod(0o711)
    shown = new.run("restore", str(folder / "backup"), "--keys", str(folder / "keys")).stdout
    return shown.strip().splitlines()[-1]


async def _compare(new: Installation, matter: str, backup: BackupUnderLoad, drill: Drill) -> None:
    names = [d["filename"] for d in await asyncio.to_thread(new.data, "list", matter)]
    lost = [name for name in backup.before.uploaded if name not in names]
    twice = [name for name in set(names) if names.count(name) > 1]
    drill.check("uploads lost; duplicated", f"{len(lost)}; {len(twice)}", not lost and not twice)
    async with EmbeddedPostgres(new.home / "postgres") as server:
        with psycopg.connect(server.url_of("postgres_conversations")) as conversations:
            row = conversations.execute("select count(*) from runs where status = 'success'").fetchone()
    kept = row[0] if row else 0
    drill.check("answered conversations after the restore", kept, kept >= backup.before.answered)
    found = await asyncio.to_thread(new.run, "search", matter, "which law governs")
    drill.check(
        "a search after the restore finds the lease", "New South Wales" in found.stdout, "New South Wales" in found.stdout
    )


async def _damage(new: Installation, drill: Drill) -> None:
    async with EmbeddedPostgres(new.home / "postgres") as server:
        with psycopg.connect(server.database_url, autocommit=True) as admin:
            sql = "select d.filename, f.storage_key from document_files f join documents d on d.id = f.document_id order by 1"
            (name, key), (other, _) = admin.execute(sql).fetchall()[:2]
            admin.execute("delete from chunks where document_id = (select id from documents where filename = %s)", (other,))
        blob = new.home / "files" / key
        data = bytearray(blob.read_bytes())
        data[len(data) // 2] ^= 1
        blob.write_bytes(data)
        proof = await asyncio.to_thread(new.run, "verify-store", "--json", code=1)
    faults = {f"{f['filename']}: {f['what']}" for f in json.loads(proof.stdout)["faults"]}
    flipped = {fault for fault in faults if fault.startswith(f"{name}: its file") and "not the file" in fault}
    missing = {fault for fault in faults if fault.startswith(f"{other}: it has 0 of its")}  # chunks and vectors
    found = f"{len(flipped)}, {len(missing)}; others {len(faults - flipped - missing)}"
    drill.check(
        "flipped bytes and deleted chunks found", found, len(flipped) == 1 and faults == flipped | missing and bool(missing)
    )


def main(seconds: float = 20, seed: int = 1) -> None:
    folder = Path(tempfile.mkdtemp(prefix="orderly-drill-"))
    folder.chmod(0o711)
    drill = asyncio.run(run(folder, float(seconds), int(seed)))
    for name, value in drill.rows:
        sys.stdout.write(f"{name:45} {value}\n")
    for violation in drill.violations:
        sys.stdout.write(f"✗ {violation}\n")
    if drill.violations:
        sys.stdout.write(f"Kept for inspection: {folder}\n")
        sys.exit(1)
    sys.stdout.write("✓ the backup was restored completely, and damage is found\n")
    with contextlib.suppress(OSError):
        shutil.rmtree(folder)


if __name__ == "__main__":
    main(*map(float, sys.argv[1:]))
