"""What a reader hands over: pages that may still need OCR, then `assemble` fixes the offsets for good."""

from __future__ import annotations

from dataclasses import dataclass, field

from orderly.models import Attachment, Box, Extracted, Heading, Line, Page, PageSource
from orderly.services.document_processor.garbage_collection import collection_paused
from orderly.services.ocr import OcrPage
from orderly.services.text import storable

DPI = 200
"""Tesseract reads best at 200 dpi grey; 300 dpi reads degraded scans worse and costs twice the time."""

RawLine = tuple[int, int, Box]
"""Start and end in the page's own text, box in points."""


@dataclass(frozen=True, slots=True)
class Picture:
    """A page, or a part of one, drawn for OCR."""

    png: bytes
    points_per_pixel: float
    left: float
    top: float
    """Where the picture's corner lies on the page, in points."""


@dataclass(slots=True)
class PageDraft:
    number: int
    text: str = ""
    lines: list[RawLine] = field(default_factory=list)
    label: str | None = None
    source: PageSource = "native"
    confidence: float | None = None
    ocr_engine: str | None = None
    flags: list[str] = field(default_factory=list)
    width: float | None = None
    height: float | None = None


@dataclass(frozen=True, slots=True)
class OcrRequest:
    """A page whose own text does not tell what a reader sees."""

    page: int
    """Physical number, from 1."""
    clip: Box | None = None
    """None: the whole page is read anew. Else only this part is, and its text is added to the page's own."""
    prefer: bool = True
    """False: the page's own text stays unless the recognised text holds more words of the language."""


@dataclass(frozen=True, slots=True)
class Recognised:
    """What an engine read in the picture of a page, and where that picture's corner lies on it."""

    page: int
    engine: str
    found: OcrPage
    points_per_pixel: float
    left: float
    top: float


@dataclass(slots=True)
class Draft:
    reader: str
    paged: bool
    pages: list[PageDraft]
    headings: tuple[Heading, ...] = ()
    notes: list[str] = field(default_factory=list)
    details: dict[str, object] = field(default_factory=dict)
    attachments: list[Attachment] = field(default_factory=list)
    incomplete: list[str] = field(default_factory=list)
    """Sentences without a capital or a full stop: why this is not the whole file."""
    running: dict[int, list[tuple[int, int]]] = field(default_factory=dict)
    """Running heads and feet by page number: spans in the page's own text."""
    ocr: list[OcrRequest] = field(default_factory=list)


def _running_spans(pages: list[Page]) -> list[list[int]]:
    """Running lines that follow one another as one span: foot of one page and head of the next, mostly."""
    spans: list[list[int]] = []
    follows = False
    for line in (line for page in pages for line in page.lines):
        if line.running and follows:
            spans[-1][1] = line.end
        elif line.running:
            spans.append([line.start, line.end])
        follows = line.running
    return spans


def _lines(page: PageDraft, start: int, running: frozenset[tuple[int, int]]) -> tuple[Line, ...]:
    if not running:
        return tuple([Line(start + first, start + last, box) for first, last, box in page.lines])
    return tuple([Line(start + first, start + last, box, (first, last) in running) for first, last, box in page.lines])


@collection_paused()
def assemble(draft: Draft) -> Extracted:
    """Join the pages by a single line feed and move every line to its place in the whole."""
    for page in draft.pages:
        page.text = storable(page.text)
    pages: list[Page] = []
    start = 0
    for page in draft.pages:
        end = start + len(page.text)
        pages.append(
            Page(
                number=page.number,
                start=start,
                end=end,
                label=page.label,
                source=page.source,
                confidence=page.confidence,
                ocr_engine=page.ocr_engine,
                flags=tuple(page.flags),
                width=page.width,
                height=page.height,
                lines=_lines(page, start, frozenset(draft.running.get(page.number, ()))),
            )
        )
        start = end + 1
    if running := _running_spans(pages):
        draft.details["running_lines"] = running
    return Extracted(
        text="\n".join([page.text for page in draft.pages]),
        pages=tuple(pages),
        paged=draft.paged,
        reader=draft.reader,
        headings=draft.headings,
        notes=tuple(draft.notes),
        details=draft.details,
        attachments=tuple(draft.attachments),
        incomplete=tuple(draft.incomplete),
    )
