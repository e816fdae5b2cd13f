"""Pages read by OCR, stored until the whole file is read.

SQL: supabase/schemas/08_ingestion.sql.
"""

from __future__ import annotations

from typing import TypedDict

from orderly.store.base import WorkerCalls

RecognisedWord = tuple[int, int, float, float, float, float, float]
"""Start, end, x0, y0, x1, y1, confidence; an array in JSON."""


class RecognisedPage(TypedDict):
    """One page's OCR."""

    text: str
    words: list[RecognisedWord]
    confidence: float | None
    points_per_pixel: float
    left: float
    top: float


async def keep_ocr_page(
    worker: WorkerCalls, document_id: str, *, claim: int, page: int, engine: str, settings: str, content: RecognisedPage
) -> None:
    """Stores a recognised page until the whole file is read. Raises TakenOver when the claim is lost."""
    await worker.rpc(
        "keep_ocr_page",
        {"document_id": document_id, "claim": claim, "page": page, "engine": engine, "settings": settings, "content": content},
    )


async def kept_ocr_page(
    worker: WorkerCalls, *, document_id: str, page: int, engine: str, settings: str
) -> RecognisedPage | None:
    """Finds a page that an earlier attempt recognised from the same file."""
    return await worker.rpc("kept_ocr_page", {"document_id": document_id, "page": page, "engine": engine, "settings": settings})
