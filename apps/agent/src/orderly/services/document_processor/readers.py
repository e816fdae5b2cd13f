"""Registry of readers by media type. Readers are imported on first use, since each needs other libraries."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from pkgutil import resolve_name
from typing import cast

from orderly.services.document_processor import media_types as kinds
from orderly.services.document_processor.drafts import Draft, OcrRequest, Picture
from orderly.services.document_processor.limits import Limits

Reader = Callable[[Path, Limits], Draft]
"""Reads a file. Blocking. Raises subclasses of Unreadable only."""

Drawer = Callable[[Path, OcrRequest], Picture]
"""Draws the requested page for OCR. Blocking. Raises Damaged."""

READERS: Mapping[str, str] = {
    kinds.PDF: "pdf:read_pdf",
    kinds.DOCX: "docx:read_docx",
    kinds.PPTX: "pptx:read_pptx",
    kinds.XLSX: "xlsx:read_xlsx",
    kinds.RTF: "rtf:read_rtf",
    kinds.HTML: "html:read_html",
    kinds.XML: "xml:read_xml",
    kinds.EML: "eml:read_eml",
    kinds.MSG: "msg:read_msg",
    kinds.CALENDAR: "outlook_file:read_calendar",
    kinds.TNEF: "outlook_file:read_winmail",
    kinds.CSV: "csv_json:read_csv",
    kinds.JSON: "csv_json:read_json",
    kinds.TEXT: "plain_text:read_text",
    kinds.SOURCE: "plain_text:read_text",
    kinds.MARKDOWN: "plain_text:read_markdown",
    **dict.fromkeys(kinds.IMAGES, "image:read_image"),
}

DRAWERS: Mapping[str, str] = {
    kinds.PDF: "ocr_images:draw_page_for_ocr",
    **dict.fromkeys(kinds.IMAGES, "image:draw_frame"),
    **dict.fromkeys((kinds.DOCX, kinds.PPTX, kinds.XLSX), "office_pictures:draw_picture"),
}
"""For each media type whose reader requests OCR."""


def reader_of(kind: str) -> Reader | None:
    return cast(Reader, _load(READERS[kind])) if kind in READERS else None


def drawer_of(kind: str) -> Drawer:
    return cast(Drawer, _load(DRAWERS[kind]))


def _load(name: str) -> object:
    return resolve_name(f"{__package__}.{name}")
