"""Fills an installation with a review of made-up documents: `python tests/benchmarks/review_fill.py DOCUMENTS COLUMNS [MATTER]`.

ORDERLY_HOME names the installation. The answers are made up; the documents, citations and rows are real rows of the store.
"""

from __future__ import annotations

import asyncio
import random
import sys
from collections.abc import Awaitable, Callable, Iterable
from pathlib import Path
from typing import Any, TypeVar

sys.path.insert(0, str(Path(__file__).parents[1]))

from orderly.models import Caller
from orderly.settings import load_settings
from orderly.store.functions.matters import create_matter
from orderly.store.functions.review_work import claim_review_row, save_review_cells
from orderly.wiring.services import Operator, Services, open_operator, open_services
from support.revisions import publish, register_text, revision_of

TEXT = "1 Term\n\nThis agreement lasts twelve months.\n\n2 Notice\n\nEither party may end it on ninety days notice in writing.\f3 Law\n\nThe law of Victoria governs it."
T = TypeVar("T")
R = TypeVar("R")
AT_ONCE = 6
STATES = ("found", "found", "found", "candidate", "not_found")


async def fill(documents: int, columns: int, matter_title: str = "Portfolio") -> None:
    async with open_services(load_settings()) as services, open_operator(services) as operator:
        assert services.local_user is not None
        ada = Caller(services.local_user)
        matter = await create_matter(services.store, ada, matter_title)
        ids = await _together(range(documents), lambda number: _add(services, operator, ada, matter["id"], number))
        asked: Any = [
            {"title": f"Question {n}", "question": f"What does clause {n} say?", "answer_type": "text" if n % 3 else "duration"}
            for n in range(columns)
        ]
        review = await services.reviews.create(ada, matter["id"], "Portfolio", asked, run=True)
        await _together(ids, lambda id: _answer(operator, review["id"], id, random.Random(id)))
        sys.stdout.write(f"/app/matters/{matter['number']}/reviews/{review['id']}\n")


async def _together(items: Iterable[T], work: Callable[[T], Awaitable[R]]) -> list[R]:
    """Works on a few items at a time, since most of the time goes to waiting for the database."""
    turns = asyncio.Semaphore(AT_ONCE)

    async def one(item: T) -> R:
        async with turns:
            return await work(item)

    return list(await asyncio.gather(*map(one, items)))


async def _add(services: Services, operator: Operator, ada: Caller, matter: str, number: int) -> str:
    text = f"{TEXT}\n\nNumber {number}."
    id = await register_text(services.store, ada, matter, f"contract-{number:03}.txt", text)
    await publish(operator.worker, revision_of(id, text, chunked=False))
    return id


async def _answer(operator: Operator, review: str, id: str, picker: random.Random) -> None:
    claimed = await claim_review_row(operator.worker, review, id, lease_seconds=600, max_attempts=3)
    assert claimed is not None
    revision = claimed["revision"]["document"]["revision"]
    assert revision is not None
    cells: Any = []
    for column in claimed["columns"]:
        state, days = picker.choice(STATES), picker.randrange(1, 400)
        value = {"type": column["answer_type"], "text": f"{days} days of notice in writing", "number": days}
        cells.append({
            "column_id": column["id"], "column_edition": 1, "state": state, "note": "", "confidence": 0.5, "engine": "made up",
            "model": None, "value": None if state == "not_found" else value, "citations": [] if state == "not_found" else [(8, 44)],
            "read": {"characters": len(TEXT), "pages": 2, "unread": [], "incomplete": ""},
        })  # fmt: skip
    await save_review_cells(operator.worker, review, id, claim=claimed["claim"], revision_id=revision["id"], cells=cells)


if __name__ == "__main__":
    asyncio.run(fill(int(sys.argv[1]), int(sys.argv[2]), *sys.argv[3:4]))
