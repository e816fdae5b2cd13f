"""Operations of a reader process. Arguments are plain values, results are packed by `messages.pack`. Blocking."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from orderly.models import Attachment, Chunk, Extracted, Heading, Line, Page, Section
from orderly.services.document_processor.detection import detect_type
from orderly.services.document_processor.drafts import Draft, OcrRequest, PageDraft, Picture, RawLine, Recognised
from orderly.services.document_processor.limits import Limits
from orderly.services.document_processor.ocr_merge import merge_recognised
from orderly.services.document_processor.page_estimates import estimate_pages
from orderly.services.document_processor.readers import drawer_of
from orderly.services.document_processor.text_extraction import finish, read
from orderly.services.isolation import pack, unpack
from orderly.services.ocr import OcrPage, OcrWord, recognise


def _detect(arguments: Any) -> str:
    return detect_type(_path(arguments), arguments["filename"])


def _survey(arguments: Any) -> tuple[str, int]:
    kind = _detect(arguments)
    return kind, estimate_pages(_path(arguments), kind)


def _read(arguments: Any) -> Mapping[str, object]:
    limits = Limits(**arguments["limits"])
    kind, draft = read(_path(arguments), arguments["filename"], arguments["content_type"], limits)
    if not draft.ocr:
        return {"extracted": finish(draft, limits)}
    return {"kind": kind, "requests": draft.ocr, "draft": pack(draft)}


def _draw(arguments: Any) -> Picture:
    return drawer_of(arguments["kind"])(_path(arguments), _request(arguments["request"]))


def _finish(arguments: Any) -> Extracted:
    draft = _draft(unpack(arguments["draft"]))
    merge_recognised(
        draft, [_recognised(unpack(page)) for page in arguments["recognised"]], arguments["failed"], arguments["notes"]
    )
    return finish(draft, Limits(**arguments["limits"]))


def _divide(arguments: Any) -> tuple[tuple[Section, ...], tuple[Chunk, ...]]:
    from orderly.services.text.chunking import chunk  # noqa: PLC0415
    from orderly.services.text.sections import find_sections  # noqa: PLC0415

    text = arguments["text"]
    pages = _pages(arguments["pages"])
    sections = find_sections(text, [Heading(**heading) for heading in arguments["headings"]], pages)
    return sections, chunk(text, sections, pages, max_chars=arguments["max_chars"], overlap=arguments["overlap"])


def _find_visuals(arguments: Any) -> Mapping[str, object]:
    from orderly.services.document_processor.visual_detection import find_visuals  # noqa: PLC0415

    found = find_visuals(_path(arguments), arguments["text"], _pages(arguments["pages"]))
    return {"records": list(found.records), "unseen": list(found.unseen)}


def _draw_page(arguments: Any) -> bytes:
    from orderly.services.document_processor.page_drawing import draw_page  # noqa: PLC0415
    from orderly.services.text.highlights import LineMark  # noqa: PLC0415

    marks = [LineMark(**mark | {"box": tuple(mark["box"]), "share": tuple(mark["share"])}) for mark in arguments["marks"]]
    return draw_page(_path(arguments), arguments["number"], arguments["width"], marks, arguments["dpi"])


OPERATIONS: Mapping[str, Callable[[Any], object]] = {
    "check": bool,
    "detect": _detect,
    "survey": _survey,
    "read": _read,
    "draw": _draw,
    "recognise": recognise,
    "finish": _finish,
    "divide": _divide,
    "find_visuals": _find_visuals,
    "draw_page": _draw_page,
}


def _pages(plain: Any) -> list[Page]:
    return [Page(**page | {"lines": tuple([Line(*line) for line in page["lines"]])}) for page in plain]


def _path(arguments: Any) -> Path:
    return Path(os.fsdecode(arguments["path"]))


def _request(plain: Any) -> OcrRequest:
    clip = plain.pop("clip")
    return OcrRequest(**plain, clip=tuple(clip) if clip else None)


def _draft(plain: Any) -> Draft:
    pages = [PageDraft(**page) for page in plain.pop("pages")]
    for page in pages:
        page.lines, page.doubtful_lines = _raw_lines(page.lines), _raw_lines(page.doubtful_lines)
    return Draft(
        **plain
        | {
            "pages": pages,
            "headings": tuple([Heading(**heading) for heading in plain["headings"]]),
            "attachments": [Attachment(**attachment) for attachment in plain["attachments"]],
            "ocr": [_request(request) for request in plain["ocr"]],
        }
    )


def _raw_lines(plain: Any) -> list[RawLine]:
    return [(start, end, (x0, y0, x1, y1)) for start, end, (x0, y0, x1, y1) in plain]


def _recognised(plain: Any) -> Recognised:
    found = plain.pop("found")
    words = tuple([OcrWord(**word | {"box": tuple(word["box"])}) for word in found["words"]])
    return Recognised(**plain, found=OcrPage(found["text"], words, found["confidence"]))
