"""Evaluation task: extracts every file of the manifest with the ingestion's document processor."""

from __future__ import annotations

import asyncio
import csv
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from orderly.errors import Unreadable
from orderly.models import Extracted
from orderly.services.document_processor import DocumentProcessor
from orderly.services.documents import incomplete_because
from orderly.services.policy import PROCESSORS, permitting
from orderly.settings import Settings
from orderly.wiring.readers import document_processor
from orderly_evaluation.bench import Bench

AT_ONCE = 2
"""Concurrent files. OCR of one file already uses every core."""


Row = Mapping[str, Any]


async def run(bench: Bench) -> dict[str, Any]:
    rows = await predict(bench.data.folder, bench.services.settings)
    bench.write("files", rows)
    return {"rows": len(rows)}


async def predict(data: Path, settings: Settings) -> Sequence[Row]:
    processor = document_processor(settings)
    limit = asyncio.Semaphore(AT_ONCE)

    async def one(name: str) -> Row:
        async with limit:
            return await _read(processor, data / "files" / name, name)

    with (data / "files" / "manifest.tsv").open(encoding="utf-8", newline="") as file:
        names = [row["file"] for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)]
    return await asyncio.gather(*(one(name) for name in names))


async def _read(processor: DocumentProcessor, path: Path, name: str) -> Row:
    try:
        with permitting(PROCESSORS):
            extracted = await processor.extract(path, path.name)
    except Unreadable as error:
        return {"file": name, "status": error.status, "reason": error.message, "pages": []}
    reasons = incomplete_because(extracted)
    return {
        "file": name,
        "status": "partial" if reasons else "ready",
        "reason": "; ".join(reasons),
        "pages": _texts(extracted),
    }


def _texts(extracted: Extracted) -> list[str]:
    return [extracted.text[page.start : page.end] for page in extracted.pages]
