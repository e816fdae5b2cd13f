"""Evaluation task: locates the page of each gold passage in extracted files."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from orderly.errors import Unreadable
from orderly.services.document_processor import DocumentProcessor
from orderly.services.policy import PROCESSORS, permitting
from orderly.settings import Settings
from orderly.wiring.readers import document_processor
from orderly_evaluation.bench import Bench
from orderly_evaluation.fuzzy_location import Locator

Row = Mapping[str, Any]


async def run(bench: Bench) -> dict[str, Any]:
    rows = await predict(bench.data.folder, bench.services.settings)
    bench.write("pages", rows)
    return {"rows": len(rows)}


async def predict(data: Path, settings: Settings) -> Sequence[Row]:
    processor = document_processor(settings)
    lines = (data / "files" / "rendered_gold_pages.jsonl").read_text(encoding="utf-8").split("\n")
    gold = [json.loads(line) for line in lines if line.strip()]
    names = dict.fromkeys(row["file"] for row in gold)
    locators = {name: await _locator(processor, data / "files" / name) for name in names}
    return [{"file": row["file"], "snippet": row["snippet"], "page": _page(locators[row["file"]], row)} for row in gold]


def _page(locator: Locator | None, row: Row) -> int | None:
    return None if locator is None else locator.page_of(str(row["snippet"]))


async def _locator(processor: DocumentProcessor, path: Path) -> Locator | None:
    try:
        with permitting(PROCESSORS):
            return Locator(await processor.extract(path, path.name))
    except Unreadable:
        return None
