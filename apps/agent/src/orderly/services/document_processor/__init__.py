"""Files -> text with pages, boxes and health. One small reader a format, chosen by what the file is."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from pathlib import Path

from orderly.errors import Empty, Unsupported
from orderly.models import Extracted
from orderly.services.document_processor import media_types as kinds
from orderly.services.document_processor.data_text import read_csv, read_json
from orderly.services.document_processor.detection import detect_type
from orderly.services.document_processor.docx import read_docx
from orderly.services.document_processor.drafts import Draft, assemble
from orderly.services.document_processor.eml import read_eml
from orderly.services.document_processor.html import read_html
from orderly.services.document_processor.image import read_image
from orderly.services.document_processor.limits import Limits, cut_characters
from orderly.services.document_processor.msg import read_msg
from orderly.services.document_processor.page_ocr import Progress, fill_in
from orderly.services.document_processor.pdf import read_pdf
from orderly.services.document_processor.pptx import read_pptx
from orderly.services.document_processor.rtf import read_rtf
from orderly.services.document_processor.running_lines import mark_running_lines
from orderly.services.document_processor.text import read_markdown, read_text
from orderly.services.document_processor.unsupported import why_unsupported
from orderly.services.document_processor.xlsx import read_xlsx
from orderly.services.document_processor.xml import read_xml
from orderly.services.ocr import Ocr

__all__ = ["DocumentProcessor", "Limits", "detect_type"]

Reader = Callable[[Path, Limits], Draft]
"""Blocking. Raises only kinds of Unreadable."""

READERS: Mapping[str, Reader] = {
    kinds.PDF: read_pdf,
    kinds.DOCX: read_docx,
    kinds.PPTX: read_pptx,
    kinds.XLSX: read_xlsx,
    kinds.RTF: read_rtf,
    kinds.HTML: read_html,
    kinds.XML: read_xml,
    kinds.EML: read_eml,
    kinds.MSG: read_msg,
    kinds.CSV: read_csv,
    kinds.JSON: read_json,
    kinds.TEXT: read_text,
    kinds.SOURCE: read_text,
    kinds.MARKDOWN: read_markdown,
    **dict.fromkeys(kinds.IMAGES, read_image),
}


class DocumentProcessor:
    """Reads files. `vision`, where set, serves before `ocr`, the offline engine."""

    def __init__(
        self, ocr: Ocr | None, vision: Ocr | None = None, *, language: str = "en", limits: Limits | None = None
    ) -> None:
        self._engines = tuple(engine for engine in (vision, ocr) if engine is not None)
        self._language = language
        self._limits = limits or Limits()

    async def extract(
        self,
        path: Path,
        filename: str,
        *,
        content_type: str | None = None,
        progress: Progress | None = None,
    ) -> Extracted:
        """Read the file at `path`, which its owner calls `filename`.

        Args:
            path: The file to read.
            filename: The name as uploaded; its extension helps where the content cannot tell.
            content_type: What the uploader claims, the last resort after content and extension.
            progress: Called on the event loop with (stage, done, total), stage "extracting" or "ocr".

        Raises:
            PasswordProtected, Damaged, Empty, Unsupported: with the reason, and what to do about it.

        """
        report = progress or _silent
        if await asyncio.to_thread(_size, path) == 0:
            raise Empty("The file is empty.")
        kind = await asyncio.to_thread(detect_type, path, filename)
        if kind == kinds.UNKNOWN and content_type:
            kind = content_type
        reader = READERS.get(kind)
        if reader is None:
            raise Unsupported(why_unsupported(kind, filename))
        report("extracting", 0, 1)
        draft = await asyncio.to_thread(reader, path, self._limits)
        report("extracting", 1, 1)
        if draft.ocr:
            await fill_in(draft, self._engines, self._language, report)
        return await asyncio.to_thread(_finish, draft, self._limits)


def _finish(draft: Draft, limits: Limits) -> Extracted:
    mark_running_lines(draft)
    cut_characters(draft, limits)
    for page in draft.pages:
        if not page.text.strip():
            page.source = "none"
            page.flags.append("no_text")
    if all(page.source == "none" for page in draft.pages):
        raise Empty(_nothing(draft))
    return assemble(draft)


def _size(path: Path) -> int:
    return path.stat().st_size


def _nothing(draft: Draft) -> str:
    if any("ocr_failed" in page.flags for page in draft.pages):
        return " ".join(["The file is a scan, and its text could not be recognised.", *draft.notes])
    if draft.ocr:
        return "The file holds pictures only, and OCR found no text in them."
    return "The file opens, but there is no text in it."


def _silent(stage: str, done: int, total: int) -> None:
    """Nobody is watching."""
