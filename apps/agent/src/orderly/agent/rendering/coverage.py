"""Lines that prove a "not found": the text that was read, and gaps."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from orderly.services.documents import ReadCoverage

MAX_NAMED = 10
"""Pages in one line."""


def not_found(read: Sequence[ReadCoverage], stages: Sequence[str] = ()) -> list[str]:
    """Returns lines with the documents and pages that were read, unread pages, and the stages of the search."""
    done = [document for document in read if document.characters]
    lines = [f"Read: {_documents(done)}."]
    if ocr := sum(document.ocr_pages for document in done):
        weighted = [d.ocr_confidence * d.ocr_pages for d in done if d.ocr_confidence is not None]
        mean = f", mean confidence {sum(weighted) / ocr:.0f} of 100" if weighted else ""
        lines.append(f"Read by text recognition (OCR): {ocr} {_plural('page', ocr)}{mean}.")
    lines += [f"Not read: {line}" for document in done for line in _gaps(document)]
    if stages:
        lines.append(f"Looked for by: {', '.join(stages)}.")
    return lines


def _documents(done: Sequence[ReadCoverage]) -> str:
    if not done:
        return "nothing"
    pages = sum(document.pages or 0 for document in done)
    unpaged = [document for document in done if document.pages is None]
    size = []
    if pages:
        missing = sum(len(document.unread) for document in done if document.pages is not None)
        size.append(
            f"{pages - missing} of {pages} {_plural('page', pages)}" if missing else f"all {pages} {_plural('page', pages)}"
        )
    if unpaged:
        size.append(f"{sum(d.characters for d in unpaged):,} characters without pages")
    return f"{_names(done)}, {' and '.join(size)}"


def _names(done: Sequence[ReadCoverage]) -> str:
    parts = [document for document in done if not document.whole]
    if len(done) == 1:
        return f"the given sections of {done[0].name}" if parts else done[0].name
    sections = f" ({len(parts)} of them in the given sections only)" if parts else ""
    return f"{len(done)} documents{sections}"


def _gaps(document: ReadCoverage) -> list[str]:
    by_reason: dict[str, list[int]] = defaultdict(list)
    for number, reason in document.unread.items():
        by_reason[reason].append(number)
    return [f"{document.name}, {_pages(numbers)} ({reason})." for reason, numbers in by_reason.items()]


def _pages(numbers: Sequence[int]) -> str:
    shown = ", ".join(map(str, numbers[:MAX_NAMED]))
    more = f" and {len(numbers) - MAX_NAMED} more" if len(numbers) > MAX_NAMED else ""
    return f"{_plural('page', len(numbers))} {shown}{more}"


def _plural(word: str, count: int) -> str:
    return word if count == 1 else f"{word}s"
