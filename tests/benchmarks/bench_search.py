"""Search at scale: `make bench-search`; a small run: `python tests/benchmarks/bench_search.py --chunks 20000 --matters 40`."""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
import tempfile
from contextlib import AsyncExitStack
from pathlib import Path

import psycopg
from search_corpus import Source, read_source
from search_fill import Filled, Shape, filled
from search_measures import Bench, CachingEngine

from orderly.services.document_processor import DocumentProcessor
from orderly.services.documents import StoredFiles
from orderly.services.engines.local import LocalEngine
from orderly.services.library import Library
from orderly.store.blobs_local import LocalBlobs
from orderly.store.embedded import EmbeddedPostgres
from orderly.store.migrate import migrate
from orderly.store.postgres import open_pool, open_postgres, open_postgres_worker

HERE = Path(__file__).resolve().parent
MATTERS = 12
"""Number of matters of each size that are queried."""
HELD = "select (select count(*) from public.chunks), (select count(*) from public.chunk_embeddings)"


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--chunks", type=int, default=20_000, help="passages in the database")
    parser.add_argument("--matters", type=int, default=40)
    parser.add_argument(
        "--texts", type=Path, default=HERE.parents[1] / "evals" / "small", help="folder of contracts to recombine"
    )
    parser.add_argument("--home", type=Path, help="folder that keeps the database for the next run")
    return parser.parse_args()


async def main() -> int:
    chosen = arguments()
    home = chosen.home or Path(os.environ.get("ORDERLY_HOME", ".orderly")) / f"bench-{chosen.chunks}-{chosen.matters}"
    home.mkdir(parents=True, exist_ok=True)
    engine = LocalEngine()
    source = await read_source(chosen.texts, engine, home / "vectors.npy")
    shape = Shape.of(chosen.chunks, chosen.matters)
    async with EmbeddedPostgres(home / "postgres") as server:
        await migrate(server.database_url)
        made = await fill(server, home / "filled.json", source, engine.embedding_model, shape)
        missed = await measure(server, CachingEngine(engine), made, shape)
    return 1 if missed else 0


async def fill(server: EmbeddedPostgres, marker: Path, source: Source, model: str, shape: Shape) -> Filled:
    # An interrupted fill is repeated, so it need not wait for the disk.
    url = server.database_url + "&options=-csynchronous_commit%3Doff"
    async with AsyncExitStack() as stack:
        store, worker = await open_postgres(url), await open_postgres_worker(url)
        stack.push_async_callback(store.close)
        stack.push_async_callback(worker.close)
        return await filled(marker, store, worker, source, model, shape)


async def measure(server: EmbeddedPostgres, engine: CachingEngine, made: Filled, shape: Shape) -> list[str]:
    store, unchecked = await open_postgres(server.caller_url), await open_pool(server.database_url)
    try:
        with psycopg.connect(server.database_url, autocommit=True) as admin, tempfile.TemporaryDirectory() as folder:
            admin.execute("vacuum (analyze, skip_locked)")
            ((held, vectors),) = admin.execute(HELD).fetchall()
            sys.stdout.write(
                f"{held:,} passages with {vectors:,} vectors in {sum(map(len, made.matters.values())):,} matters\n"
            )
            files = StoredFiles(LocalBlobs(Path(folder)), DocumentProcessor(None))
            library = Library(store, files, engine, 25.0)
            bench = Bench(store, library, engine, made, unchecked)
            await bench.embedding()
            for kind, passages in shape.sizes.items():
                await bench.of_kind(kind, passages, MATTERS)
            return bench.missed
    finally:
        await store.close()
        await unchecked.close()


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
