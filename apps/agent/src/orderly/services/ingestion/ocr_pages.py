"""Stores recognised pages in the database, so that an interrupted OCR resumes."""

from __future__ import annotations

from dataclasses import dataclass

from orderly.services.document_processor import Recognised
from orderly.services.ocr import OcrPage, OcrWord
from orderly.services.text import sanitise_text
from orderly.store.base import WorkerStore
from orderly.store.functions.ocr_pages import RecognisedPage, keep_ocr_page, kept_ocr_page


@dataclass(frozen=True, slots=True)
class StoredPages:
    """Implements `RecognisedPageCache` for a claimed document."""

    worker: WorkerStore
    document_id: str
    claim: int

    async def get(self, page: int, engine: str, settings: str) -> Recognised | None:
        content = await kept_ocr_page(self.worker, document_id=self.document_id, page=page, engine=engine, settings=settings)
        return None if content is None else _from_row(page, engine, content)

    async def put(self, recognised: Recognised, settings: str) -> None:
        """Raises TakenOver if another worker has claimed the document."""
        await keep_ocr_page(
            self.worker, self.document_id, claim=self.claim, page=recognised.page, engine=recognised.engine, settings=settings,
            content=_to_row(recognised),
        )  # fmt: skip


def _to_row(recognised: Recognised) -> RecognisedPage:
    """Converts a page to JSON. Words are arrays, as a long scan has a million of them."""
    found = recognised.found
    return {
        "text": sanitise_text(found.text),
        "words": [(word.start, word.end, *word.box, word.confidence) for word in found.words],
        "confidence": found.confidence,
        "points_per_pixel": recognised.points_per_pixel,
        "left": recognised.left,
        "top": recognised.top,
    }


def _from_row(page: int, engine: str, content: RecognisedPage) -> Recognised:
    words = tuple([OcrWord(start, end, (x0, y0, x1, y1), sure) for start, end, x0, y0, x1, y1, sure in content["words"]])
    found = OcrPage(content["text"], words, content["confidence"])
    return Recognised(page, engine, found, content["points_per_pixel"], content["left"], content["top"])
