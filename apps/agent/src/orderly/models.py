"""Domain model: immutable values shared by all layers.

Offsets are zero-based and half-open, in Unicode code points of a revision's text: `text[start:end]` is the quotation.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

Span = tuple[int, int]
"""Start and end in a text."""

DocumentStatus = Literal[
    "uploading", "queued", "extracting", "ocr", "chunking", "embedding", "ready", "partial", "failed", "unsupported", "deleted"
]
READABLE_STATUSES: frozenset[str] = frozenset({"ready", "partial"})
"""Statuses of documents with a published revision, which may be quoted."""

PENDING_STATUSES: frozenset[str] = frozenset({"uploading", "queued", "extracting", "ocr", "chunking", "embedding"})

WORK_STAGES: frozenset[str] = frozenset({"extracting", "ocr", "chunking", "embedding"})
"""Statuses of documents that a worker is processing."""

RESULTS, FEW_RESULTS = 10, 5
"""Results where no number is asked for: of a search; of file_search, the Responses API, Python and a search by sight."""

DuplicatePolicy = Literal["ask", "skip", "keep", "new_version"]
"""How to handle a new file if the matter holds its content or its name: refuse, skip the file, keep both, or add a version.

"skip" and "keep" apply to the same content only.
"""

Role = Literal["owner", "editor", "viewer"]
PageSource = Literal["native", "ocr", "none"]

Box = tuple[float, float, float, float]
"""x0, y0, x1, y1 in points (1/72 inch) from the top left corner of the rotated page."""


@dataclass(frozen=True, slots=True)
class Caller:
    """The authenticated user of a request. Only `identity` constructs callers from server requests."""

    user_id: str
    thread_id: str | None = None
    """The authorised conversation, which gives access to its workspace."""
    run_id: str | None = None
    """The current run; groups the run's entries in the audit log."""
    kept_to: tuple[str, ...] | None = None
    """Ids of the matters that the request is restricted to; None: all accessible matters. It never adds access."""
    documents: tuple[str, ...] | None = None
    """Ids of the documents that the request is restricted to; None: all accessible documents. It never adds access."""


class Line(NamedTuple):
    """One line of text on a page. `start`, `end`: offsets in the revision's text.

    A tuple to save memory: a long document has 100,000 lines.
    """

    start: int
    end: int
    box: Box
    running: bool = False
    """Whether the line is a running head or foot, which interrupts sentences that cross pages."""


@dataclass(frozen=True, slots=True)
class Page:
    """One page. Formats without pages have a single page."""

    number: int
    """Physical page number, from 1."""
    start: int
    end: int
    """`text[start:end]` is the page's text without the page break."""
    label: str | None = None
    """The file's page label ("iv", "A-3"), if it differs from `number`."""
    source: PageSource = "native"
    confidence: float | None = None
    """Mean word confidence of the OCR, 0..100; None for native text."""
    ocr_engine: str | None = None
    flags: tuple[str, ...] = ()
    """Warnings: "no_text", "hidden_text", "unreadable_glyphs", "low_confidence", "ocr_failed", "damaged", "truncated"."""
    width: float | None = None
    height: float | None = None
    lines: tuple[Line, ...] = ()


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading marked by the file format (Word styles, Markdown)."""

    start: int
    end: int
    level: int
    """Nesting depth; the outermost level is 1."""
    label: str | None
    title: str | None


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file inside an e-mail or a PDF."""

    name: str
    content_type: str | None
    """As declared by the outer file."""
    data: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class Extracted:
    """Text and structure that a reader extracted from a file."""

    text: str
    pages: tuple[Page, ...]
    paged: bool
    """False if the format has no fixed pages (Word, plain text); citations then name only the section."""
    reader: str
    """Reader and version, e.g. "pymupdf 1.26.7", "ooxml", "mammoth", "text cp1252"."""
    headings: tuple[Heading, ...] = ()
    notes: tuple[str, ...] = ()
    """Sentences for the health report: tracked changes, fallback reader, hidden text …"""
    details: Mapping[str, object] = field(default_factory=dict)
    """JSON-serialisable details of the notes, e.g. {"tracked_changes": [{"kind", "author", "date", "text"}]}."""
    attachments: tuple[Attachment, ...] = ()
    incomplete: tuple[str, ...] = ()
    """Reasons why the text is incomplete, in addition to page flags; empty if it is complete."""


@dataclass(frozen=True, slots=True)
class Section:
    """A node of the section tree. `start`..`end` covers the heading, the body and all descendants."""

    ordinal: int
    parent: int | None
    """Ordinal of the enclosing section."""
    level: int
    label: str | None
    """Number in the document: "12.1", "12.1(a)", "Schedule 2"."""
    title: str | None
    """Title in the document: "Termination"."""
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Chunk:
    """A unit of search. Chunks are in text order."""

    ordinal: int
    start: int
    end: int
    section: int | None
    """Ordinal of the innermost section that holds the chunk's start."""
    page_first: int
    page_last: int


@dataclass(frozen=True, slots=True)
class Embedding:
    """One vector of a chunk. A chunk longer than the model's window has several parts; search uses the best one."""

    chunk: int
    part: int
    vector: Sequence[float]
    """Preferably a float32 array: a tuple needs eight times the memory."""


@dataclass(frozen=True, slots=True)
class RevisionContent:
    """Content of a revision, published in one transaction."""

    document_id: str
    revision_id: str
    extracted: Extracted
    sections: tuple[Section, ...]
    chunks: tuple[Chunk, ...]
    chunk_ids: tuple[str, ...]
    """uuid5(document, revision, ordinal), aligned with `chunks`."""
    embedding_model: str | None
    embeddings: tuple[Embedding, ...]
    status: DocumentStatus
    """Either "ready" or "partial"."""
    reason: str
    """Empty only if `status` is "ready"."""
    health: Mapping[str, object]
