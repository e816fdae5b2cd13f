"""What a careful reader must know about how a file was read."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import cast

from orderly.models import Extracted
from orderly.store.functions.ingestion import AttachmentReport, Health, HiddenText

INCOMPLETE_FLAGS = {
    "ocr_failed": "text recognition failed on",
    "unreadable_glyphs": "characters could not be decoded on",
    "low_confidence": "the scan is hard to read on",
    "damaged": "the file is damaged at",
    "truncated": "the limit on extracted text was reached on",
}
"""Flags that make a revision partial, with the words that introduce the page numbers."""


FLAG_SENTENCES = {
    "damaged": "{where}: damaged, so text is missing there.",
    "truncated": "{where}: past the limit on the text of one file, so not all of it was read.",
    "ocr_failed": "{where}: an image whose text could not be recognised, so it cannot be searched or quoted.",
    "unreadable_glyphs": "{where}: the file does not say which letters its signs stand for, so they could not be decoded.",
    "low_confidence": "{where}: hard to read, so the recognised words may be wrong; check quotations against the image.",
    "no_text": "{where}: no text was found; empty, or nothing but pictures.",
    "hidden_text": "{where}: text that a reader cannot see was found, kept out of what is searched and quoted, and is listed.",
    "hidden_sheet": "{where}: a sheet that is hidden in the workbook; it was read.",
}
"""Every flag of a page in words."""


def incomplete_because(extracted: Extracted) -> tuple[str, ...]:
    """Why a revision is not the whole document; empty when it is."""
    by_flag = _pages_by_flag(extracted)
    flagged = [f"{words} {_pages(by_flag[flag])}" for flag, words in INCOMPLETE_FLAGS.items() if by_flag.get(flag)]
    return (*extracted.incomplete, *flagged)


def health_report(extracted: Extracted, incomplete: Sequence[str] = (), attachments: Sequence[AttachmentReport] = ()) -> Health:
    """JSON for the revision: how each page was read, totals, notes, and in plain sentences what a reader must know.

    Args:
        extracted: What was read.
        incomplete: Every reason why the revision is not the whole document.
        attachments: What became of each file inside the file.

    """
    ocr = [page for page in extracted.pages if page.source == "ocr"]
    confidences = [page.confidence for page in ocr if page.confidence is not None]
    by_flag = _pages_by_flag(extracted)
    return {
        "summary": _summary(extracted, len(ocr)),
        "sentences": _sentences(extracted, by_flag),
        "reader": extracted.reader,
        "pages": len(extracted.pages) if extracted.paged else None,
        "characters": len(extracted.text),
        "ocr_pages": [page.number for page in ocr],
        "ocr_confidence": round(sum(confidences) / len(confidences), 1) if confidences else None,
        "flags": by_flag,
        "notes": list(extracted.notes),
        "incomplete": list(incomplete),
        "hidden_text": _hidden(extracted),
        "attachments": list(attachments),
        "details": dict(extracted.details),
    }


def _sentences(extracted: Extracted, by_flag: Mapping[str, list[int]]) -> list[str]:
    """One for every kind of flag, the worst first. A flag without words of its own is named as it is."""
    flags = [*(flag for flag in FLAG_SENTENCES if flag in by_flag), *sorted(by_flag.keys() - FLAG_SENTENCES.keys())]
    sentences = []
    for flag in flags:
        where = _pages(by_flag[flag]) if extracted.paged else "the document"
        sentences.append(FLAG_SENTENCES.get(flag, f"{{where}}: {flag.replace('_', ' ')}.").format(where=where))
    return [sentence[0].upper() + sentence[1:] for sentence in sentences]


def _hidden(extracted: Extracted) -> list[HiddenText]:
    """What a reader of the page does not see, and the model does not read: {page (null without pages), text}."""
    found = extracted.details.get("hidden_text", ())
    assert isinstance(found, Iterable)
    return [cast(HiddenText, item) if isinstance(item, dict) else {"page": None, "text": str(item)} for item in found]


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
