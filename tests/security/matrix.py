"""The whole leak matrix: everybody, through every door, at everything that has an id. `make security` runs it.

python tests/security/matrix.py            all cases, and a table of them
python tests/security/matrix.py mutants    and every policy and check taken out in turn, which must be noticed each time
"""

from __future__ import annotations

import asyncio
import os
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from pathlib import Path

import psycopg

sys.path.insert(0, str(Path(__file__).parents[1]))

from orderly.api.app import create_app
from orderly.store.embedded import EmbeddedPostgres
from orderly.store.migrate import migrate
from security import agents_tools, functions, graph_resources, routes
from security.building import built
from security.cases import Operation
from security.installed import installed
from security.mutants import Mutant, Trial, held_otherwise
from security.rows import over_http, run_rows, tables
from security.runs import Report, run
from security.undone import Desk
from security.world import World
from store.postgrest_peer import serving

SHOWN = 3
"""Failures of one operation that are shown."""


def say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


@asynccontextmanager
async def a_world() -> AsyncIterator[World]:
    """In an embedded Postgres of its own, in memory where there is room."""
    memory = Path("/dev/shm")
    roomy = memory.is_dir() and shutil.disk_usage(memory).free > 1 << 30
    parent = Path(tempfile.mkdtemp(prefix="orderly-security-", dir=memory if roomy else None))
    parent.chmod(0o711)
    try:
        async with EmbeddedPostgres(parent / "home") as server:
            with psycopg.connect(server.database_url, autocommit=True) as admin:
                admin.execute("alter system set fsync = off")
                admin.execute("select pg_reload_conf()")
                admin.execute("create database world")
            await migrate(server.url_of("world"))
            yield await built(server.url_of("world"), parent)
    finally:
        shutil.rmtree(parent, ignore_errors=True)


def shown(name: str, report: Report, began: float) -> None:
    say(
        f"{name:<28} {report.cases:>7} cases  {len(report.failures):>4} leaks or wrong answers  {time.monotonic() - began:6.0f} s"
    )
    by_operation: dict[str, list[str]] = {}
    for failure in report.failures:
        by_operation.setdefault(failure.partition(": ")[2].partition("(")[0], []).append(failure)
    for failures in by_operation.values():
        for failure in failures[:SHOWN]:
            say(f"    {failure[:1000]}")
        if len(failures) > SHOWN:
            say(f"    … and {len(failures) - SHOWN} more of its kind")


async def whole(desk: Desk, world: World) -> dict[str, Report]:
    reports: dict[str, Report] = {}

    async def door(name: str, operations: Iterable[Operation], **how: object) -> None:
        began = time.monotonic()
        report = reports[name] = await run(world, operations, **how)  # type: ignore[arg-type]
        shown(name, report, began)

    catalogue = await functions.catalogue(desk)
    await door("functions", functions.operations(catalogue, functions.at_the_desk(desk, world)), people=functions.PEOPLE)
    began = time.monotonic()
    reports["rows"] = await run_rows(desk, world, await tables(desk))
    shown("rows", reports["rows"], began)
    async with serving(world.database_url) as address, over_http(address, world) as select:
        began = time.monotonic()
        public = [table for table in await tables(desk) if "." not in table]
        reports["rows through supabase-py"] = await run_rows(desk, world, public, select=select)
        shown("rows through supabase-py", reports["rows through supabase-py"], began)
    async with installed(desk, world):
        await door("tools", agents_tools.operations(agents_tools.in_a_run(desk, world)))
        await door("graph resources", graph_resources.operations(desk, world), people=routes.PEOPLE)
        app = create_app()
        if missing := routes.undescribed(app):
            reports["routes"] = Report(failures=[f"{path} is not in the matrix" for path in missing])
        async with app.router.lifespan_context(app):
            tried = routes.Routes(app, desk, world)
            await door("routes", tried.operations(), people=routes.PEOPLE, wanted=routes.in_this_process)
            await door("tools through MCP", tried.tools(), people=routes.PEOPLE)
    return reports


async def trial(desk: Desk, world: World) -> int:
    """Gives the number of mutants that lived without a known reason."""
    tried, lived = Counter[str](), list[Mutant]()
    court = Trial(desk, world)

    async def heard(found: AsyncIterator[Mutant]) -> None:
        async for mutant in found:
            tried[mutant.kind] += 1
            if mutant.survived:
                lived.append(mutant)
                reason = held_otherwise(mutant.name)
                say(f"    lived: {mutant.kind} {mutant.name} ({reason or 'NOT NOTICED'})")

    await heard(court.policies())
    await heard(court.functions())
    async with installed(desk, world):
        app = create_app()
        async with app.router.lifespan_context(app):
            await heard(court.sign_in(app))
    for kind, number in tried.items():
        alive = [m for m in lived if m.kind == kind]
        say(
            f"taken out: {kind:<20} {number:>5}   noticed {number - len(alive):>5}   known to be unnoticed {sum(bool(held_otherwise(m.name)) for m in alive):>4}"
        )
    return sum(not held_otherwise(m.name) for m in lived)


async def main() -> int:
    async with a_world() as world, await psycopg.AsyncConnection.connect(world.database_url) as connection:
        reports = await whole(Desk(connection), world)
        unnoticed = await trial(Desk(connection), world) if "mutants" in sys.argv[1:] else 0
    cases, failures = sum(r.cases for r in reports.values()), sum(len(r.failures) for r in reports.values())
    say(f"{'in all':<28} {cases:>7} cases  {failures:>4} leaks or wrong answers")
    return 1 if failures or unnoticed else 0


if __name__ == "__main__":
    code = asyncio.run(main())
    # Reading processes and model sessions need no farewell.
    os._exit(code)
