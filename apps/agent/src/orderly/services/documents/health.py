"""Health reports: how a file was read, and which text may be missing or wrong."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import cast

from orderly.models import Extracted
from orderly.store.functions.ingestion import AttachmentReport, Health, HiddenText

EDITION = 3
"""Of the readers. Raised where they store something else of the same file than before, so that files can be read again."""

INCOMPLETE_FLAGS = {
    "ocr_failed": "text recognition failed on",
    "unreadable_glyphs": "characters could not be decoded on",
    "low_confidence": "the scan is hard to read on",
    "damaged": "the file is damaged at",
    "truncated": "the limit on extracted text was reached on",
}
"""Flags that make a revision partial, with the text before the page numbers."""


FLAG_SENTENCES = {
    "damaged": "{where}: damaged, so text is missing there.",
    "truncated": "{where}: past the limit on the text of one file, so not all of it was read.",
    "ocr_failed": "{where}: an image whose text could not be recognised, so it cannot be searched or quoted.",
    "unreadable_glyphs": "{where}: the file does not say which letters its signs stand for, so they could not be decoded.",
    "low_confidence": "{where}: hard to read, so the recognised words may be wrong; check quotations against the image.",
    "no_text": "{where}: no text was found; empty, or nothing but pictures.",
    "hidden_text": "{where}: text that a reader cannot see was found, kept out of what is searched and quoted, and is listed.",
    "hidden_cells": "{where}: hidden rows or columns of a workbook; their cells were kept out of the text, and are listed.",
    "hidden_sheet": "{where}: a sheet that is hidden in the workbook; its words were kept out of the text and are listed.",
    "hidden_slide": "{where}: a slide that is hidden in the show; its words were kept out of the text and are listed.",
}
"""One sentence per page flag."""


def incomplete_because(extracted: Extracted) -> tuple[str, ...]:
    """Lists the reasons why a revision lacks part of the document; empty if it is complete."""
    by_flag = _pages_by_flag(extracted)
    if not extracted.paged:  # the reader has said what the limit left out
        flagged = [
            words.rsplit(" ", 1)[0] for flag, words in INCOMPLETE_FLAGS.items() if flag in by_flag and flag != "truncated"
        ]
    else:
        flagged = [f"{words} {_page_list(by_flag[flag])}" for flag, words in INCOMPLETE_FLAGS.items() if by_flag.get(flag)]
    return (*extracted.incomplete, *flagged)


def health_report(extracted: Extracted, incomplete: Sequence[str] = (), attachments: Sequence[AttachmentReport] = ()) -> Health:
    """Builds the revision's health report: totals, page flags, notes, and a sentence per problem.

    Args:
        extracted: The reader's result.
        incomplete: Reasons why the revision lacks part of the document.
        attachments: The outcome for each attached file.

    """
    ocr = [page for page in extracted.pages if page.source == "ocr"]
    confidences = [page.confidence for page in ocr if page.confidence is not None]
    by_flag = _pages_by_flag(extracted)
    return {
        "edition": EDITION,
        "summary": _summarise(extracted, len(ocr)),
        "sentences": _flag_sentences(extracted, by_flag),
        "reader": extracted.reader,
        "pages": len(extracted.pages) if extracted.paged else None,
        "characters": len(extracted.text),
        "ocr_pages": [page.number for page in ocr],
        "ocr_confidence": round(sum(confidences) / len(confidences), 1) if confidences else None,
        "flags": by_flag,
        "notes": list(extracted.notes),
        "incomplete": list(incomplete),
        "hidden_text": _hidden_text(extracted),
        "attachments": list(attachments),
        "details": dict(extracted.details),
    }


def _flag_sentences(extracted: Extracted, by_flag: Mapping[str, list[int]]) -> list[str]:
    """Writes one sentence per flag, most severe first. An unknown flag is shown by name."""
    flags = [*(flag for flag in FLAG_SENTENCES if flag in by_flag), *sorted(by_flag.keys() - FLAG_SENTENCES.keys())]
    sentences = []
    for flag in flags:
        where = _page_list(by_flag[flag]) if extracted.paged else "the document"
        sentences.append(FLAG_SENTENCES.get(flag, f"{{where}}: {flag.replace('_', ' ')}.").format(where=where))
    return [sentence[0].upper() + sentence[1:] for sentence in sentences]


def _hidden_text(extracted: Extracted) -> list[HiddenText]:
    """Lists the text that is invisible on the page and withheld from the model."""
    found = extracted.details.get("hidden_text", ())
    assert isinstance(found, Iterable)
    return [cast(HiddenText, item) if isinstance(item, dict) else {"page": None, "text": str(item)} for item in found]


def _summarise(extracted: Extracted, ocr_pages: int) -> str:
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


def _page_list(numbers: list[int]) -> str:
    shown = ", ".join(map(str, numbers[:10])) + (f" and {len(numbers) - 10} more" if len(numbers) > 10 else "")
    return f"page{'' if len(numbers) == 1 else 's'} {shown}"
