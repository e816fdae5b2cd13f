"""The nouns of Orderly: immutable values that every layer may pass to every other.

Offsets are zero-based, half-open and count Unicode code points of one revision's text: `text[start:end]` is the quotation.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

DocumentStatus = Literal[
    "uploading", "queued", "extracting", "ocr", "chunking", "embedding", "ready", "partial", "failed", "unsupported", "deleted"
]
READABLE_STATUSES: frozenset[str] = frozenset({"ready", "partial"})
"""Statuses in which a document has a published revision that may be quoted as it stands."""

PENDING_STATUSES: frozenset[str] = frozenset({"uploading", "queued", "extracting", "ocr", "chunking", "embedding"})

WORK_STAGES: frozenset[str] = frozenset({"extracting", "ocr", "chunking", "embedding"})
"""Statuses of a document that a worker has in its hands."""

Role = Literal["owner", "editor", "viewer"]
PageSource = Literal["native", "ocr", "none"]

Box = tuple[float, float, float, float]
"""x0, y0, x1, y1 in points (1/72 inch) from the top left corner of the page as a reader sees it, rotation applied."""


@dataclass(frozen=True, slots=True)
class Caller:
    """Who is asking. Made by `identity` alone, from what the server authenticated."""

    user_id: str
    thread_id: str | None = None
    """The authorised conversation, where there is one: it opens that conversation's own workspace."""
    run_id: str | None = None
    """The run that asks, where one does: a name under which the record keeps what belongs together."""
    kept_to: tuple[str, ...] | None = None
    """Ids of the matters that this question is kept to; None: all that the caller may see. It takes away and never gives."""


class Line(NamedTuple):
    """One line of text on a page. `start`, `end`: offsets in the revision's text.

    A tuple, because a long document has a hundred thousand of them.
    """

    start: int
    end: int
    box: Box
    running: bool = False
    """A running head or foot, which interrupts the sentences that cross pages."""


@dataclass(frozen=True, slots=True)
class Page:
    """One page of a paged format; a format without pages has a single one."""

    number: int
    """Physical number, from 1."""
    start: int
    end: int
    """`text[start:end]` is the page's text, without the break that follows it."""
    label: str | None = None
    """The number printed by the file's own page labels ("iv", "A-3"), where they differ from `number`."""
    source: PageSource = "native"
    confidence: float | None = None
    """Mean word confidence of the OCR, 0 to 100; None for native text."""
    ocr_engine: str | None = None
    flags: tuple[str, ...] = ()
    """What a careful reader must know: "no_text", "hidden_text", "unreadable_glyphs", "low_confidence", "ocr_failed",
    "damaged", "truncated"."""
    width: float | None = None
    height: float | None = None
    lines: tuple[Line, ...] = ()


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading that the file itself marks as one (Word styles, Markdown)."""

    start: int
    end: int
    level: int
    """From 1, outermost."""
    label: str | None
    title: str | None


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file inside a file: of an e-mail, or embedded in a PDF."""

    name: str
    content_type: str | None
    """As the outer file claims."""
    data: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class Extracted:
    """What a reader got out of one file."""

    text: str
    pages: tuple[Page, ...]
    paged: bool
    """False where the format has no fixed pages (Word, plain text): citations then name the section only."""
    reader: str
    """Which reader and version, e.g. "pymupdf 1.26.7", "ooxml", "mammoth", "text cp1252"."""
    headings: tuple[Heading, ...] = ()
    notes: tuple[str, ...] = ()
    """Plain sentences for the health report: tracked changes, fallback reader used, hidden text found …"""
    details: Mapping[str, object] = field(default_factory=dict)
    """JSON-ready facts behind the notes, e.g. {"tracked_changes": [{"kind", "author", "date", "text"}]}."""
    attachments: tuple[Attachment, ...] = ()
    incomplete: tuple[str, ...] = ()
    """Why the text is not the whole of the file, beside what the flags of single pages say; empty when it is."""


@dataclass(frozen=True, slots=True)
class Section:
    """A node of the section tree. `start`..`end` covers the heading, the body and all descendants."""

    ordinal: int
    parent: int | None
    """Ordinal of the enclosing section."""
    level: int
    label: str | None
    """As the document numbers it: "12.1", "12.1(a)", "Schedule 2"."""
    title: str | None
    """As the document names it: "Termination"."""
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Chunk:
    """A passage that is searched as one. Chunks follow the order of the text."""

    ordinal: int
    start: int
    end: int
    section: int | None
    """Ordinal of the innermost section that holds the chunk's start."""
    page_first: int
    page_last: int


@dataclass(frozen=True, slots=True)
class Embedding:
    """One vector of one chunk. A chunk longer than the model's window has several parts, the best of which counts."""

    chunk: int
    part: int
    vector: Sequence[float]
    """Where there are thousands, an array of single precision: as a tuple each takes eight times the room."""


@dataclass(frozen=True, slots=True)
class RevisionContent:
    """Everything that is published in one transaction when a document becomes readable."""

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
    """ready or partial."""
    reason: str
    """Empty only for ready."""
    health: Mapping[str, object]
