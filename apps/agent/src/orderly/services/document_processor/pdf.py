"""PDF: text as it is laid out, one box a line, and which pages want OCR."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import pymupdf

from orderly.errors import Damaged
from orderly.services.document_processor.drafts import Draft, PageDraft, RawLine
from orderly.services.document_processor.hidden_text import take_out, unseen
from orderly.services.document_processor.limits import Limits, first_pages
from orderly.services.document_processor.margin_numbers import margin_numbers
from orderly.services.document_processor.mupdf import BROKEN, open_pdf, out_of_memory
from orderly.services.document_processor.page_layout import lay_out
from orderly.services.document_processor.page_ocr_decision import decide
from orderly.services.document_processor.pdf_annotations import add_fields_and_notes, embedded_files

READER = f"pymupdf {pymupdf.VersionBind}"

_LOST_DATA = ("zlib error", "premature end of data")
"""MuPDF's words for a stream that ended before its time; the text in it is cut off."""

# Ligatures are spelt out ("ﬁ" -> "fi"), so that a typed word finds them; unmapped glyphs show as U+FFFD, not as junk.
FLAGS = pymupdf.TEXTFLAGS_TEXT & ~pymupdf.TEXT_CID_FOR_UNKNOWN_UNICODE & ~pymupdf.TEXT_PRESERVE_LIGATURES


@dataclass(slots=True)
class _Findings:
    """What the pages showed on the way, reported at the end. Pages by number."""

    hidden: list[dict[str, object]] = field(default_factory=list)
    numbered: list[int] = field(default_factory=list)
    unreadable: list[int] = field(default_factory=list)
    repaired: bool = False


def read_pdf(path: Path, limits: Limits) -> Draft:
    """Blocking. Raises PasswordProtected or Damaged."""
    draft = Draft(READER, paged=True, pages=[])
    findings = _Findings()
    with open_pdf(path) as document:
        _read_pages(document, draft, limits, findings)
        _name_pages(document, draft.pages)
        draft.attachments += embedded_files(document)
        findings.repaired = document.is_repaired
    if not draft.pages:
        raise Damaged("The PDF is damaged: no page of it could be found. Upload it again.")
    _report(draft, findings)
    return draft


def _report(draft: Draft, findings: _Findings) -> None:
    if findings.repaired:
        draft.incomplete.append("the PDF is damaged and was repaired, so pages or text may be missing")
        draft.details["repaired"] = True
    if findings.unreadable:
        draft.details["damaged_pages"] = findings.unreadable
    if findings.hidden:
        draft.details["hidden_text"] = findings.hidden
        draft.notes.append(
            f"Hidden text (white, transparent or of no size) was found {len(findings.hidden)} times and kept out of the text."
        )
    if findings.numbered:
        draft.details["line_numbers"] = findings.numbered
        draft.notes.append(f"Line numbers in the margin were kept out of the text of {len(findings.numbered)} pages.")
    if draft.attachments:
        draft.notes.append("Files inside the PDF: " + "; ".join(file.name for file in draft.attachments) + ".")


def _read_pages(document: pymupdf.Document, draft: Draft, limits: Limits, findings: _Findings) -> None:
    for index in range(first_pages(document.page_count, limits, draft.incomplete)):
        try:
            page = document[index]
            read = _read_page(page, draft, findings)
            if any(kind != pymupdf.PDF_ANNOT_LINK for _, kind, _ in page.annot_xrefs()):
                _add_asides(page, read, draft)
        except BROKEN as exc:
            if out_of_memory(exc):
                raise
            read = PageDraft(index + 1, flags=["damaged"])
        else:
            warnings = pymupdf.TOOLS.mupdf_warnings()
            if warnings and any(words in warnings for words in _LOST_DATA):
                read.flags.append("damaged")
        if "damaged" in read.flags:
            findings.unreadable.append(index + 1)
        draft.pages.append(read)


def _add_asides(page: pymupdf.Page, read: PageDraft, draft: Draft) -> None:
    try:
        add_fields_and_notes(page, read, draft)
    except (ValueError, TypeError, KeyError, AttributeError):
        # PyMuPDF's word for fields and annotations that are not what they promise.
        draft.incomplete.append(f"form fields or notes on page {read.number} are damaged and were not read")


def _read_page(page: pymupdf.Page, draft: Draft, findings: _Findings) -> PageDraft:
    content = page.get_text("dict", flags=FLAGS)
    blocks = content["blocks"]
    found = unseen(page, blocks)
    if found.hidden:
        take_out(blocks, found.hidden)
        findings.hidden += [{"page": page.number + 1, "text": span["text"].strip()} for span in found.hidden]
    if numbers := margin_numbers(blocks, content["height"]):
        take_out(blocks, numbers)
        findings.numbered.append(page.number + 1)
    text, lines = lay_out(blocks)
    decision = decide(page, text, layer=bool(found.layer))
    if decision.request:
        draft.ocr.append(decision.request)
    if not decision.keep_text:
        text, lines = "", []
    width, height, rotation = content["width"], content["height"], page.rotation
    return PageDraft(
        number=page.number + 1,
        text=text,
        lines=_turned(page, lines) if rotation else lines,
        flags=[*decision.flags, *(["hidden_text"] if found.hidden else [])],
        width=height if rotation in (90, 270) else width,
        height=width if rotation in (90, 270) else height,
    )


def _turned(page: pymupdf.Page, lines: list[RawLine]) -> list[RawLine]:
    """MuPDF gives boxes as if the page had no /Rotate; a reader sees it turned."""
    matrix = page.rotation_matrix
    return [(start, end, tuple((pymupdf.Rect(box) * matrix).normalize())) for start, end, box in lines]


def _name_pages(document: pymupdf.Document, pages: list[PageDraft]) -> None:
    if document.get_page_labels():
        for page in (page for page in pages if "damaged" not in page.flags):
            label = document[page.number - 1].get_label()
            page.label = label if label and label != str(page.number) else None
