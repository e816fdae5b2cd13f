"""Search at scale: `make bench-search`, or small: `python tests/benchmarks/bench_search.py --chunks 20000 --matters 40`."""

from __future__ import annotations

import argparse
import asyncio
import os
from pathlib import Path

from search_corpus import read_source
from search_fill import Shape, filled

from orderly.services.local_engine import LocalEngine
from orderly.store.embedded import EmbeddedPostgres
from orderly.store.migrate import migrate
from orderly.store.postgres import open_postgres, open_postgres_worker

HERE = Path(__file__).resolve().parent


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--chunks", type=int, default=20_000, help="passages in the database")
    parser.add_argument("--matters", type=int, default=40)
    parser.add_argument("--texts", type=Path, default=HERE.parents[1] / "evals" / "small", help="folder of contracts to recombine")
    parser.add_argument("--home", type=Path, help="where the database is kept for the next run")
    return parser.parse_args()


async def main() -> None:
    chosen = arguments()
    home = chosen.home or Path(os.environ.get("ORDERLY_HOME", ".orderly")) / f"bench-{chosen.chunks}-{chosen.matters}"
    home.mkdir(parents=True, exist_ok=True)
    engine = LocalEngine(home / "models")
    source = await read_source(chosen.texts, engine, home / "vectors.npy")
    print(len(source.sentences), len(source.all_vectors))
    async with EmbeddedPostgres(home / "postgres") as server:
        await migrate(server.database_url)
        # A fill that is broken off is made anew, so it need not wait for the disk.
        store = await open_postgres(server.database_url + "&options=-csynchronous_commit%3Doff")
        worker = await open_postgres_worker(server.database_url + "&options=-csynchronous_commit%3Doff")
        shape = Shape.of(chosen.chunks, chosen.matters)
        print(shape)
        made = await filled(home / "filled.json", store, worker, source, engine.embedding_model, shape)
        await store.close()
        await worker.close()


if __name__ == "__main__":
    asyncio.run(main())
