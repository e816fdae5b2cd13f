"""Reading coverage: the documents and pages that were read, with OCR confidence, as context for "not found"."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from orderly.services.text import RevisionView
from orderly.store.functions.health import ReadingCoverage

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


def coverage_from_row(row: ReadingCoverage) -> ReadCoverage:
    return ReadCoverage(
        name=row["filename"],
        pages=row["page_count"] if row["paged"] else None,
        characters=row["char_count"] or 0,
        ocr_pages=row["ocr_pages"],
        ocr_confidence=row["ocr_confidence"],
        unread={page["number"]: _reason(page["flags"]) for page in row["unread"]},
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


def _reason(flags: Sequence[str]) -> str:
    return next(words for flag, words in UNREAD_REASONS.items() if flag in flags)
