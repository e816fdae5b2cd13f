"""Revisions: a document's text with pages and sections.

SQL: supabase/schemas/07_documents.sql.
"""

from __future__ import annotations

from typing import TypedDict

from orderly.models import Caller, PageSource, Span
from orderly.store.base import Store
from orderly.store.functions.arguments import given
from orderly.store.functions.documents import FullDocument, ReadableDocument


class TextPage(TypedDict):
    number: int
    start: int
    end: int
    label: str | None
    source: PageSource
    confidence: float | None
    flags: list[str]


class Section(TypedDict):
    id: str
    ordinal: int
    parent: int | None
    """Ordinal of the enclosing section."""
    level: int
    label: str | None
    title: str | None
    start: int
    end: int
    page_first: int
    page_last: int


class RevisionText(TypedDict):
    document: FullDocument
    text: str
    pages: list[TextPage]
    sections: list[Section]


class DocumentContents(TypedDict):
    document: ReadableDocument
    sections: list[Section]
    passages: list[Span]


class PageText(TextPage):
    document_id: str
    revision_id: str
    current: bool
    paged: bool
    page_count: int
    width: float | None
    height: float | None
    text: str
    ocr_engine: str | None
    lines: list[list[float]]
    """Start and end offset, x0, y0, x1, y1 in points, then what a reader noted about the line."""


class SpanText(TypedDict):
    document_id: str
    revision_id: str
    start: int
    end: int
    char_count: int
    """Number of characters of the whole text."""
    text: str


class PageLine(TypedDict):
    start: int
    end: int
    box: list[float]
    """x0, y0, x1, y1 in points."""


class PageLines(TypedDict):
    number: int
    width: float | None
    height: float | None
    lines: list[PageLine]


class SpanPlace(TypedDict):
    """Location of a span of the text."""

    start: int
    end: int
    page_first: int
    page_last: int
    paged: bool
    section_id: str | None
    section_label: str | None
    section_title: str | None
    chunk_id: str | None


async def get_revision(store: Store, caller: Caller, document_id: str) -> RevisionText:
    """Reads the whole text of a document's current revision. Raises NotReady if there is none yet."""
    return await store.rpc(caller, "get_revision", {"document_id": document_id})


async def document_contents(store: Store, caller: Caller, document_id: str) -> DocumentContents:
    """Lists the sections and passages of a document's current revision."""
    return await store.rpc(caller, "document_contents", {"document_id": document_id})


async def document_page(
    store: Store, caller: Caller, document_id: str, page_number: int, *, revision_id: str | None = None
) -> PageText:
    """Reads one page of a revision; None: the current one."""
    return await store.rpc(
        caller, "document_page", {"document_id": document_id, "page_number": page_number, **given(revision_id=revision_id)}
    )


async def document_span(store: Store, caller: Caller, document_id: str, *, start_char: int, end_char: int) -> SpanText:
    """Reads a span of a document's current text."""
    return await store.rpc(
        caller, "document_span", {"document_id": document_id, "start_char": start_char, "end_char": end_char}
    )


async def locate_spans(
    store: Store, caller: Caller, document_id: str, *, revision_id: str, spans: list[list[int]]
) -> list[SpanPlace]:
    """Finds page, section and passage of spans of a published revision."""
    return await store.rpc(caller, "locate_spans", {"document_id": document_id, "revision_id": revision_id, "spans": spans})
