"""Reading coverage: the documents and pages that were read, with OCR confidence, as context for "not found"."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from orderly.models import Caller
from orderly.services.documents.stored_files import StoredText
from orderly.services.text import RevisionView
from orderly.store.base import Store
from orderly.store.functions.health import ReadingCoverage, reading_coverage

UNREAD_REASONS = {
    "ocr_failed": "text recognition failed",
    "unreadable_glyphs": "characters could not be decoded",
    "damaged": "the file is damaged there",
    "truncated": "past the limit on extracted text",
    "low_confidence": "the scan is hard to read",
    "no_text": "no text on it",
}
"""Page flags that can hide text from a search, with their wording in reports."""


@dataclass(frozen=True, slots=True)
class ReadCoverage:
    """How one document was read."""

    name: str
    pages: int | None
    """None if the format has no pages, or if nothing was read."""
    characters: int
    """0 if nothing was read."""
    ocr_pages: int
    ocr_confidence: float | None
    """Mean of the pages read by OCR, 0 to 100."""
    unread: Mapping[int, str] = field(default_factory=dict)
    """Page number -> reason why text may be missing."""
    whole: bool = True
    """False: only sections of the document were in scope, and the figures are those of the sections and their pages."""


async def load_coverage(store: Store, caller: Caller, matter_id: str, within: Sequence[str] | None) -> dict[str, ReadCoverage]:
    """Reports by document id how the documents in the scope of a search were read. `within` as in the search."""
    rows = await reading_coverage(store, caller, matter_id, within=list(within) if within else None)
    return {row["document_id"]: coverage_from_row(row) for row in rows}


def coverage_from_row(row: ReadingCoverage) -> ReadCoverage:
    return ReadCoverage(
        name=row["filename"],
        pages=row["page_count"] if row["paged"] else None,
        characters=row["char_count"] or 0,
        ocr_pages=row["ocr_pages"],
        ocr_confidence=row["ocr_confidence"],
        unread={page["number"]: _reason(page["flags"]) for page in row["unread"]},
        whole=row["whole"],
    )


def coverage_of_revision(view: RevisionView) -> ReadCoverage:
    """Computes the coverage of a loaded revision."""
    confidences = [p["confidence"] for p in view.pages if p["source"] == "ocr" and p["confidence"] is not None]
    flagged = {p["number"]: tuple(p["flags"]) for p in view.pages}
    return ReadCoverage(
        name=view.name,
        pages=len(view.pages) if view.paged else None,
        characters=len(view.text),
        ocr_pages=sum(p["source"] == "ocr" for p in view.pages),
        ocr_confidence=round(sum(confidences) / len(confidences), 1) if confidences else None,
        unread={number: _reason(flags) for number, flags in flagged.items() if any(flag in UNREAD_REASONS for flag in flags)},
    )


def coverage_of_file(name: str, stored: StoredText) -> ReadCoverage:
    """Computes the coverage of a stored file that was read without OCR."""
    flagged = {page.number: page.flags for page in stored.pages}
    return ReadCoverage(
        name=name,
        pages=len(stored.pages) if stored.paged else None,
        characters=len(stored.text),
        ocr_pages=0,
        ocr_confidence=None,
        unread={number: _reason(flags) for number, flags in flagged.items() if any(flag in UNREAD_REASONS for flag in flags)},
    )


def _reason(flags: Sequence[str]) -> str:
    return next(words for flag, words in UNREAD_REASONS.items() if flag in flags)
