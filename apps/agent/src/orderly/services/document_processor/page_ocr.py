"""The pages that want OCR, read by the vision endpoint if there is one, else offline. One page's failure is its own."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from orderly.errors import Damaged, OcrFailed
from orderly.models import Box
from orderly.services.document_processor import english
from orderly.services.document_processor.drafts import Draft, OcrRequest, PageDraft, Picture, RawLine
from orderly.services.ocr import DOUBTFUL, Ocr, OcrPage

AT_ONCE = 2
"""Pages in work at a time: bounds memory, as each is held as a picture of up to 40 MB."""

Progress = Callable[[str, int, int], None]


async def fill_in(draft: Draft, engines: Sequence[Ocr], language: str, progress: Progress) -> None:
    """Read every requested page with the first engine that answers, and put the text in its place.

    A page that no engine could read keeps its own text, if any, and is flagged "ocr_failed".
    """
    gate = asyncio.Semaphore(AT_ONCE)
    failures: dict[str, list[int]] = {}
    done = 0

    async def one(request: OcrRequest) -> None:
        nonlocal done
        async with gate:
            page = draft.pages[request.page - 1]
            await _read(draft, request, page, engines, language, failures)
            done += 1
            progress("ocr", done, len(draft.ocr))

    progress("ocr", 0, len(draft.ocr))
    await asyncio.gather(*(one(request) for request in draft.ocr))
    for reason, numbers in sorted(failures.items()):
        draft.notes.append(f"{reason} Pages: {', '.join(map(str, sorted(numbers)))}.")


async def _read(
    draft: Draft,
    request: OcrRequest,
    page: PageDraft,
    engines: Sequence[Ocr],
    language: str,
    failures: dict[str, list[int]],
) -> None:
    assert draft.draw is not None
    try:
        picture = await asyncio.to_thread(draft.draw, request)
    except Damaged:
        failures.setdefault("The page could not be drawn for OCR.", []).append(page.number)
        page.flags.append("ocr_failed")
        return
    for position, engine in enumerate(engines):
        try:
            found = await engine.recognise(picture.png, language=language)
        except OcrFailed as exc:
            stand_in = f" {engines[position + 1].name} read them." if position + 1 < len(engines) else ""
            failures.setdefault(f"OCR by {engine.name} failed: {exc.message}{stand_in}", []).append(page.number)
        else:
            _put(page, request, found, picture, engine.name)
            return
    if not engines:
        failures.setdefault("The page is a picture, and no OCR is set up to read it.", []).append(page.number)
    page.flags.append("ocr_failed")


def _put(page: PageDraft, request: OcrRequest, found: OcrPage, picture: Picture, engine: str) -> None:
    if not found.text.strip() or not _better(page, request, found):
        return
    lines = _lines(found, picture)
    text = found.text
    if request.clip is not None:
        # Only a part was drawn: its text follows what the page itself holds.
        before = page.text + "\n\n"
        lines = page.lines + [(start + len(before), end + len(before), box) for start, end, box in lines]
        text = before + text
    page.text, page.lines = text, lines
    page.source, page.ocr_engine, page.confidence = "ocr", engine, found.confidence
    page.flags = [flag for flag in page.flags if flag != "unreadable_glyphs"]
    if found.confidence is not None and found.confidence < DOUBTFUL:
        page.flags.append("low_confidence")


def _better(page: PageDraft, request: OcrRequest, found: OcrPage) -> bool:
    if request.clip is not None:
        # Logos and photographs give a few unsure letters; a paragraph in a picture gives words.
        return found.confidence is None or found.confidence >= DOUBTFUL
    if request.prefer or not page.text.strip():
        return True
    return english.read(found.text).known > english.read(page.text).known + 0.1


def _lines(found: OcrPage, picture: Picture) -> list[RawLine]:
    """Union the words' boxes line by line and bring them from pixels to points."""
    lines: list[RawLine] = []
    for word in found.words:
        x0, y0, x1, y1 = (value * picture.points_per_pixel for value in word.box)
        box: Box = (x0 + picture.left, y0 + picture.top, x1 + picture.left, y1 + picture.top)
        if lines and "\n" not in found.text[lines[-1][1] : word.start]:
            start, _, before = lines[-1]
            lines[-1] = (start, word.end, _union(before, box))
        else:
            lines.append((word.start, word.end, box))
    return lines


def _union(one: Box, other: Box) -> Box:
    return (min(one[0], other[0]), min(one[1], other[1]), max(one[2], other[2]), max(one[3], other[3]))
