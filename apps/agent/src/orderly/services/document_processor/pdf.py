"""PDF: text as it is laid out, one box a line, and which pages want OCR."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pymupdf

from orderly.errors import Damaged
from orderly.services.document_processor.drafts import Draft, PageDraft, RawLine
from orderly.services.document_processor.hidden_text import Unseen, suspects, take_out, unseen
from orderly.services.document_processor.limits import Limits, first_pages
from orderly.services.document_processor.mupdf import open_pdf
from orderly.services.document_processor.page_layout import lay_out
from orderly.services.document_processor.page_ocr_decision import decide
from orderly.services.document_processor.page_pictures import draw

READER = f"pymupdf {pymupdf.VersionBind}"

_LOST_DATA = "zlib error"
"""MuPDF's word for a stream that ended before its time; the text in it is cut off."""

# Ligatures are spelt out ("ﬁ" -> "fi"), so that a typed word finds them; unmapped glyphs show as U+FFFD, not as junk.
FLAGS = pymupdf.TEXTFLAGS_TEXT & ~pymupdf.TEXT_CID_FOR_UNKNOWN_UNICODE & ~pymupdf.TEXT_PRESERVE_LIGATURES


def read_pdf(path: Path, limits: Limits) -> Draft:
    """Blocking. Raises PasswordProtected or Damaged."""
    draft = Draft(READER, paged=True, pages=[], draw=partial(draw, path))
    hidden: list[dict[str, object]] = []
    with open_pdf(path) as document:
        _read_pages(document, draft, limits, hidden)
        _name_pages(document, draft.pages)
        repaired = document.is_repaired or _LOST_DATA in pymupdf.TOOLS.mupdf_warnings()
    if not draft.pages:
        raise Damaged("The PDF is damaged: no page of it could be found. Upload it again.")
    if repaired:
        draft.notes.append("The PDF is damaged. It was repaired, but pages or text may be missing.")
        draft.details["repaired"] = True
    if hidden:
        draft.details["hidden_text"] = hidden
        draft.notes.append(
            f"Hidden text (white, transparent or of no size) was found {len(hidden)} times and kept out of the text."
        )
    return draft


def _read_pages(document: pymupdf.Document, draft: Draft, limits: Limits, hidden: list[dict[str, object]]) -> None:
    lost: list[int] = []
    for index in range(first_pages(document.page_count, limits, draft.incomplete)):
        try:
            draft.pages.append(_read_page(document[index], draft, hidden))
        except pymupdf.mupdf.FzErrorBase:
            lost.append(index + 1)
            draft.pages.append(PageDraft(index + 1, flags=["damaged"]))
    if lost:
        draft.notes.append(f"Damaged and not read: page {', '.join(map(str, lost))}.")
        draft.details["damaged_pages"] = lost


def _read_page(page: pymupdf.Page, draft: Draft, hidden: list[dict[str, object]]) -> PageDraft:
    content = page.get_text("dict", flags=FLAGS)
    blocks = content["blocks"]
    doubtful = suspects(blocks)
    found = unseen(page, doubtful) if doubtful else Unseen()
    if found.hidden:
        take_out(blocks, found.hidden)
        hidden += [{"page": page.number + 1, "text": span["text"].strip()} for span in found.hidden]
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
        for page in pages:
            label = document[page.number - 1].get_label()
            page.label = label if label and label != str(page.number) else None
