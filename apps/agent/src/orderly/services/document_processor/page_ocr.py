"""OCR of requested pages with fallback between engines. A failing page does not affect the others."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from orderly.errors import OcrFailed, Unreadable
from orderly.services.document_processor.drafts import DPI, OcrRequest, Picture, Recognised
from orderly.services.isolation import pack
from orderly.services.ocr import Ocr

CONCURRENT_PAGES = 2
"""Pages processed concurrently. Bounds memory, as each is a picture of up to 40 MB."""

Progress = Callable[[str, int, int], None]
Draw = Callable[[OcrRequest], Awaitable[Picture]]
"""Raises Unreadable for a page that cannot be drawn."""


class RecognisedPageCache(Protocol):
    """Cache of recognised pages of one file, so that an interrupted scan resumes.

    `settings`: resolution, language and area; part of the key.
    """

    async def get(self, page: int, engine: str, settings: str) -> Recognised | None: ...

    async def put(self, recognised: Recognised, settings: str) -> None: ...


@dataclass(slots=True)
class Recognition:
    pages: list[bytes] = field(default_factory=list)
    """Packed `Recognised` pages, since a long scan has a million words."""
    failed: list[int] = field(default_factory=list)
    """Pages that no engine could read."""
    failures: dict[str, list[int]] = field(default_factory=dict)
    """Pages by failure reason, including pages that a later engine read."""

    def note_failure(self, reason: str, request: OcrRequest) -> None:
        """Notes the page. Pictures inside Office files have no page; the draft's own note counts them."""
        if not request.inside:
            self.failures.setdefault(reason, []).append(request.page)

    def notes(self) -> list[str]:
        return [f"{reason} Pages: {', '.join(map(str, sorted(numbers)))}." for reason, numbers in sorted(self.failures.items())]


class PageOcr:
    """Recognises pages of one file, each with the first engine that succeeds."""

    def __init__(self, engines: Sequence[Ocr], language: str, draw: Draw, cache: RecognisedPageCache | None) -> None:
        self._engines, self._language, self._draw, self._cache = engines, language, draw, cache

    async def recognise(self, requests: Sequence[OcrRequest], progress: Progress) -> Recognition:
        result = Recognition()
        remaining = iter(requests)
        done = 0

        async def process(remaining: Iterator[OcrRequest]) -> None:
            nonlocal done
            for request in remaining:
                await self._read_page(request, result)
                done += 1
                progress("ocr", done, len(requests))

        progress("ocr", 0, len(requests))
        tasks = [asyncio.create_task(process(remaining)) for _ in range(CONCURRENT_PAGES)]
        try:
            await asyncio.gather(*tasks)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        return result

    async def _read_page(self, request: OcrRequest, result: Recognition) -> None:
        picture: Picture | None = None
        for position, engine in enumerate(self._engines):
            try:
                recognised = await self._cache.get(request.page, engine.name, self._settings(request)) if self._cache else None
                if recognised is None:
                    picture = picture or await self._draw(request)
                    recognised = await self._recognise_page(request, engine, picture)
            except OcrFailed as exc:
                others = self._engines[position + 1 :]
                fallback = f" {others[0].name} read them." if others else ""
                result.note_failure(f"OCR by {engine.name} failed: {exc.message}{fallback}", request)
            except Unreadable as exc:
                result.note_failure(f"The page could not be drawn for OCR: {exc.message}", request)
                break
            else:
                result.pages.append(pack(recognised))
                return
        if not self._engines:
            result.note_failure("The page is a picture, and no OCR is set up to read it.", request)
        result.failed.append(request.page)

    async def _recognise_page(self, request: OcrRequest, engine: Ocr, picture: Picture) -> Recognised:
        found = await engine.recognise(picture.png, language=self._language)
        recognised = Recognised(request.page, engine.name, found, picture.points_per_pixel, picture.left, picture.top)
        if self._cache:
            await self._cache.put(recognised, self._settings(request))
        return recognised

    def _settings(self, request: OcrRequest) -> str:
        part = " ".join(f"{value:.0f}" for value in request.clip) if request.clip else "whole page"
        return f"{DPI} dpi, {self._language}, {part}"
