"""What a careful reader must know about how a file was read."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from orderly.models import Extracted

INCOMPLETE_FLAGS = {
    "ocr_failed": "text recognition failed on",
    "unreadable_glyphs": "characters could not be decoded on",
    "low_confidence": "the scan is hard to read on",
    "damaged": "the file is damaged at",
    "truncated": "the limit on extracted text was reached on",
}
"""Flags that make a revision partial, with the words that introduce the page numbers."""


def incomplete_because(extracted: Extracted) -> tuple[str, ...]:
    """Why a revision is not the whole document; empty when it is."""
    by_flag = _pages_by_flag(extracted)
    flagged = [f"{words} {_pages(by_flag[flag])}" for flag, words in INCOMPLETE_FLAGS.items() if by_flag.get(flag)]
    return (*extracted.incomplete, *flagged)


def health_report(extracted: Extracted) -> dict[str, Any]:
    """JSON for the revision: how each page was read, totals, notes and one plain sentence."""
    ocr = [page for page in extracted.pages if page.source == "ocr"]
    confidences = [page.confidence for page in ocr if page.confidence is not None]
    return {
        "summary": _summary(extracted, len(ocr)),
        "reader": extracted.reader,
        "pages": len(extracted.pages) if extracted.paged else None,
        "characters": len(extracted.text),
        "ocr_pages": [page.number for page in ocr],
        "ocr_confidence": round(sum(confidences) / len(confidences), 1) if confidences else None,
        "flags": _pages_by_flag(extracted),
        "notes": list(extracted.notes),
        "incomplete": list(incomplete_because(extracted)),
        "attachments": [{"name": a.name, "type": a.content_type, "bytes": len(a.data)} for a in extracted.attachments],
        "details": dict(extracted.details),
    }


def _summary(extracted: Extracted, ocr_pages: int) -> str:
    if not extracted.paged:
        return f"Read as {extracted.reader}, {len(extracted.text):,} characters."
    total = len(extracted.pages)
    pages = f"{total} page{'' if total == 1 else 's'}"
    scanned = f", {ocr_pages} of them recognised from images" if ocr_pages else ""
    return f"Read {pages}{scanned}, {len(extracted.text):,} characters."


def _pages_by_flag(extracted: Extracted) -> dict[str, list[int]]:
    found: dict[str, list[int]] = defaultdict(list)
    for page in extracted.pages:
        for flag in page.flags:
            found[flag].append(page.number)
    return dict(found)


def _pages(numbers: list[int]) -> str:
    shown = ", ".join(map(str, numbers[:10])) + (f" and {len(numbers) - 10} more" if len(numbers) > 10 else "")
    return f"page{'' if len(numbers) == 1 else 's'} {shown}"
