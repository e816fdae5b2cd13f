"""Converts a revision to table rows, for both COPY and JSON batches."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import Any, cast
from uuid import NAMESPACE_URL, uuid5

from orderly.errors import Invalid
from orderly.models import Page, RevisionContent
from orderly.store.functions.ingestion import Health, NewRevision

Row = tuple[Any, ...]

_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")

PAGE_COLUMNS = (
    "number", "start_char", "end_char", "label", "source", "confidence", "ocr_engine", "flags", "width", "height",
    "lines",
)  # fmt: skip
SECTION_COLUMNS = (
    "id", "ordinal", "parent", "level", "label", "title", "start_char", "end_char", "page_first", "page_last",
)  # fmt: skip
CHUNK_COLUMNS = ("id", "ordinal", "start_char", "end_char", "page_first", "page_last", "section_id", "text")


def section_id(revision_id: str, ordinal: int) -> str:
    """Derives a section's id from its revision, so that publishing again yields the same ids."""
    return str(uuid5(NAMESPACE_URL, f"orderly:{revision_id}:section:{ordinal}"))


def revision_header(content: RevisionContent) -> NewRevision:
    """Builds the argument `revision` of `begin_revision`. Raises Invalid for text that Postgres cannot store."""
    text = content.extracted.text
    if _UNSTORABLE.search(text):
        raise Invalid("The text holds NUL characters or halves of surrogate pairs, which cannot be stored.")
    return {
        "id": content.revision_id,
        "text": text,
        "page_count": len(content.extracted.pages),
        "chunk_count": len(content.chunks),
        "paged": content.extracted.paged,
        "reader": content.extracted.reader,
        "health": cast(Health, dict(content.health)),
        "embedding_model": content.embedding_model,
    }


def page_rows(content: RevisionContent) -> Iterator[Row]:
    for page in content.extracted.pages:
        lines = [[line.start, line.end, *line.box, *([1] if line.running else [])] for line in page.lines]
        yield (
            page.number, page.start, page.end, page.label, page.source, page.confidence, page.ocr_engine,
            list(page.flags), page.width, page.height, lines,
        )  # fmt: skip


def section_rows(content: RevisionContent) -> Iterator[Row]:
    pages = content.extracted.pages
    starts = [page.start for page in pages]
    for s in content.sections:
        yield (
            section_id(content.revision_id, s.ordinal), s.ordinal, s.parent, s.level, s.label, s.title, s.start, s.end,
            _page_number(pages, starts, s.start), _page_number(pages, starts, max(s.start, s.end - 1)),
        )  # fmt: skip


def _page_number(pages: tuple[Page, ...], starts: list[int], offset: int) -> int:
    return pages[max(0, bisect_right(starts, offset) - 1)].number if pages else 1


def chunk_rows(content: RevisionContent) -> Iterator[Row]:
    text = content.extracted.text
    for chunk_id, c in zip(content.chunk_ids, content.chunks, strict=True):
        section = None if c.section is None else section_id(content.revision_id, c.section)
        yield (chunk_id, c.ordinal, c.start, c.end, c.page_first, c.page_last, section, text[c.start : c.end])


def embedding_rows(content: RevisionContent) -> Iterator[tuple[str, int, Sequence[float]]]:
    """Yields chunk id, part and vector."""
    ids = {c.ordinal: chunk_id for chunk_id, c in zip(content.chunk_ids, content.chunks, strict=True)}
    for e in content.embeddings:
        yield (ids[e.chunk], e.part, e.vector)
