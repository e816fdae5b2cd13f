"""Which function reads which kind of file. They are loaded when they are needed: no file needs all of their libraries."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from pkgutil import resolve_name
from typing import cast

from orderly.services.document_processor import media_types as kinds
from orderly.services.document_processor.drafts import Draft, OcrRequest, Picture
from orderly.services.document_processor.limits import Limits

Reader = Callable[[Path, Limits], Draft]
"""Blocking. Raises only kinds of Unreadable."""

Drawer = Callable[[Path, OcrRequest], Picture]
"""Draws what a request names. Blocking. Raises Damaged."""

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
    kinds.CSV: "data_text:read_csv",
    kinds.JSON: "data_text:read_json",
    kinds.TEXT: "plain_text:read_text",
    kinds.SOURCE: "plain_text:read_text",
    kinds.MARKDOWN: "plain_text:read_markdown",
    **dict.fromkeys(kinds.IMAGES, "image:read_image"),
}

DRAWERS: Mapping[str, str] = {kinds.PDF: "page_pictures:draw", **dict.fromkeys(kinds.IMAGES, "image:draw_frame")}
"""For every kind whose reader asks for OCR."""


def reader_of(kind: str) -> Reader | None:
    return cast(Reader, _loaded(READERS[kind])) if kind in READERS else None


def drawer_of(kind: str) -> Drawer:
    return cast(Drawer, _loaded(DRAWERS[kind]))


def _loaded(name: str) -> object:
    return resolve_name(f"{__package__}.{name}")
