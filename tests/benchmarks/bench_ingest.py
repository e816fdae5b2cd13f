"""Time to ingest a long PDF, relative to bare text extraction and embedding: `python tests/benchmarks/bench_ingest.py [PAGES]`.

The target is a ratio of at most 1.15 on 300 pages of text: a file ingested as `orderly ingest` does (stored, read in a
separate process with the OCR decisions, chunked, embedded, published) against PyMuPDF's bare text and the
embedding of the same chunks by the same engine. Wall clock, alternately in one process; needs an idle machine.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

from long_pdf import PAGES, bare_text, varied_pdf

from orderly.models import Caller
from orderly.services.ingestion.pipeline import EMBED_BATCH
from orderly.settings import Settings
from orderly.wiring.services import Operator, Services, open_operator, open_services

ROUNDS = 3
TARGET = 1.15


async def bare(path: Path, pieces: list[str], services: Services) -> float:
    start = time.perf_counter()
    await asyncio.to_thread(bare_text, path)
    for at in range(0, len(pieces), EMBED_BATCH):
        await services.engine.embed(pieces[at : at + EMBED_BATCH], task="retrieval/document")
    return time.perf_counter() - start


async def ours(path: Path, operator: Operator, caller: Caller, matter: str) -> float:
    start = time.perf_counter()
    report = await operator.file_ingestor.add(caller, matter, path, on_duplicate="keep")
    assert report.status == "ready", report
    return time.perf_counter() - start


async def pieces_of(path: Path, services: Services) -> list[str]:
    extracted = await services.processor.extract(path, path.name)
    settings = services.settings
    _, chunks = await services.processor.divide(extracted, max_chars=settings.chunk_chars, overlap=settings.chunk_overlap)
    bodies = [extracted.text[chunk.start : chunk.end] for chunk in chunks]
    return [body[start:end] for body in bodies for start, end in services.engine.windows(body)]


async def run(pages: int) -> int:
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        Path(folder).chmod(0o711)
        async with (
            open_services(Settings(home=Path(folder) / "home", _env_file=None)) as services,
            open_operator(services) as operator,
        ):
            assert services.local_user is not None
            caller = Caller(services.local_user)
            matter = (await services.store.rpc(caller, "create_matter", {"title": "Bench"}))["id"]
            theirs, whole = [], []
            for number in range(ROUNDS):
                path = varied_pdf(Path(folder), pages, 1 + 100 * number)
                pieces = await pieces_of(path, services)
                theirs.append(await bare(path, pieces, services))
                whole.append(await ours(path, operator, caller, matter))
    ratios = sorted(a / b for a, b in zip(whole, theirs, strict=True))
    sys.stdout.write(
        f"{pages} pages or more, {len(pieces)} pieces, {ROUNDS} rounds\n"
        f"bare text and embedding: {median(theirs):.1f} s\n"
        f"taken in: {median(whole):.1f} s, ratio {median(ratios):.3f} ({ratios[0]:.3f} to {ratios[-1]:.3f})\n"
    )
    return 0 if median(ratios) <= TARGET else 1


if __name__ == "__main__":
    sys.exit(asyncio.run(run(int(sys.argv[1]) if len(sys.argv) > 1 else PAGES)))
