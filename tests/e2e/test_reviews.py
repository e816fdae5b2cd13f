"""Reviews on the command line, and their work after SIGKILL."""

from __future__ import annotations

import asyncio
import subprocess
from pathlib import Path
from typing import Any

import psycopg

from orderly.store.embedded import EmbeddedPostgres
from support.installation import ORDERLY, Office
from support.lease import LEASE

DOCUMENTS = 14


def test_a_review_is_made_run_filtered_and_judged_in_a_terminal(office: Office) -> None:
    run = office.installation.run
    made = run("review", "new", office.matter, "Leases", "--column", "Can the tenant assign the lease?").stdout
    assert "Leases: draft, 1 document × 1 column" in made
    law = ("--title", "Law", "--type", "jurisdiction", "--subject", "governing law")
    run("review", "columns", office.matter, "Leases", "--add", "Which law governs?", *law)
    assert "Leases: done" in run("review", "run", office.matter, "leases").stdout
    shown = run("review", "show", office.matter, "Leases", "--where", "Law ~ wales").stdout
    assert "1 of 1 documents for which the filters hold." in shown
    assert "Law: New South Wales, Australia [found] — “" in shown
    judged = ("judge", office.matter, "Leases", office.document_id, "Law", "correct", "--value", "Victoria")
    assert "Law: Victoria [corrected]" in run("review", *judged).stdout
    assert "corrected by hand, without a quotation" in run("review", "show", office.matter, "Leases").stdout
    assert "has no column Rent" in run("review", "columns", office.matter, "Leases", "--remove", "Rent", code=2).stderr
    run("review", "delete", office.matter, "Leases", "--yes")
    assert "There are no reviews" in run("review", "show", office.matter).stdout


async def test_no_cell_and_no_verdict_is_lost_or_doubled_when_the_work_is_killed(office: Office, tmp_path: Path) -> None:
    run, data = office.installation.run, office.installation.data
    files = []
    for number in range(DOCUMENTS):
        files.append(tmp_path / f"lease-{number}.txt")
        files[-1].write_text(f"Lease number {number}.\n\n{LEASE}")
    run("ingest", *map(str, files), "--matter", "Killed")
    questions = [f"How much notice is needed in case {n}?" for n in range(6)]
    run("review", "new", "Killed", "Notices", *(part for q in questions for part in ("--column", q)))
    lease = {"ORDERLY_LEASE_SECONDS": "2"}
    environment = {**office.installation.environment, **lease}
    working = subprocess.Popen(
        [ORDERLY, "review", "run", "Killed", "Notices"],
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        async with EmbeddedPostgres(office.installation.home / "postgres") as server:
            await first_answer(server.database_url, working)
    finally:
        working.kill()
        working.wait()
    before = answered(data("review", "show", "Killed", "Notices"))
    assert 0 < len(before) < DOCUMENTS * len(questions), "the work was not killed in the middle"
    cell = next(iter(before.values()))
    [title] = [c["title"] for c in data("review", "columns", "Killed", "Notices") if c["id"] == cell["column_id"]]
    run("review", "judge", "Killed", "Notices", cell["document_id"], title, "reject")
    run("review", "run", "Killed", "Notices", **lease)
    after = answered(data("review", "show", "Killed", "Notices"))
    assert len(after) == DOCUMENTS * len(questions)
    for id, found in after.items():
        # Made, answered once; the one that was judged has one edition more.
        assert found["edition"] == (3 if id == cell["id"] else 2), found
        assert (found["verdict"] or {}).get("verdict") == ("rejected" if id == cell["id"] else None)
        assert id not in before or found["answered_at"] == before[id]["answered_at"]


async def first_answer(database_url: str, working: subprocess.Popen[bytes]) -> None:
    """Returns within a few milliseconds of the first answer: a command would show it when all are there."""
    async with asyncio.timeout(60), await psycopg.AsyncConnection.connect(database_url, autocommit=True) as database:
        while not await (await database.execute("select 1 from review_cells where answered_at is not null")).fetchone():
            assert working.poll() is None
            await asyncio.sleep(0.005)


def answered(shown: Any) -> dict[str, Any]:
    return {cell["id"]: cell for row in shown["rows"] for cell in row["cells"] if cell["state"] not in ("queued", "stale")}
