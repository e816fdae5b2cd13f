"""Extraction before and after OCR. Blocking; runs in the reader processes."""

from __future__ import annotations

from pathlib import Path

from orderly.errors import Damaged, Empty, Unsupported
from orderly.models import Extracted
from orderly.services.document_processor import media_types as kinds
from orderly.services.document_processor.detection import detect_type
from orderly.services.document_processor.drafts import Draft, assemble, has_text
from orderly.services.document_processor.limits import Limits, cut_asides, cut_characters
from orderly.services.document_processor.readers import reader_of
from orderly.services.document_processor.running_lines import mark_running_lines
from orderly.services.document_processor.unsupported_formats import why_unsupported

_DAMAGED = "The file is damaged, and none of its pages could be read. Upload it again, or a copy saved anew."


def read(path: Path, filename: str, content_type: str | None, limits: Limits) -> tuple[str, Draft]:
    """Reads a file before OCR. Returns its media type and draft. Raises Unreadable."""
    if path.stat().st_size == 0:
        raise Empty("The file is empty.")
    kind = detect_type(path, filename)
    if kind == kinds.UNKNOWN and content_type:
        kind = content_type
    reader = reader_of(kind)
    if reader is None:
        raise Unsupported(why_unsupported(kind, filename))
    return kind, reader(path, limits)


def finish(draft: Draft, limits: Limits) -> Extracted:
    """Assembles the draft after OCR. Raises Damaged or Empty if there is no text.

    All formats end here, so no document becomes readable without text.
    """
    mark_running_lines(draft)
    cut_characters(draft, limits)
    cut_asides(draft, limits)
    if draft.attachments and not any(has_text(page.text) for page in draft.pages):
        _list_files(draft)
    for page in draft.pages:
        if not has_text(page.text):
            page.source = "none"
            page.flags.append("no_text")
    if all(page.source == "none" for page in draft.pages):
        raise Damaged(_DAMAGED) if _all_damaged(draft) else Empty(_empty_message(draft))
    return assemble(draft)


def _list_files(draft: Draft) -> None:
    """Gives a package without text of its own the names of its files, so that they are found from it."""
    draft.pages[0].text = "\n".join(["[Files inside]", *(file.name for file in draft.attachments)])
    draft.incomplete.append("it has no text of its own; its contents are the files inside it, each a document of its own")


def _all_damaged(draft: Draft) -> bool:
    return all("damaged" in page.flags for page in draft.pages)


def _empty_message(draft: Draft) -> str:
    if any("ocr_failed" in page.flags for page in draft.pages):
        return " ".join(["The file is a scan, and its text could not be recognised.", *draft.notes])
    if draft.ocr:
        return "The file holds pictures only, and OCR found no text in them."
    if any(page.width for page in draft.pages):
        return "The file opens, but there is no text in it."
    return "The file opens, but there is no text in it. If it holds pictures of pages, save it as PDF and upload that."
