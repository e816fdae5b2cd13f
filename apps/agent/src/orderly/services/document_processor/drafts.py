"""Results of readers: draft pages, which may need OCR, and their assembly into a text with final offsets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, cast

from orderly.models import Attachment, Box, Extracted, Heading, Line, Page, PageSource
from orderly.services.document_processor.garbage_collection import collection_paused
from orderly.services.ocr import OcrPage
from orderly.services.text import sanitise_text

DPI = 200
"""Resolution for OCR. Tesseract reads best at 200 dpi grey; 300 dpi is worse on degraded scans and takes twice the time."""

_RAISED_DIGITS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
STRUCK = "struck"
"""Kind of the tracked change that stands for struck-out words."""


class VisibleText(NamedTuple):
    """The text that is shown of a formatted string, and the words that are kept out of it."""

    text: str
    hidden: Sequence[str] = ()
    struck: Sequence[str] = ()


RawLine = tuple[int, int, Box]
"""Start and end in the page's own text, box in points."""


@dataclass(frozen=True, slots=True)
class Picture:
    """A page, or part of one, drawn for OCR."""

    png: bytes
    points_per_pixel: float
    left: float
    top: float
    """`left`, `top`: position of the picture's corner on the page, in points."""


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
    doubtful_text: str = ""
    """Text that the file stores and the page may not show. It becomes the page's text if OCR reads the same."""
    doubtful_lines: list[RawLine] = field(default_factory=list)
    inside: str = ""
    """Of a picture inside an Office file: its name in the file."""
    home: int = 0
    """Of such a picture: the page on which it stands; 0 for a page of its own."""


def has_text(text: str) -> bool:
    """Whether a text has a visible character. Spaces, characters without width and unmapped glyphs alone are no text."""
    return any(sign.isprintable() and not sign.isspace() and sign != "\ufffd" for sign in text)


@dataclass(frozen=True, slots=True)
class OcrRequest:
    """Requests OCR of a page whose stored text does not match its appearance."""

    page: int
    """Physical number, from 1."""
    clip: Box | None = None
    """None: OCR replaces the page's text. Otherwise only this area is recognised, and its text is appended."""
    prefer: bool = True
    """False: the page's own text stays unless the recognised text is better; without own text, doubtful words do not count."""
    inside: str = ""
    """Name of the picture inside an Office file that is to be drawn."""


@dataclass(frozen=True, slots=True)
class Recognised:
    """The text of a picture as recognised by an engine, and the picture's position on the page."""

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
    """Reasons why the text is not the whole file: sentences without capital and full stop."""
    running: dict[int, list[tuple[int, int]]] = field(default_factory=dict)
    """Page headers and footers by page number: spans in the page's own text."""
    ocr: list[OcrRequest] = field(default_factory=list)

    def report_hidden(self, found: Sequence[str]) -> None:
        """Reports text of a document without pages that its author's program does not show."""
        if found:
            self.details["hidden_text"] = found
            self.pages[0].flags.append("hidden_text")
            self.notes.append(f"Hidden text was found {len(found)} times and kept out of the text.")

    def report_struck(self, found: Sequence[Mapping[str, object]]) -> None:
        """Reports struck-out words, which are kept out of the text: {kind "struck", text, at}, beside the tracked changes."""
        if found:
            self.details["tracked_changes"] = [*cast(Sequence[object], self.details.get("tracked_changes", ())), *found]
            self.notes.append(f"Struck-out words were found {len(found)} times and kept out of the text.")


def struck_entry(text: str, place: str = "") -> dict[str, object]:
    """Struck-out words as they stand beside the tracked changes."""
    return {"kind": STRUCK, "author": "", "date": "", "text": text, **({"place": place} if place else {})}


def raised_digits(text: str) -> str:
    """Digits that stand above the line, as letters of their own: a note number is no digit of the sum before it."""
    return text.translate(_RAISED_DIGITS)


def _running_spans(pages: list[Page]) -> list[list[int]]:
    """Merges consecutive running lines, usually a footer and the next header, into one span each."""
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
    """Joins the pages with line feeds and shifts all lines to offsets in the whole text."""
    for page in draft.pages:
        page.text = sanitise_text(page.text)
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
