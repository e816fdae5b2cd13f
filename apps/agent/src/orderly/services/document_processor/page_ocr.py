"""The pages that want OCR, read by the vision endpoint if there is one, else offline. One page's failure is its own."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from orderly.errors import OcrFailed, Unreadable
from orderly.services.document_processor.drafts import DPI, OcrRequest, Picture, Recognised
from orderly.services.isolation import pack
from orderly.services.ocr import Ocr

AT_ONCE = 2
"""Pages in work at a time: bounds memory, as each is held as a picture of up to 40 MB."""

Progress = Callable[[str, int, int], None]
Draw = Callable[[OcrRequest], Awaitable[Picture]]
"""Raises Unreadable for a page that cannot be drawn."""


class KeptPages(Protocol):
    """Pages of one file that were recognised before, so that a long scan goes on where it was interrupted.

    `settings` tells apart what was drawn or read in another way.
    """

    async def get(self, page: int, engine: str, settings: str) -> Recognised | None: ...

    async def put(self, recognised: Recognised, settings: str) -> None: ...


@dataclass(slots=True)
class Recognition:
    pages: list[bytes] = field(default_factory=list)
    """Packed: a long scan has a million words."""
    failed: list[int] = field(default_factory=list)
    """Pages that no engine could read."""
    failures: dict[str, list[int]] = field(default_factory=dict)
    """Reason: pages, also those that a later engine then read."""

    def notes(self) -> list[str]:
        return [f"{reason} Pages: {', '.join(map(str, sorted(numbers)))}." for reason, numbers in sorted(self.failures.items())]


class PageOcr:
    """Reads pages of one file with the first engine that answers."""

    def __init__(self, engines: Sequence[Ocr], language: str, draw: Draw, kept: KeptPages | None) -> None:
        self._engines, self._language, self._draw, self._kept = engines, language, draw, kept

    async def recognise(self, requests: Sequence[OcrRequest], progress: Progress) -> Recognition:
        result = Recognition()
        pending = iter(requests)
        done = 0

        async def work(pending: Iterator[OcrRequest]) -> None:
            nonlocal done
            for request in pending:
                await self._read(request, result)
                done += 1
                progress("ocr", done, len(requests))

        progress("ocr", 0, len(requests))
        tasks = [asyncio.create_task(work(pending)) for _ in range(AT_ONCE)]
        try:
            await asyncio.gather(*tasks)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        return result

    async def _read(self, request: OcrRequest, result: Recognition) -> None:
        picture: Picture | None = None
        for position, engine in enumerate(self._engines):
            try:
                recognised = await self._kept.get(request.page, engine.name, self._settings(request)) if self._kept else None
                if recognised is None:
                    picture = picture or await self._draw(request)
                    recognised = await self._fresh(request, engine, picture)
            except OcrFailed as exc:
                others = self._engines[position + 1 :]
                stand_in = f" {others[0].name} read them." if others else ""
                result.failures.setdefault(f"OCR by {engine.name} failed: {exc.message}{stand_in}", []).append(request.page)
            except Unreadable as exc:
                result.failures.setdefault(f"The page could not be drawn for OCR: {exc.message}", []).append(request.page)
                break
            else:
                result.pages.append(pack(recognised))
                return
        if not self._engines:
            result.failures.setdefault("The page is a picture, and no OCR is set up to read it.", []).append(request.page)
        result.failed.append(request.page)

    async def _fresh(self, request: OcrRequest, engine: Ocr, picture: Picture) -> Recognised:
        found = await engine.recognise(picture.png, language=self._language)
        recognised = Recognised(request.page, engine.name, found, picture.points_per_pixel, picture.left, picture.top)
        if self._kept:
            await self._kept.put(recognised, self._settings(request))
        return recognised

    def _settings(self, request: OcrRequest) -> str:
        part = " ".join(f"{value:.0f}" for value in request.clip) if request.clip else "whole page"
        return f"{DPI} dpi, {self._language}, {part}"
