"""Files -> text with pages, boxes and health. One small reader a format, chosen by what the file is."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from pathlib import Path, PurePath

from orderly.errors import Empty, Unsupported
from orderly.models import Extracted
from orderly.services.document_processor import detection
from orderly.services.document_processor.detection import detect_type
from orderly.services.document_processor.docx import read_docx
from orderly.services.document_processor.drafts import Draft, assemble
from orderly.services.document_processor.page_ocr import Progress, fill_in
from orderly.services.document_processor.pdf import read_pdf
from orderly.services.document_processor.text import read_markdown, read_text
from orderly.services.ocr import Ocr

__all__ = ["DocumentProcessor", "detect_type"]

Reader = Callable[[Path, str], Draft]
"""Blocking: a path and the file's own name -> its draft. Raises only kinds of Unreadable."""

READERS: Mapping[str, Reader] = {
    detection.PDF: read_pdf,
    detection.DOCX: read_docx,
    detection.TEXT: read_text,
    detection.MARKDOWN: read_markdown,
}


class DocumentProcessor:
    """Reads files. `vision`, where set, serves before `ocr`, the offline engine."""

    def __init__(self, ocr: Ocr | None, vision: Ocr | None = None, *, language: str = "en") -> None:
        self._engines = tuple(engine for engine in (vision, ocr) if engine is not None)
        self._language = language

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
        if kind == detection.UNKNOWN and content_type:
            kind = content_type
        reader = READERS.get(kind)
        if reader is None:
            raise Unsupported(_no_reader(kind, filename))
        report("extracting", 0, 1)
        draft = await asyncio.to_thread(reader, path, filename)
        report("extracting", 1, 1)
        if draft.ocr:
            await fill_in(draft, self._engines, self._language, report)
        return await asyncio.to_thread(_finish, draft)


def _finish(draft: Draft) -> Extracted:
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


def _no_reader(kind: str, filename: str) -> str:
    suffix = PurePath(filename).suffix.lower() or ("" if kind == detection.UNKNOWN else kind)
    files = f"{suffix} files" if suffix else "files of this kind"
    return f"Orderly cannot read {files}. Upload the document as PDF, DOCX, TXT or MD."


def _silent(stage: str, done: int, total: int) -> None:
    """Nobody is watching."""
