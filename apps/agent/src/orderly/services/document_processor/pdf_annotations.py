"""Form fields, typed notes, comments and attached files of PDF pages."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pymupdf

from orderly.models import Attachment, Box
from orderly.services.document_processor.drafts import Draft, PageDraft
from orderly.services.document_processor.pdf_embedded_files import bare_name

_OFF_STATES = ("off", "no", "false", "")
_UNNAMED_STATES = ("yes", "on", "true", "1", "")
"""Generic names of the checked state, which are omitted."""

_TICKED = (pymupdf.PDF_WIDGET_TYPE_CHECKBOX, pymupdf.PDF_WIDGET_TYPE_RADIOBUTTON)


def add_fields_and_notes(page: pymupdf.Page, draft_page: PageDraft, draft: Draft) -> None:
    """Appends form fields and typed notes to the page's text; adds comments and attached files to the draft."""
    _append(draft_page, "[Form fields]", list(_fields(page)))
    typed: list[tuple[str, Box]] = []
    for annotation in page.annots() or ():
        kind, text = annotation.type[0], (annotation.info.get("content") or "").strip()
        if kind == pymupdf.PDF_ANNOT_FREE_TEXT and text:
            typed.append((text, _rotated_box(page, annotation.rect)))
        elif kind == pymupdf.PDF_ANNOT_REDACT:
            _add_redaction_mark(draft_page, draft)
        elif kind == pymupdf.PDF_ANNOT_FILE_ATTACHMENT:
            info = annotation.file_info
            name = bare_name(info.get("filename") or "", len(draft.attachments) + 1)
            draft.attachments.append(Attachment(name, None, annotation.get_file()))
        elif text and kind != pymupdf.PDF_ANNOT_POPUP:
            comments = draft.details.setdefault("comments", [])
            assert isinstance(comments, list)
            author, date = annotation.info.get("title", ""), annotation.info.get("modDate", "")
            comments.append({"page": draft_page.number, "author": author, "date": date, "text": text})
    # A note with an appearance stream is already among the page's lines.
    missing = [(text, box) for text, box in typed if " ".join(text.split()) not in " ".join(draft_page.text.split())]
    _append(draft_page, "[Typed onto the page]", missing)


def _add_redaction_mark(page: PageDraft, draft: Draft) -> None:
    marks = draft.details.setdefault("redaction_marks", [])
    assert isinstance(marks, list)
    marks.append({"page": page.number})


def _fields(page: pymupdf.Page) -> Iterator[tuple[str, Box]]:
    for widget in page.widgets() or ():
        value = _value(widget)
        name = " ".join((widget.field_label or widget.field_name or "field").split())
        if value:
            yield f"{name}: {value}", _rotated_box(page, widget.rect)


def _value(widget: Any) -> str:
    """The field's value as text; empty if not filled in. Unchecked boxes have a value, too."""
    kind, value = widget.field_type, str(widget.field_value or "").strip()
    if kind in _TICKED:
        choice = str(widget.on_state() or "")
        mark = "☐" if value.lower() in _OFF_STATES or (choice and value not in (choice, "True")) else "☒"
        return mark if choice.lower() in _UNNAMED_STATES else f"{mark} {choice}"
    if kind == pymupdf.PDF_WIDGET_TYPE_SIGNATURE:
        return "signed" if widget.is_signed else "not signed"
    return "" if kind == pymupdf.PDF_WIDGET_TYPE_BUTTON else value.replace("\r\n", "\n").replace("\r", "\n")


def _rotated_box(page: pymupdf.Page, rect: pymupdf.Rect) -> Box:
    box = (rect * page.rotation_matrix).normalize()
    return (box.x0, box.y0, box.x1, box.y1)


def _append(page: PageDraft, title: str, found: list[tuple[str, Box]]) -> None:
    if not found:
        return
    pieces = [page.text, "\n\n"] if page.text else []
    pieces += [title]
    at = sum(map(len, pieces))
    for text, box in found:
        pieces += ["\n", text]
        page.lines.append((at + 1, at + 1 + len(text), box))
        at += 1 + len(text)
    page.text = "".join(pieces)
