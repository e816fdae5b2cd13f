"""Reads files of all supported formats: text, pages, line boxes, attachments and reading problems."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

from pydantic import TypeAdapter
from typing_extensions import TypedDict

from orderly.errors import Unreadable
from orderly.models import Chunk, Extracted, Section
from orderly.services.document_processor.drafts import OcrRequest, Picture, Recognised
from orderly.services.document_processor.english_words import is_word
from orderly.services.document_processor.excerpts import Excerpt
from orderly.services.document_processor.garbage_collection import collection_paused
from orderly.services.document_processor.limits import Limits
from orderly.services.document_processor.media_types import UNKNOWN
from orderly.services.document_processor.page_ocr import PageOcr, Progress, RecognisedPageCache, Recognition
from orderly.services.document_processor.reader_program import READER
from orderly.services.files import within_reach
from orderly.services.isolation import ProcessLimits, ProcessPool, shared_pool
from orderly.services.ocr import PAGE_SECONDS, Ocr
from orderly.services.text import LineMark
from orderly.store.functions.visuals import Visual

__all__ = ["READER", "DocumentProcessor", "Excerpt", "Limits", "Recognised", "RecognisedPageCache", "is_word"]


class FoundVisuals(TypedDict):
    records: list[dict[str, Any]]
    unseen: list[int]


SURVEY_SECONDS = 20.0
"""For a look at a file while its uploader waits."""

_SURVEYED = TypeAdapter(tuple[str, int])
_EXTRACTED = TypeAdapter(Extracted)
_REQUESTS = TypeAdapter(list[OcrRequest])
_PICTURE = TypeAdapter(Picture)
_FOUND_VISUALS = TypeAdapter(FoundVisuals)
_DIVIDED = TypeAdapter(tuple[tuple[Section, ...], tuple[Chunk, ...]])


class DocumentProcessor:
    """Reads files in isolated child processes. OCR uses `vision` if set, with `ocr`, the offline engine, as fallback.

    `processes`: a pool of the program `READER`. `pictures`: another one that draws pages for the OCR, so that other files are
    not waiting for them; None: the same. `page_seconds`: the time limit for drawing one page.
    """

    def __init__(
        self,
        ocr: Ocr | None,
        vision: Ocr | None = None,
        *,
        language: str = "en",
        limits: Limits | None = None,
        processes: ProcessPool | None = None,
        pictures: ProcessPool | None = None,
        page_seconds: float = PAGE_SECONDS,
    ) -> None:
        self._engines = tuple(engine for engine in (vision, ocr) if engine is not None)
        self._language = language
        self._limits = limits or Limits()
        self._processes = processes or shared_pool(READER, ProcessLimits())
        self._pictures = pictures or self._processes
        self._page_seconds = page_seconds

    def without_ocr(self) -> DocumentProcessor:
        """Returns a reader with the same processes that leaves pages without text as they are."""
        return DocumentProcessor(
            None, language=self._language, limits=self._limits, processes=self._processes, page_seconds=self._page_seconds
        )

    async def check(self) -> None:
        """Starts a reader process if none is running. Raises OSError or RuntimeError if it does not start."""
        await self._processes.call("check", None, bool)

    async def detect(self, path: Path, filename: str) -> str:
        """Detects the file's media type; "application/octet-stream" if unknown."""
        async with within_reach(path) as near:
            try:
                return await self._processes.call("detect", {"path": _encode_path(near), "filename": filename}, _validate_text)
            except Unreadable:
                return UNKNOWN  # `extract` fails for such a file too, and reports the reason

    async def survey(self, path: Path, filename: str) -> tuple[str, int]:
        """Detects the media type, and estimates the pages that the file will have, or what counts as one."""
        async with within_reach(path) as near:
            file = {"path": _encode_path(near), "filename": filename}
            try:
                return await self._processes.call("survey", file, _SURVEYED.validate_python, seconds=SURVEY_SECONDS)
            except Unreadable:
                return UNKNOWN, 1  # `extract` fails for such a file too, and reports the reason

    async def extract(
        self,
        path: Path,
        filename: str,
        *,
        content_type: str | None = None,
        progress: Progress | None = None,
        page_cache: RecognisedPageCache | None = None,
        max_characters: int | None = None,
    ) -> Extracted:
        """Extracts the text of a file.

        Args:
            path: The file to read.
            filename: The name as uploaded. Its extension decides where the content is ambiguous.
            content_type: The media type claimed by the uploader, used if content and extension are inconclusive.
            progress: Called on the event loop with (stage, done, total), stage "extracting" or "ocr".
            page_cache: Keeps recognised pages until the whole file is read.
            max_characters: A lower limit for this file.

        Raises:
            PasswordProtected, Damaged, Empty, Unsupported, TooCostly: the message has the reason and advice.

        """
        report = progress or _ignore_progress
        limits = self._limits
        if max_characters is not None:
            limits = replace(limits, characters=min(limits.characters, max_characters))
        report("extracting", 0, 1)
        async with within_reach(path) as near:
            return await self._extract(near, filename, content_type, limits, report, page_cache)

    async def _extract(
        self,
        path: Path,
        filename: str,
        content_type: str | None,
        limits: Limits,
        report: Progress,
        page_cache: RecognisedPageCache | None,
    ) -> Extracted:
        file = {"path": _encode_path(path), "filename": filename, "content_type": content_type, "limits": limits}
        read = await self._processes.call("read", file, _validate_read)
        report("extracting", 1, 1)
        if isinstance(read, Extracted):
            return read
        kind, requests, draft = read
        recognition = await self._recognise(path, kind, requests, report, page_cache)
        parts = {
            "draft": draft,
            "recognised": recognition.pages,
            "failed": recognition.failed,
            "notes": recognition.notes(),
            "limits": limits,
        }
        return await self._processes.call("finish", parts, _validate_extracted)

    async def divide(
        self, extracted: Extracted, *, max_chars: int, overlap: int
    ) -> tuple[tuple[Section, ...], tuple[Chunk, ...]]:
        """Divides a text into sections and chunks, isolated since hostile text can make patterns slow.

        Raises:
            TooCostly, Damaged: the text exceeds the limits, or the process failed.

        """
        arguments = {
            "text": extracted.text,
            "pages": extracted.pages,
            "headings": extracted.headings,
            "max_chars": max_chars,
            "overlap": overlap,
        }
        return await self._processes.call("divide", arguments, _DIVIDED.validate_python)

    async def find_visuals(self, path: Path, extracted: Extracted) -> tuple[list[Visual], list[int]]:
        """Finds pictures, drawings, tables, signatures and stamps. Second value: pages that could not be inspected.

        Raises:
            Unreadable: the file cannot be opened, or the inspection exceeds its limits.

        """
        async with within_reach(path) as near:
            arguments = {"path": _encode_path(near), "text": extracted.text, "pages": extracted.pages}
            found = await self._processes.call("find_visuals", arguments, _FOUND_VISUALS.validate_python)
        return cast(list[Visual], found["records"]), found["unseen"]

    async def draw_page(self, path: Path, number: int, width: float, marks: Sequence[LineMark], dpi: int) -> bytes:
        """Draws page `number` as PNG with highlights. `width`: the page's width in points when its boxes were measured.

        Raises:
            Unreadable: the file cannot be drawn, or drawing exceeds its limits.

        """
        async with within_reach(path) as near:
            arguments = {"path": _encode_path(near), "number": number, "width": width, "marks": list(marks), "dpi": dpi}
            return await self._processes.call("draw_page", arguments, _validate_bytes, seconds=self._page_seconds)

    async def _recognise(
        self, path: Path, kind: str, requests: list[OcrRequest], report: Progress, page_cache: RecognisedPageCache | None
    ) -> Recognition:
        async def draw(request: OcrRequest) -> Picture:
            arguments = {"path": _encode_path(path), "kind": kind, "request": request}
            return await self._pictures.call("draw", arguments, _PICTURE.validate_python, seconds=self._page_seconds)

        return await PageOcr(self._engines, self._language, draw, page_cache).recognise(requests, report)


def _encode_path(path: Path) -> bytes:
    """Encodes a path as bytes, since file names need not be valid text."""
    return os.fsencode(path.absolute())


def _validate_bytes(plain: Any) -> bytes:
    if not isinstance(plain, bytes):
        raise ValueError
    return plain


def _validate_text(plain: Any) -> str:
    if not isinstance(plain, str):
        raise ValueError
    return plain


@collection_paused()
def _validate_extracted(plain: Any) -> Extracted:
    return _EXTRACTED.validate_python(plain)


def _validate_read(plain: Any) -> Extracted | tuple[str, list[OcrRequest], bytes]:
    """The extracted file, or (kind, OCR requests, packed draft) if pages need OCR."""
    if "extracted" in plain:
        return _validate_extracted(plain["extracted"])
    return _validate_text(plain["kind"]), _REQUESTS.validate_python(plain["requests"]), bytes(plain["draft"])


def _ignore_progress(stage: str, done: int, total: int) -> None:
    """Default progress callback."""
