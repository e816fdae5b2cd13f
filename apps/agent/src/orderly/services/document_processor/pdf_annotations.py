"""Form fields, typed notes, comments and attached files of PDF pages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pymupdf

from orderly.models import Attachment, Box
from orderly.services.document_processor.drafts import Draft, PageDraft
from orderly.services.document_processor.page_layout import Block
from orderly.services.document_processor.pdf_embedded_files import bare_name

_OFF_STATES = ("off", "no", "false", "")
_UNNAMED_STATES = ("yes", "on", "true", "1", "")
"""Generic names of the checked state, which are omitted."""

_UNSEEN = pymupdf.PDF_ANNOT_IS_HIDDEN | pymupdf.PDF_ANNOT_IS_NO_VIEW
_HIDDEN = (1, 3)
"""Ways to show a field by which it is hidden, or hidden on a screen."""
_SIGNS = str.maketrans("345678lnopqruH", "✓✔✕✖✗✘●■❏❐❑❒◆★")
"""Signs of the font ZapfDingbats that forms use."""

_TICKED = (pymupdf.PDF_WIDGET_TYPE_CHECKBOX, pymupdf.PDF_WIDGET_TYPE_RADIOBUTTON)


def add_fields_and_notes(page: pymupdf.Page, draft_page: PageDraft, draft: Draft) -> list[str]:
    """Appends form fields and typed notes to the page's text; adds comments and attached files to the draft.

    Returns the fields and notes that are hidden.
    """
    fields, hidden = _fields(page)
    _append(draft_page, "[Form fields]", fields)
    typed: list[tuple[str, Box]] = []
    for annotation in page.annots() or ():
        kind, text = annotation.type[0], (annotation.info.get("content") or "").strip()
        if kind == pymupdf.PDF_ANNOT_FREE_TEXT and text and annotation.flags & _UNSEEN:
            hidden.append(text)
        elif kind == pymupdf.PDF_ANNOT_FREE_TEXT and text:
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
    return hidden


def _add_redaction_mark(page: PageDraft, draft: Draft) -> None:
    marks = draft.details.setdefault("redaction_marks", [])
    assert isinstance(marks, list)
    marks.append({"page": page.number})


def _fields(page: pymupdf.Page) -> tuple[list[tuple[str, Box]], list[str]]:
    """The fields that are filled in: those that are shown, with their boxes, and those that are hidden."""
    shown: list[tuple[str, Box]] = []
    hidden: list[str] = []
    for widget in page.widgets() or ():
        value = _value(widget)
        text = f"{' '.join((widget.field_label or widget.field_name or 'field').split())}: {value}"
        if value and widget.field_display in _HIDDEN:
            hidden += [text] * (widget.field_type not in _TICKED)
        elif value:
            shown.append((text, _rotated_box(page, widget.rect)))
    return shown, hidden


def show_ticks(blocks: Sequence[Block]) -> None:
    """Writes the signs of ticked boxes as such, in place: their font has them in the place of letters and digits."""
    for block in blocks:
        for line in block["lines"]:
            for span in line["spans"]:
                if "dingbats" in span["font"].lower():
                    span["text"] = span["text"].translate(_SIGNS)


def _value(widget: Any) -> str:
    """The field's value as text; empty if not filled in. Unchecked boxes have a value, too."""
    kind, value = widget.field_type, str(widget.field_value or "").strip()
    if kind in _TICKED:
        choice = str(widget.on_state() or "")
        mark = "☐" if value.lower() in _OFF_STATES or (choice and value not in (choice, "True")) else "☒"
        return mark if choice.lower() in _UNNAMED_STATES else f"{mark} {choice}"
    if kind == pymupdf.PDF_WIDGET_TYPE_SIGNATURE:
        return "signed" if widget.is_signed else "not signed"
    if kind in (pymupdf.PDF_WIDGET_TYPE_COMBOBOX, pymupdf.PDF_WIDGET_TYPE_LISTBOX):
        return _chosen(widget)
    return "" if kind == pymupdf.PDF_WIDGET_TYPE_BUTTON else value.replace("\r\n", "\n").replace("\r", "\n")


def _chosen(widget: Any) -> str:
    """The entries that are chosen, as the form shows them: the file may store other words for them."""
    shown = {str(entry[0]): str(entry[1]) for entry in widget.choice_values or () if isinstance(entry, (list, tuple))}
    values = widget.field_value if isinstance(widget.field_value, (list, tuple)) else [widget.field_value or ""]
    return "; ".join(shown.get(str(value), str(value)) for value in values).strip()


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
