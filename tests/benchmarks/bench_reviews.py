"""Time of a review offline beside the bare engine calls: `python tests/benchmarks/bench_reviews.py [FOLDER] [DOCUMENTS] [COLUMNS]`.

FOLDER: text files; default: evals/small. The bare calls answer the same columns from texts that are already in memory.
Half of the columns are ready-made, half are questions. The first bare calls fill the engine's caches; then each document is answered by bare
calls and by the review's job, one after the other, which both find them.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from orderly.models import Caller
from orderly.services.policy import permitting
from orderly.services.reviews import answer_cells, propose_column, ready_columns
from orderly.services.text import RevisionView
from orderly.settings import Settings
from orderly.store.functions.matters import create_matter
from orderly.store.functions.revisions import get_revision
from orderly.wiring.services import Operator, Services, open_operator, open_services

CONTRACTS = Path(__file__).parents[2] / "evals/small/contracts"


async def main(folder: Path, documents: int, columns: int) -> None:
    with tempfile.TemporaryDirectory(dir="/var/tmp") as home:
        Path(home).chmod(0o711)
        settings = Settings(home=Path(home) / "home", _env_file=None)
        async with open_services(settings) as services, open_operator(services) as operator:
            await measure(services, operator, sorted(folder.glob("*.txt"))[:documents], columns)


async def measure(services: Services, operator: Operator, paths: Sequence[Path], columns: int) -> None:
    assert services.local_user is not None
    ada = Caller(services.local_user)
    matter = await create_matter(services.store, ada, "Bench")
    for path in paths:
        await operator.file_ingestor.add(ada, matter["id"], path)
    questions = [f"What does the agreement say about subject {n} of schedule {n}?" for n in range(columns // 2)]
    asked = [await propose_column(services.engine, question) for question in questions]
    asked = [*ready_columns("due-diligence")[: columns - len(asked)], *asked]
    review = await services.reviews.create(ada, matter["id"], "Bench", asked)
    rows = (await services.reviews.rows(ada, review["id"], limit=1000))["rows"]
    views = [RevisionView(await get_revision(services.store, ada, row["document"]["id"])) for row in rows]
    waiting: Any = review["columns"]
    await _answer_bare(services, views[:1], waiting)  # loads the models
    first = await _answer_bare(services, views, waiting)
    await services.reviews.run(ada, review["id"])
    bare = whole = 0.0
    for row, view in zip(rows, views, strict=True):  # side by side, so that other work on the machine slows both alike
        bare += await _answer_bare(services, [view], waiting)
        began = time.monotonic()
        assert await operator.rows.answer(review["id"], row["document"]["id"])
        whole += time.monotonic() - began
    sys.stdout.write(
        f"{len(views)} × {len(asked)}: bare {first:.1f} s, then {bare:.1f} s; review {whole:.1f} s, ratio {whole / bare:.2f}\n"
    )


async def _answer_bare(services: Services, views: Sequence[RevisionView], columns: Any) -> float:
    """Seconds of the engine calls alone, without the store."""
    began = time.monotonic()
    with permitting(()):
        for view in views:
            [_ async for _ in answer_cells(services.engine, view, columns, seconds=60)]
    return time.monotonic() - began


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", nargs="?", type=Path, default=CONTRACTS)
    parser.add_argument("documents", nargs="?", type=int, default=30)
    parser.add_argument("columns", nargs="?", type=int, default=20)
    asyncio.run(main(**vars(parser.parse_args())))
