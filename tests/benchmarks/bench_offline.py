"""Time of the offline engine's answers: `python tests/benchmarks/bench_offline.py`. Needs an idle machine.

A search among 5,000 passages and an answer from 50 pages (target 600 ms each, at p95 and as a median), with the models loaded and the
document read before. Each question is asked for the first time. Processor time counts this process and, for a search, the
database's; it depends less on other work than the clock.
"""

from __future__ import annotations

import asyncio
import json
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from statistics import mean, median
from typing import Any

from bench_capacity import processor_seconds
from search_corpus import read_source
from search_fill import Filled, Shape, filled
from search_measures import QUESTIONS, percentile

from orderly.models import Caller
from orderly.services.document_processor import DocumentProcessor
from orderly.services.documents import StoredFiles
from orderly.services.engines.local import LocalEngine
from orderly.services.library import Library
from orderly.store.blobs_local import LocalBlobs
from orderly.store.embedded import EmbeddedPostgres
from orderly.store.migrate import migrate
from orderly.store.postgres import open_postgres, open_postgres_worker

ROOT = Path(__file__).resolve().parents[2]
TEXTS, DEMO = ROOT / "evals" / "small", ROOT / "apps" / "agent" / "src" / "orderly" / "demo_documents"
PASSAGES, PAGES, PAGE = 5_000, 50, 3_000
"""PAGE: characters."""
SEARCH, ANSWER = 600, 600
"""Targets in ms."""
FIRST = "Who keeps the minutes of the meetings?"
"""Is read, as no question about a concept of contracts is: it loads the reader too."""


async def timed(questions: Sequence[str], ask: Callable[[str], Awaitable[Any]], processor: Callable[[], float]) -> list[float]:
    """The seconds that each question takes; prints them, and the mean processor time."""
    times, before = [], processor()
    for question in questions:
        started = time.perf_counter()
        await ask(question)
        times.append(time.perf_counter() - started)
    spent = (processor() - before) / len(questions)
    sys.stdout.write(
        f"  p50 {median(times) * 1000:.0f} ms, p95 {percentile(times, 0.95) * 1000:.0f} ms, mean {mean(times) * 1000:.0f} ms, "
        f"of processor time {spent * 1000:.0f} ms\n"
    )
    return times


async def search(engine: LocalEngine, home: Path) -> float:
    """p95 of a search."""
    shape = Shape({"usual": PASSAGES}, {"usual": 1})
    source = await read_source(TEXTS, engine, home / "vectors.npy")
    async with EmbeddedPostgres(home / "postgres") as server:
        await migrate(server.database_url)
        store, worker = await open_postgres(server.caller_url), await open_postgres_worker(server.database_url)
        try:
            made: Filled = await filled(home / "filled.json", store, worker, source, engine.embedding_model, shape)
            files = StoredFiles(LocalBlobs(home / "blobs"), DocumentProcessor(None))
            library, caller = Library(store, files, engine, 25.0), Caller(made.user_id)
            [matter] = made.matters["usual"]
            await library.search(caller, matter, FIRST, 10)
            sys.stdout.write(f"search among {PASSAGES:,} passages, {len(QUESTIONS)} questions\n")
            times = await timed(
                QUESTIONS,
                lambda question: library.search(caller, matter, question, 10),
                lambda: processor_seconds(server.folder),
            )
        finally:
            await store.close()
            await worker.close()
    return percentile(times, 0.95)


async def contracts() -> str:
    paths = [*sorted(TEXTS.glob("contracts/*.txt")), *(path for path in sorted(DEMO.glob("*.pdf")) if "scan" not in path.name)]
    processor = DocumentProcessor(None)
    return "\n\n".join([(await processor.extract(path, path.name)).text for path in paths])


async def answers(engine: LocalEngine) -> float:
    """The slower median: of questions about clauses of contracts, and of questions that no concept guides."""
    text = (await contracts())[: PAGES * PAGE]
    rows = [json.loads(line) for line in (ROOT / "evals" / "general_questions.jsonl").read_text(encoding="utf-8").splitlines()]
    general = [row["question"] for row in rows[:: len(rows) // len(QUESTIONS)]][: len(QUESTIONS)]
    await engine.extract(FIRST, text)
    slowest = 0.0
    for name, questions in (("clauses of contracts", QUESTIONS), ("other things", general)):
        sys.stdout.write(f"answer from {len(text) // PAGE} pages, {len(questions)} questions about {name}\n")
        times = await timed(questions, lambda question: engine.extract(question, text), time.process_time)
        slowest = max(slowest, median(times))
    return slowest


async def main() -> int:
    engine = LocalEngine()
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        Path(folder).chmod(0o711)
        found = await search(engine, Path(folder)), await answers(engine)
    return 0 if found[0] * 1000 <= SEARCH and found[1] * 1000 <= ANSWER else 1


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
