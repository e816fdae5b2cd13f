"""The complete leak matrix: every person calls every function, tool and route with every id. `make security` runs it.

python tests/security/matrix.py            all cases, with a table of results
python tests/security/matrix.py mutants    also removes every policy and check in turn; the matrix must notice each removal
python tests/security/matrix.py database mutants only=get_citation,list_groups   one part (database or doors), operations whose names contain these words
"""

from __future__ import annotations

import asyncio
import os
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Iterable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import psycopg

sys.path.insert(0, str(Path(__file__).parents[1]))

from orderly.api.app import create_app
from orderly.store.embedded import EmbeddedPostgres
from orderly.store.migrate import migrate
from security import agents_tools, functions, graph_resources, routes
from security.building import built
from security.cases import Operation
from security.installed import installed
from security.mutants import Asked, Mutant, Trial, everything_of, known_reason
from security.rows import over_http, run_rows, tables
from security.runs import Report, run
from security.undone import Desk
from security.unseen import run_unseen
from security.world import World
from support.postgrest_peer import serving

TOTAL = "total"
ONLY = "only="
SHOWN = 3
"""Failures shown per operation."""


def say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


@asynccontextmanager
async def temporary_world() -> AsyncIterator[World]:
    """Builds the world in a new embedded Postgres, in memory if there is room."""
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


def show(name: str, report: Report, began: float) -> None:
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


def filter_of(chosen: Iterable[str]) -> Asked:
    words = [word for given in chosen if given.startswith(ONLY) for word in given.removeprefix(ONLY).split(",")]
    return (lambda name: any(word in name for word in words)) if words else everything_of


PARTS = ("database", "doors")
"""Parts that run in parallel processes, each with its own world and database."""


class MatrixPart:
    """Runs one part and counts its results. `asked`: filter by operation name."""

    def __init__(self, desk: Desk, world: World, asked: Asked = everything_of) -> None:
        self._desk, self._world, self._asked = desk, world, asked
        self.cases = self.failures = self.unnoticed = 0

    async def database(self, *, mutants: bool) -> None:
        """Runs functions and tables."""
        desk, world = self._desk, self._world
        found = list(functions.operations(await functions.catalogue(desk), functions.call_as_role(desk, world)))
        await self._door("functions", run(world, self._of(found), people=functions.PEOPLE))
        await self._door("influence of hidden things", run_unseen(desk, world, self._of(found)))
        rows = [table for table in await tables(desk) if self._asked(table)]
        await self._door("rows", run_rows(desk, world, rows))
        async with serving(world.database_url) as address, over_http(address, world) as select:
            public = [table for table in rows if "." not in table]
            await self._door("rows through supabase-py", run_rows(desk, world, public, select=select))
        if mutants:
            trial = Trial(desk, world, self._asked)
            await self._trial(trial.policies())
            await self._trial(trial.functions())

    async def doors(self, *, mutants: bool) -> None:
        """Runs tools, graph resources, routes and MCP."""
        desk, world = self._desk, self._world
        async with installed(desk, world):
            await self._door("tools", run(world, self._of(agents_tools.operations(agents_tools.call_in_run(desk, world)))))
            resources = self._of(graph_resources.operations(desk, world))
            await self._door("graph resources", run(world, resources, people=routes.PEOPLE))
            app = create_app()
            for path in routes.undescribed(app):
                self.failures += 1
                say(f"    {path} is not in the matrix")
            async with app.router.lifespan_context(app):
                tried = routes.Routes(app, desk, world)
                how: dict[str, Any] = {"people": routes.PEOPLE, "wanted": routes.in_this_process}
                await self._door("routes", run(world, self._of(tried.operations()), **how))
                await self._door("tools through MCP", run(world, self._of(tried.tools()), **how))
                if mutants:
                    await self._trial(Trial(desk, world, self._asked).sign_in(app))

    def _of(self, operations: Iterable[Operation]) -> list[Operation]:
        return [operation for operation in operations if self._asked(operation.name)]

    async def _door(self, name: str, trying: Awaitable[Report]) -> None:
        began = time.monotonic()
        report = await trying
        self.cases += report.cases
        self.failures += len(report.failures)
        show(name, report, began)

    async def _trial(self, found: AsyncIterator[Mutant]) -> None:
        kinds: dict[str, Counter[str]] = {}
        async for mutant in found:
            reason = known_reason(mutant.name) if mutant.survived else ""
            said = "noticed" if not mutant.survived else "known to be unnoticed" if reason else "NOT NOTICED"
            kinds.setdefault(mutant.kind, Counter())[said] += 1
            self.unnoticed += said == "NOT NOTICED"
            if mutant.survived:
                say(f"    survived: {mutant.kind} {mutant.name} ({reason or said})")
        for kind, counted in kinds.items():
            told = ", ".join(f"{number} {said}" for said, number in counted.items())
            say(f"removed: {kind:<20} {sum(counted.values()):>5}: {told}")


async def part(name: str, *, mutants: bool, asked: Asked = everything_of) -> int:
    async with temporary_world() as world, await psycopg.AsyncConnection.connect(world.database_url) as connection:
        tried = MatrixPart(Desk(connection), world, asked)
        await (tried.database if name == "database" else tried.doors)(mutants=mutants)
    say(f"{TOTAL} {tried.cases} {tried.failures} {tried.unnoticed}")
    return 1 if tried.failures or tried.unnoticed else 0


async def all_parts(*more: str) -> int:
    """Runs the parts, prints their lines and the totals; returns 0 if nothing leaked and no mutant survived."""
    began = time.monotonic()
    sums = [0, 0, 0]

    async def one(name: str) -> int:
        child = await asyncio.create_subprocess_exec(sys.executable, __file__, name, *more, stdout=asyncio.subprocess.PIPE)
        assert child.stdout is not None
        async for line in child.stdout:
            text = line.decode().rstrip()
            if text.startswith(TOTAL):
                sums[:] = [a + int(b) for a, b in zip(sums, text.removeprefix(TOTAL).split(), strict=True)]
            else:
                say(text)
        return await child.wait()

    codes = await asyncio.gather(*(one(name) for name in PARTS))
    say(
        f"{'in all':<28} {sums[0]:>7} cases  {sums[1]:>4} leaks or wrong answers  {time.monotonic() - began:6.0f} s"
        + (f"   {sums[2]} mutants survived without a known reason" if more else "")
    )
    return max(codes)


if __name__ == "__main__":
    chosen = sys.argv[1:]
    if any(word not in (*PARTS, "mutants") and not word.startswith(ONLY) for word in chosen):
        sys.exit(__doc__)
    if chosen and chosen[0] in PARTS:
        code = asyncio.run(part(chosen[0], mutants="mutants" in chosen, asked=filter_of(chosen)))
    else:
        code = asyncio.run(all_parts(*chosen))
    # Skip the shutdown of reader processes and model sessions.
    os._exit(code)
