"""Cost of documents and questions in CPU seconds and bytes: `python tests/benchmarks/bench_capacity.py [PAGES] [QUESTIONS]`.

CPU seconds (user and system) of this process, of the reader processes and of Postgres, which other load on the machine
affects little. Vectors come from the offline engine, answers from the offline planner.
"""

from __future__ import annotations

import asyncio
import os
import resource
import sys
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

import psycopg
from long_pdf import varied_pdf

from orderly.agent.middleware.run_context import RunContext
from orderly.agent.run import ask
from orderly.graph import graph
from orderly.models import Caller
from orderly.settings import Settings
from orderly.store.embedded import EmbeddedPostgres
from orderly.wiring.services import open_operator, open_services

QUESTION = "Which law governs the agreement?"
TABLES = """
select relnamespace::regnamespace || '.' || relname, pg_total_relation_size(oid), pg_indexes_size(oid) from pg_class where relkind = 'r'
"""
SHOWN = 6
TICK = os.sysconf("SC_CLK_TCK")


class Size(NamedTuple):
    """Bytes of a table with TOAST and indexes, and of its indexes alone."""

    table: int
    indexes: int


def processor_seconds(home: Path) -> float:
    own = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    total = sum(u.ru_utime + u.ru_stime for u in own)
    return total + sum(_ticks(pid) for pid in _children(os.getpid())) + _postgres_seconds(home)


def _postgres_seconds(home: Path) -> float:
    pid = int((home.resolve() / "data18" / "postmaster.pid").read_text().split("\n", 1)[0])
    # The CPU time of finished backends is in the postmaster's account of its children.
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


def sizes_of(url: str) -> dict[str, Size]:
    """Returns the size of every table, including the catalogue's, after a vacuum."""
    with psycopg.connect(url, autocommit=True) as admin:
        admin.execute("vacuum analyze")
        return {name: Size(table, indexes) for name, table, indexes in admin.execute(TABLES).fetchall()}


def growth(before: dict[str, Size], after: dict[str, Size]) -> dict[str, Size]:
    """Returns the growth per table, largest first, without the size of empty tables."""
    grown = {
        name: Size(size.table - before.get(name, Size(0, 0)).table, size.indexes - before.get(name, Size(0, 0)).indexes)
        for name, size in after.items()
    }
    return dict(sorted(grown.items(), key=lambda entry: -entry[1].table))


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
                await operator.file_ingestor.add(caller, matter, small)  # loads the models
                await _measure(server, services, operator, caller, matter, varied_pdf(home, pages), questions)


async def _measure(server: Any, services: Any, operator: Any, caller: Caller, matter: str, pdf: Path, questions: int) -> None:
    url, postgres = server.database_url, server.folder
    before, begun = sizes_of(url), processor_seconds(postgres)
    report = await operator.file_ingestor.add(caller, matter, pdf, on_duplicate="keep")
    seconds, document = (
        processor_seconds(postgres) - begun,
        await services.store.rpc(caller, "get_document", {"document_id": report.document_id}),
    )
    pages, grown = document["page_count"], growth(before, sizes_of(url))
    per = 1_000 / pages
    write(
        f"{pages} pages, {document['char_count']:,} characters, {document['chunk_count']} chunks, file {pdf.stat().st_size:,} bytes"
    )
    write(
        f"per 1,000 pages: {seconds * per:.0f} processor seconds, chunks {document['chunk_count'] * per:.0f}, characters {document['char_count'] * per:,.0f}"
    )
    _write_sizes(grown, per / 1e6, "MB per 1,000 pages")
    context = RunContext(matter_id=matter)
    await ask(graph, services, caller, QUESTION, context=context)
    before, begun = sizes_of(url), processor_seconds(postgres)
    for _ in range(questions):
        await ask(graph, services, caller, QUESTION, context=context)
    seconds, grown = processor_seconds(postgres) - begun, growth(before, sizes_of(url))
    write(f"per question (record and citations, no conversation): {seconds / questions:.2f} processor seconds")
    _write_sizes(grown, 1 / questions / 1e3, "kB per question")


def _write_sizes(grown: dict[str, Size], factor: float, unit: str) -> None:
    """Prints the tables that grew most, the rest together, and the total."""
    largest = list(grown)[:SHOWN]
    rest, total = (
        Size(*map(sum, zip(*sizes, strict=True))) for sizes in ([grown[n] for n in list(grown)[SHOWN:]], grown.values())
    )
    for name, size in [*((n, grown[n]) for n in largest), ("all others", rest), ("together", total)]:
        write(f"  {name:32} {size.table * factor:8.2f} {unit}, {size.indexes * factor:.2f} of them indexes")


def write(line: str) -> None:
    sys.stdout.write(line + "\n")


if __name__ == "__main__":
    arguments = [int(a) for a in sys.argv[1:]]
    asyncio.run(main(arguments[0] if arguments else 300, arguments[1] if len(arguments) > 1 else 20))
