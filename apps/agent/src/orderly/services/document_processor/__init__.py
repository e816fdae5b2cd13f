"""Files -> text with pages, boxes and health. One small reader a format, chosen by what the file is."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter
from typing_extensions import TypedDict

from orderly.errors import Unreadable
from orderly.models import Chunk, Extracted, Section
from orderly.services.document_processor.drafts import OcrRequest, Picture, Recognised
from orderly.services.document_processor.excerpts import Excerpt
from orderly.services.document_processor.garbage_collection import collection_paused
from orderly.services.document_processor.limits import Limits
from orderly.services.document_processor.media_types import UNKNOWN
from orderly.services.document_processor.page_ocr import KeptPages, PageOcr, Progress, Recognition
from orderly.services.document_processor.reader_program import READER
from orderly.services.isolation import ProcessLimits, ProcessPool, shared_pool
from orderly.services.ocr import PAGE_SECONDS, Ocr
from orderly.services.text import LineMark

__all__ = ["READER", "DocumentProcessor", "Excerpt", "KeptPages", "Limits", "Recognised"]


class Looked(TypedDict):
    records: list[dict[str, Any]]
    unseen: list[int]


_EXTRACTED = TypeAdapter(Extracted)
_REQUESTS = TypeAdapter(list[OcrRequest])
_PICTURE = TypeAdapter(Picture)
_LOOKED = TypeAdapter(Looked)
_DIVIDED = TypeAdapter(tuple[tuple[Section, ...], tuple[Chunk, ...]])


class DocumentProcessor:
    """Reads files, in processes of their own. `vision`, where set, serves before `ocr`, the offline engine.

    `processes`: of the program `READER`. `page_seconds`: the longest that drawing one page may take.
    """

    def __init__(
        self,
        ocr: Ocr | None,
        vision: Ocr | None = None,
        *,
        language: str = "en",
        limits: Limits | None = None,
        processes: ProcessPool | None = None,
        page_seconds: float = PAGE_SECONDS,
    ) -> None:
        self._engines = tuple(engine for engine in (vision, ocr) if engine is not None)
        self._language = language
        self._limits = limits or Limits()
        self._processes = processes or shared_pool(READER, ProcessLimits())
        self._page_seconds = page_seconds

    async def check(self) -> None:
        """Starts a process that reads files, if none is running. Raises OSError or RuntimeError when it does not start."""
        await self._processes.call("check", None, bool)

    async def detect(self, path: Path, filename: str) -> str:
        """The file's media type; "application/octet-stream" where neither content nor name tells."""
        try:
            return await self._processes.call("detect", {"path": _packed(path), "filename": filename}, _text)
        except Unreadable:
            return UNKNOWN  # such a file fails in `extract` again, and there the reason is told

    async def extract(
        self,
        path: Path,
        filename: str,
        *,
        content_type: str | None = None,
        progress: Progress | None = None,
        kept: KeptPages | None = None,
        most_characters: int | None = None,
    ) -> Extracted:
        """Read the file at `path`, which its owner calls `filename`.

        Args:
            path: The file to read.
            filename: The name as uploaded; its extension helps where the content cannot tell.
            content_type: What the uploader claims, the last resort after content and extension.
            progress: Called on the event loop with (stage, done, total), stage "extracting" or "ocr".
            kept: Where recognised pages are kept until the whole file is read.
            most_characters: Where this file has a lower limit than others.

        Raises:
            PasswordProtected, Damaged, Empty, Unsupported, TooCostly: with the reason, and what to do about it.

        """
        report = progress or _silent
        limits = self._limits
        if most_characters is not None:
            limits = replace(limits, characters=min(limits.characters, most_characters))
        report("extracting", 0, 1)
        file = {"path": _packed(path), "filename": filename, "content_type": content_type, "limits": limits}
        read = await self._processes.call("read", file, _read)
        report("extracting", 1, 1)
        if isinstance(read, Extracted):
            return read
        kind, requests, draft = read
        recognition = await self._recognise(path, kind, requests, report, kept)
        parts = {
            "draft": draft,
            "recognised": recognition.pages,
            "failed": recognition.failed,
            "notes": recognition.notes(),
            "limits": limits,
        }
        return await self._processes.call("finish", parts, _extracted)

    async def divide(
        self, extracted: Extracted, *, max_chars: int, overlap: int
    ) -> tuple[tuple[Section, ...], tuple[Chunk, ...]]:
        """Sections and chunks of a text, which can be made to trap patterns as a file can. Raises TooCostly, Damaged."""
        asked = {
            "text": extracted.text,
            "pages": extracted.pages,
            "headings": extracted.headings,
            "max_chars": max_chars,
            "overlap": overlap,
        }
        return await self._processes.call("divide", asked, _DIVIDED.validate_python)

    async def look(self, path: Path, extracted: Extracted) -> tuple[list[dict[str, Any]], list[int]]:
        """What the pages show, as the store's `put_visuals` takes it, and the pages that could not be looked at.

        Raises:
            Unreadable: the file cannot be opened, or looking at it costs too much.

        """
        asked = {"path": _packed(path), "text": extracted.text, "pages": extracted.pages}
        found = await self._processes.call("look", asked, _LOOKED.validate_python)
        return found["records"], found["unseen"]

    async def show(self, path: Path, number: int, width: float, marks: Sequence[LineMark], dpi: int) -> bytes:
        """Page `number` as PNG with what is marked. `width`: of the page in points, as its boxes were measured.

        Raises:
            Unreadable: the file cannot be drawn, or drawing it costs too much.

        """
        asked = {"path": _packed(path), "number": number, "width": width, "marks": list(marks), "dpi": dpi}
        return await self._processes.call("show", asked, _bytes, seconds=self._page_seconds)

    async def _recognise(
        self, path: Path, kind: str, requests: list[OcrRequest], report: Progress, kept: KeptPages | None
    ) -> Recognition:
        async def draw(request: OcrRequest) -> Picture:
            wanted = {"path": _packed(path), "kind": kind, "request": request}
            return await self._processes.call("draw", wanted, _PICTURE.validate_python, seconds=self._page_seconds)

        return await PageOcr(self._engines, self._language, draw, kept).recognise(requests, report)


def _packed(path: Path) -> bytes:
    """A name on disk is bytes, not always text."""
    return os.fsencode(path.absolute())


def _bytes(plain: Any) -> bytes:
    if not isinstance(plain, bytes):
        raise ValueError
    return plain


def _text(plain: Any) -> str:
    if not isinstance(plain, str):
        raise ValueError
    return plain


@collection_paused()
def _extracted(plain: Any) -> Extracted:
    return _EXTRACTED.validate_python(plain)


def _read(plain: Any) -> Extracted | tuple[str, list[OcrRequest], bytes]:
    """The whole file, or what is wanted for the pages that need OCR: kind, requests and the draft, as the child packed it."""
    if "extracted" in plain:
        return _extracted(plain["extracted"])
    return _text(plain["kind"]), _REQUESTS.validate_python(plain["requests"]), bytes(plain["draft"])


def _silent(stage: str, done: int, total: int) -> None:
    """Nobody is watching."""
