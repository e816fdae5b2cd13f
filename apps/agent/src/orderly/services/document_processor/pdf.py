"""Reader for PDF: text and line boxes per page, and OCR requests."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import pymupdf

from orderly.errors import Damaged
from orderly.services.document_processor.drafts import Draft, PageDraft, RawLine, struck_entry
from orderly.services.document_processor.hidden_text import find_hidden_text, remove_spans, words_beside
from orderly.services.document_processor.limits import Limits, limit_pages
from orderly.services.document_processor.mupdf import PDF_ERRORS, is_out_of_memory, open_pdf
from orderly.services.document_processor.page_layout import lay_out
from orderly.services.document_processor.page_letters import MATTER, take_out
from orderly.services.document_processor.page_line_numbers import find_margin_numbers
from orderly.services.document_processor.page_marks import read_seen
from orderly.services.document_processor.page_ocr_decision import decide_ocr
from orderly.services.document_processor.pdf_annotations import add_fields_and_notes, show_ticks
from orderly.services.document_processor.pdf_embedded_files import embedded_files
from orderly.services.document_processor.table_rows import set_tables

READER = f"pymupdf {pymupdf.VersionBind}"

_HIDDEN = "hidden"
_NOTICE = "Please wait"
"""Of the page that a form has for programs which cannot draw it."""
_ONLY_ACROBAT = "it is a form (XFA) whose pages only Adobe Acrobat can draw; print it there as PDF and upload that"
_LOST_DATA = ("zlib error", "premature end of data")
"""MuPDF's warnings for truncated streams, whose text is incomplete."""


@dataclass(slots=True)
class _Findings:
    """Findings of all pages, reported at the end. Pages by number."""

    hidden: list[dict[str, object]] = field(default_factory=list)
    struck: list[dict[str, object]] = field(default_factory=list)
    numbered: list[int] = field(default_factory=list)
    unreadable: list[int] = field(default_factory=list)
    layers: list[str] = field(default_factory=list)
    """Names of layers that no page shows."""
    repaired: bool = False


def read_pdf(path: Path, limits: Limits) -> Draft:
    """Reads a PDF. Blocking. Raises PasswordProtected, Protected or Damaged."""
    draft = Draft(READER, paged=True, pages=[])
    findings = _Findings()
    with open_pdf(path) as document:
        _read_pages(document, draft, limits, findings)
        _label_pages(document, draft.pages)
        files, lost = embedded_files(document)
        findings.repaired = document.is_repaired
        findings.layers = sorted({str(layer["name"]) for layer in document.get_ocgs().values() if not layer["on"]})
        if _is_drawn_by_acrobat(document):
            draft.incomplete.append(_ONLY_ACROBAT)
    draft.attachments += files
    if lost:
        draft.incomplete.append(f"{lost} of the files inside the PDF could not be taken out; export them by themselves")
    if not draft.pages and draft.attachments:
        draft.paged, draft.pages = False, [PageDraft(1)]
    if not draft.pages:
        raise Damaged("The PDF is damaged: no page of it could be found. Upload it again.")
    _report(draft, findings)
    return draft


def _is_drawn_by_acrobat(document: pymupdf.Document) -> bool:
    """Whether it is a form (XFA) whose pages only Acrobat can draw: what is stored as pages is a notice."""
    catalogue = document.pdf_catalog()
    if document.xref_get_key(catalogue, "AcroForm/XFA")[0] == "null":
        return False
    needs_drawing = document.xref_get_key(catalogue, "NeedsRendering")[1] == "true"
    return needs_drawing or (document.page_count == 1 and _NOTICE in document[0].get_text())


def _report(draft: Draft, findings: _Findings) -> None:
    if findings.repaired:
        draft.incomplete.append("the PDF is damaged and was repaired, so pages or text may be missing")
        draft.details["repaired"] = True
    if findings.unreadable:
        draft.details["damaged_pages"] = findings.unreadable
    if findings.hidden:
        draft.details["hidden_text"] = findings.hidden
        draft.notes.append(
            f"Hidden text (white, transparent, covered, of no size or beside the page) was found {len(findings.hidden)} times "
            "and kept out of the text."
        )
    draft.report_struck(findings.struck)
    _report_redaction_marks(draft)
    if findings.layers:
        draft.notes.append(f"Layers that are switched off, whose words were not read: {', '.join(findings.layers)}.")
    if findings.numbered:
        draft.details["line_numbers"] = findings.numbered
        draft.notes.append(f"Line numbers in the margin were kept out of the text of {len(findings.numbered)} pages.")
    if draft.attachments:
        draft.notes.append("Files inside the PDF: " + "; ".join(file.name for file in draft.attachments) + ".")


def _report_redaction_marks(draft: Draft) -> None:
    marks = draft.details.get("redaction_marks")
    if isinstance(marks, list):
        pages = ", ".join(map(str, sorted({mark["page"] for mark in marks})))
        draft.notes.append(f"Redaction marks that were not applied: page {pages}. The words below them stand in the text.")


def _read_pages(document: pymupdf.Document, draft: Draft, limits: Limits, findings: _Findings) -> None:
    for index in range(limit_pages(document.page_count, limits, draft.incomplete)):
        try:
            page = document[index]
            read = _read_page(page, draft, findings)
            if any(kind != pymupdf.PDF_ANNOT_LINK for _, kind, _ in page.annot_xrefs()):
                _add_annotations(page, read, draft, findings)
        except PDF_ERRORS as exc:
            if is_out_of_memory(exc):
                raise
            read = PageDraft(index + 1, flags=["damaged"])
        else:
            warnings = pymupdf.TOOLS.mupdf_warnings()
            if warnings and any(words in warnings for words in _LOST_DATA):
                read.flags.append("damaged")
        if "damaged" in read.flags:
            findings.unreadable.append(index + 1)
        draft.pages.append(read)


def _add_annotations(page: pymupdf.Page, read: PageDraft, draft: Draft, findings: _Findings) -> None:
    try:
        hidden = add_fields_and_notes(page, read, draft)
    except (ValueError, TypeError, KeyError, AttributeError):
        # Raised by PyMuPDF for malformed fields and annotations.
        draft.incomplete.append(f"form fields or notes on page {read.number} are damaged and were not read")
    else:
        findings.hidden += [{"page": read.number, "text": text} for text in hidden]
        read.flags += ["hidden_text"] * bool(hidden and "hidden_text" not in read.flags)


def _read_page(page: pymupdf.Page, draft: Draft, findings: _Findings) -> PageDraft:
    seen = read_seen(page)
    blocks = seen.blocks
    if page.first_widget:
        show_ticks(blocks)
    findings.struck += [struck_entry(words, f"page {page.number + 1}") for words in seen.struck]
    unseen = [*seen.covered, *words_beside(page)]
    findings.hidden += [{"page": page.number + 1, "text": words} for words in unseen]
    found = find_hidden_text(page, blocks)
    if found.hidden:
        for span in found.hidden:
            span[MATTER] = _HIDDEN
        take_out(blocks, _HIDDEN)
        findings.hidden += [{"page": page.number + 1, "text": span["text"].strip()} for span in found.hidden]
    if numbers := find_margin_numbers(blocks, seen.height, seen.drawn):
        remove_spans(blocks, numbers)
        findings.numbered.append(page.number + 1)
    text, lines = lay_out(set_tables(blocks, seen.tables) if seen.tables else blocks)
    decision = decide_ocr(page, text, layer=bool(found.layer), pictured=found.pictured)
    if decision.request:
        draft.ocr.append(decision.request)
    width, height, rotation = seen.width, seen.height, page.rotation
    if rotation:
        lines = _rotate_lines(page, lines)
    kept, doubtful = decision.own_text == "kept", decision.own_text == "doubtful"
    return PageDraft(
        number=page.number + 1,
        text=text if kept else "",
        lines=lines if kept else [],
        doubtful_text=text if doubtful else "",
        doubtful_lines=lines if doubtful else [],
        flags=[*decision.flags, *(["hidden_text"] if found.hidden or unseen else [])],
        width=height if rotation in (90, 270) else width,
        height=width if rotation in (90, 270) else height,
    )


def _rotate_lines(page: pymupdf.Page, lines: list[RawLine]) -> list[RawLine]:
    """Rotates line boxes by the page's /Rotate, which MuPDF ignores in boxes."""
    matrix = page.rotation_matrix
    return [(start, end, tuple((pymupdf.Rect(box) * matrix).normalize())) for start, end, box in lines]


def _label_pages(document: pymupdf.Document, pages: list[PageDraft]) -> None:
    if document.get_page_labels():
        for page in (page for page in pages if "damaged" not in page.flags):
            label = document[page.number - 1].get_label()
            page.label = label if label and label != str(page.number) else None
