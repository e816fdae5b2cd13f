"""What documents and questions cost, in processor seconds and bytes: `python tests/benchmarks/bench_capacity.py [PAGES] [QUESTIONS]`.

Processor seconds (user and system) of this process, of the readers it starts, and of Postgres, which a machine that is otherwise
busy disturbs little. Offline: vectors by the engine on this machine, answers by the planner.
"""

from __future__ import annotations

import asyncio
import os
import resource
import sys
import tempfile
from pathlib import Path
from typing import Any

import psycopg
from long_pdf import long_pdf

from orderly.graph import graph
from orderly.middleware.briefing import RunContext
from orderly.models import Caller
from orderly.running import ask
from orderly.settings import Settings
from orderly.store.embedded import EmbeddedPostgres
from orderly.wiring import open_operator, open_services

QUESTION = "Which law governs the agreement?"
TABLES = """
select relname, pg_total_relation_size(oid), pg_indexes_size(oid), greatest(reltuples, 0)::bigint from pg_class
where relkind = 'r' and relnamespace in ('public'::regnamespace, 'private'::regnamespace) order by 2 desc limit 9
"""
TICK = os.sysconf("SC_CLK_TCK")


def processor_seconds(home: Path) -> float:
    own = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    total = sum(u.ru_utime + u.ru_stime for u in own)
    return total + sum(_ticks(pid) for pid in _children(os.getpid())) + _postgres_seconds(home)


def _postgres_seconds(home: Path) -> float:
    pid = int((home.resolve() / "data18" / "postmaster.pid").read_text().split("\n", 1)[0])
    # Backends that have ended are in the postmaster's account of its children.
    return _ticks(pid, ended=True) + sum(_ticks(child) for child in _children(pid))


def _ticks(pid: int, *, ended: bool = False) -> float:
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except FileNotFoundError:
        return 0.0
    return sum(map(int, fields[11 : 15 if ended else 13])) / TICK


def _children(pid: int) -> list[int]:
    tasks = Path(f"/proc/{pid}/task")
    return [int(child) for task in tasks.iterdir() for child in (task / "children").read_text().split()]


def size_of(url: str) -> int:
    with psycopg.connect(url, autocommit=True) as admin:
        admin.execute("vacuum analyze")
        row = admin.execute("select pg_database_size(current_database())").fetchone()
    assert row is not None
    return int(row[0])


async def main(pages: int, questions: int) -> None:
    with tempfile.TemporaryDirectory(prefix="orderly-capacity-") as folder:
        home = Path(folder)
        home.chmod(0o711)
        async with EmbeddedPostgres(home / "postgres") as server:
            settings = Settings(home=home)
            async with open_services(settings) as services, open_operator(services) as operator:
                caller = Caller(str(services.local_user))
                matter = (await services.store.rpc(caller, "create_matter", {"title": "Capacity"}))["number"]
                small = home / "warm.txt"
                small.write_text("The rent is one dollar.")
                await operator.receiver.add(caller, matter, small)  # loads the models
                await _measure(server, services, operator, caller, matter, long_pdf(home, pages), questions)


async def _measure(server: Any, services: Any, operator: Any, caller: Caller, matter: str, pdf: Path, questions: int) -> None:
    url, postgres = server.database_url, server.folder
    before, begun = size_of(url), processor_seconds(postgres)
    report = await operator.receiver.add(caller, matter, pdf, on_duplicate="keep")
    seconds, document = (
        processor_seconds(postgres) - begun,
        await services.store.rpc(caller, "get_document", {"document_id": report.document_id}),
    )
    pages, grown = document["page_count"], size_of(url) - before
    per = 1_000 / pages
    write(
        f"{pages} pages, {document['char_count']:,} characters, {document['chunk_count']} chunks, file {pdf.stat().st_size:,} bytes"
    )
    write(
        f"per 1,000 pages: {seconds * per:.0f} processor seconds, database {grown * per / 1e6:.1f} MB, chunks {document['chunk_count'] * per:.0f}, characters {document['char_count'] * per:,.0f}"
    )
    with psycopg.connect(url) as admin:
        for name, size, indexes, rows in admin.execute(TABLES).fetchall():
            write(
                f"  {name:24} {size * per / 1e6:8.2f} MB per 1,000 pages, {indexes * per / 1e6:.2f} of them indexes, {rows} rows"
            )
    context = RunContext(matter_id=matter)
    await ask(graph, services, caller, QUESTION, context=context)
    before, begun = size_of(url), processor_seconds(postgres)
    for _ in range(questions):
        await ask(graph, services, caller, QUESTION, context=context)
    seconds, grown = processor_seconds(postgres) - begun, size_of(url) - before
    write(
        f"per question: {seconds / questions:.2f} processor seconds, database {grown / questions / 1e3:.1f} kB (record and citations, no conversation)"
    )


def write(line: str) -> None:
    sys.stdout.write(line + "\n")


if __name__ == "__main__":
    arguments = [int(a) for a in sys.argv[1:]]
    asyncio.run(main(arguments[0] if arguments else 300, arguments[1] if len(arguments) > 1 else 20))
