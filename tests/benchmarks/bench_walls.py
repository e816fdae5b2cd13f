"""Cost of access checks in search: the product's functions against the same functions without membership, screens and groups.

`python tests/benchmarks/bench_walls.py`; a small run: `--passages 5000`. Both variants record reads; in the unchecked variant every access
check is replaced by a plain look-up. Also plain selects as a signed-in user (row level security) against the same as the tables' owner, which
Orderly never does. Ratios are of the CPU time of the database's backend, without waiting time.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import psycopg

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from orderly.store.embedded import EmbeddedPostgres
from orderly.store.migrate import migrate

HERE = Path(__file__).resolve().parent
USER = "md5('user 0')::uuid"
TARGET = 1.2
"""Most of the processor time of a search without the access rule."""
ROUNDS = 60
SEARCHED = ("match_document_embeddings", "search_chunks", "embedding_hits", "keyword_hits", "reach", "near_by_code", "ranked_by_index",
            "ranked_by_scan")  # fmt: skip
"""Functions of a search down to the access checks."""

UNWALLED = """
create schema unwalled;
grant usage on schema unwalled to public;
create function unwalled.open_matter(ref text) returns public.matters language sql stable as
  'select m.* from public.matters m where m.id = private.as_uuid(ref)';
create function unwalled.readable_documents(matter uuid) returns setof uuid language sql stable as
  'select d.id from public.documents d where d.matter_id = matter and d.deleted_at is null';
"""

SELECTS = {
    "counting the passages of the firm": "select count(*) from public.chunks where matter_id <> all (%(walled)s)",
    "one document's passages": "select sum(length(text)) from public.chunks where document_id = %(document)s",
}


@dataclass(frozen=True)
class Timing:
    clock: float
    processor: float
    """Wall clock and CPU time in milliseconds."""
    found: Any


class Bench:
    def __init__(self, db: psycopg.Connection[Any], passages: int, matters: int) -> None:
        self._db, self._pick = db, random.Random(3)
        db.execute((HERE / "walls_fill.sql").read_text() % {"passages": passages, "matters": matters})  # type: ignore[call-overload]
        db.commit()
        db.autocommit = True
        db.execute("vacuum analyze")
        self._create_unchecked_functions()
        ((self.user,), (self.passages,)) = db.execute(
            f"select {USER}::text union all select count(*)::text from chunks"
        ).fetchall()

    def _create_unchecked_functions(self) -> None:
        self._db.execute(UNWALLED)
        checks = (*SEARCHED, "open_matter", "readable_documents")
        for name in reversed(SEARCHED):
            found = self._db.execute(
                "select pg_get_functiondef(p.oid) from pg_proc p join pg_namespace n on n.oid = p.pronamespace"
                " where n.nspname in ('public', 'private') and p.proname = %s", (name,)).fetchall()  # fmt: skip
            ((definition,),) = found
            for check in checks:
                definition = definition.replace(f"private.{check}(", f"unwalled.{check}(").replace(
                    f"public.{check}(", f"unwalled.{check}("
                )
            self._db.execute(definition)
        # The unchecked functions must call each other and not the checked ones.
        left = self._db.execute(
            "select p.proname from pg_proc p join pg_namespace n on n.oid = p.pronamespace where n.nspname = 'unwalled'"
            " and p.prosrc ~ 'private\\.(open_matter|readable_documents|reach\\()'"
        ).fetchall()
        assert left == [], left

    @contextmanager
    def asking(self) -> Iterator[None]:
        """Opens a transaction with the caller's role and claims, as the store's adapter does."""
        with self._db.transaction():
            claims = f'{{"sub": "{self.user}", "role": "authenticated"}}'
            self._db.execute(
                "select set_config('role', 'authenticated', true), set_config('request.jwt.claims', %s, true)", (claims,)
            )
            yield

    def timed(self, what: str, **values: Any) -> Timing:
        with self.asking():
            return self.owner_timed(what, **values)

    def owner_timed(self, what: str, **values: Any) -> Timing:
        worked, began = self._processor_ms(), time.perf_counter()
        found = self._db.execute(what, values).fetchall()
        return Timing((time.perf_counter() - began) * 1000, self._processor_ms() - worked, found)

    def _processor_ms(self) -> float:
        """Returns the CPU time in milliseconds of the backend that serves this connection."""
        return int(Path(f"/proc/{self._db.info.backend_pid}/schedstat").read_text().split()[0]) / 1e6

    def searches(self, matter: str) -> list[float]:
        """Returns the ratios."""
        ((passages,),) = self._db.execute("select count(*) from chunks where matter_id = %s", (matter,)).fetchall()
        ratios = []
        for name, call in {
            "vectors": "select {}.match_document_embeddings(%(matter)s, %(vector)s, 'bench', 20)",
            "words": "select {}.search_chunks(%(matter)s, %(words)s, 20)",
        }.items():

            def ask(schema: str, call: str = call) -> Callable[..., Timing]:
                return lambda **v: self.timed(call.format(schema), matter=matter, **v)

            ratios.append(self._compare(f"{name} in a matter of {passages:,}", ask("public"), ask("unwalled")))
        return ratios

    def selects(self) -> None:
        walled = [row[0] for row in self._db.execute(
            f"select matter_id from matter_screens where user_id = {USER}").fetchall()]  # fmt: skip
        ((document,),) = self._db.execute("select id from documents where matter_id = md5('matter 0')::uuid limit 1").fetchall()
        for name, select in SELECTS.items():
            given = {"walled": walled, "document": document}
            walls, bare = partial(self.timed, select, **given), partial(self.owner_timed, select, **given)
            self._compare(name, lambda ask=walls, **_: ask(), lambda ask=bare, **_: ask(), searched=False)

    def _compare(self, name: str, walled: Callable[..., Any], bare: Callable[..., Any], *, searched: bool = True) -> float:
        ours, theirs = list[Timing](), list[Timing]()
        for n in range(ROUNDS):
            asked = {
                "vector": "[" + ",".join(f"{self._pick.random() - 0.5:.5f}" for _ in range(384)) + "]",
                "words": " ".join(f"word{int(4000 ** self._pick.random())}" for _ in range(4)),
            }
            walled(**asked)  # warm-up for both
            # The order alternates.
            took, plain = (walled(**asked), bare(**asked)) if n % 2 else (bare(**asked), walled(**asked))[::-1]
            assert took.found and plain.found
            if searched:
                assert took.found[0][0] == plain.found[0][0] != [], "both variants must find the same passages"
            ours.append(took)
            theirs.append(plain)
        with_walls, without = (statistics.median(t.processor for t in times) for times in (ours, theirs))
        clocks = "{:.1f} / {:.1f} ms".format(*(statistics.median(t.clock for t in times) for times in (ours, theirs)))
        sys.stdout.write(
            f"{name:40} {with_walls:7.2f} ms with walls, {without:7.2f} ms without, ratio {with_walls / without:.2f}   by the clock {clocks}\n"
        )
        sys.stdout.flush()
        return with_walls / without


async def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--passages", type=int, default=100_000)
    parser.add_argument("--matters", type=int, default=200)
    chosen = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="orderly-bench-"))
    folder.chmod(0o711)
    try:
        async with EmbeddedPostgres(folder / "home") as server:
            await migrate(server.database_url)
            with psycopg.connect(server.database_url) as db:
                began = time.perf_counter()
                bench = Bench(db, chosen.passages, chosen.matters)
                sys.stdout.write(
                    f"{int(bench.passages):,} passages in {chosen.matters} matters, filled in {time.perf_counter() - began:.0f} s\n"
                )
                ratios = []
                for number in (0, 1, 20):
                    ((matter,),) = db.execute("select md5(%s)::uuid::text", (f"matter {number}",)).fetchall()
                    ratios += bench.searches(matter)
                bench.selects()
                return 0 if max(ratios) <= TARGET else 1
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
