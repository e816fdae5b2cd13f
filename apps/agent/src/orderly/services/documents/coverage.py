"""What stands behind "not found": which documents and pages were read, how surely, and which were not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from orderly.services.text import RevisionView
from orderly.store.functions.health import ReadingCoverage

NOT_READ = {
    "ocr_failed": "text recognition failed",
    "unreadable_glyphs": "characters could not be decoded",
    "damaged": "the file is damaged there",
    "truncated": "past the limit on extracted text",
    "low_confidence": "the scan is hard to read",
    "no_text": "no text on it",
}
"""Flags of a page that a search may have missed something on, in the words of a report."""


@dataclass(frozen=True, slots=True)
class Read:
    """How one document was read."""

    name: str
    pages: int | None
    """None where the format has no pages, or nothing was read."""
    characters: int
    """0 where nothing was read."""
    ocr_pages: int
    ocr_confidence: float | None
    """Mean of the pages read by OCR, 0 to 100."""
    unread: Mapping[int, str] = field(default_factory=dict)
    """Page number -> why something may be missing from it."""


def of_row(row: ReadingCoverage) -> Read:
    return Read(
        name=row["filename"],
        pages=row["page_count"] if row["paged"] else None,
        characters=row["char_count"] or 0,
        ocr_pages=row["ocr_pages"],
        ocr_confidence=row["ocr_confidence"],
        unread={page["number"]: _reason(page["flags"]) for page in row["unread"]},
    )


def of_revision(view: RevisionView) -> Read:
    """Of a document that is at hand."""
    confidences = [p["confidence"] for p in view.pages if p["source"] == "ocr" and p["confidence"] is not None]
    flagged = {p["number"]: tuple(p["flags"]) for p in view.pages}
    return Read(
        name=view.name,
        pages=len(view.pages) if view.paged else None,
        characters=len(view.text),
        ocr_pages=sum(p["source"] == "ocr" for p in view.pages),
        ocr_confidence=round(sum(confidences) / len(confidences), 1) if confidences else None,
        unread={number: _reason(flags) for number, flags in flagged.items() if any(flag in NOT_READ for flag in flags)},
    )


def _reason(flags: Sequence[str]) -> str:
    return next(words for flag, words in NOT_READ.items() if flag in flags)
