"""What a child can be asked for. Arguments are plain values, results what `messages.pack` takes. Blocking."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from orderly.models import Attachment, Chunk, Extracted, Heading, Line, Page, Section
from orderly.services.document_processor.detection import detect_type
from orderly.services.document_processor.drafts import Draft, OcrRequest, PageDraft, Picture, Recognised
from orderly.services.document_processor.extraction import finish, read
from orderly.services.document_processor.limits import Limits
from orderly.services.document_processor.ocr_merge import put_in
from orderly.services.document_processor.readers import drawer_of
from orderly.services.isolation import pack, unpack
from orderly.services.ocr import OcrPage, OcrWord


def _detect(asked: Any) -> str:
    return detect_type(_path(asked), asked["filename"])


def _read(asked: Any) -> Mapping[str, object]:
    limits = Limits(**asked["limits"])
    kind, draft = read(_path(asked), asked["filename"], asked["content_type"], limits)
    if not draft.ocr:
        return {"extracted": finish(draft, limits)}
    return {"kind": kind, "requests": draft.ocr, "draft": pack(draft)}


def _draw(asked: Any) -> Picture:
    return drawer_of(asked["kind"])(_path(asked), _request(asked["request"]))


def _recognise(png: bytes) -> OcrPage:
    from orderly.services.ocr.tesseract import recognise  # noqa: PLC0415  # 40 MB that few files need

    return recognise(png)


def _finish(asked: Any) -> Extracted:
    draft = _draft(unpack(asked["draft"]))
    put_in(draft, [_recognised(unpack(page)) for page in asked["recognised"]], asked["failed"], asked["notes"])
    return finish(draft, Limits(**asked["limits"]))


def _divide(asked: Any) -> tuple[tuple[Section, ...], tuple[Chunk, ...]]:
    from orderly.services.text.chunking import chunk  # noqa: PLC0415
    from orderly.services.text.sections import find_sections  # noqa: PLC0415

    text = asked["text"]
    pages = _pages(asked["pages"])
    sections = find_sections(text, [Heading(**heading) for heading in asked["headings"]], pages)
    return sections, chunk(text, sections, pages, max_chars=asked["max_chars"], overlap=asked["overlap"])


def _look(asked: Any) -> Mapping[str, object]:
    from orderly.services.document_processor.visual_detection import find_visuals  # noqa: PLC0415

    found = find_visuals(_path(asked), asked["text"], _pages(asked["pages"]))
    return {"records": list(found.records), "unseen": list(found.unseen)}


def _show(asked: Any) -> bytes:
    from orderly.services.document_processor.page_drawing import draw_page  # noqa: PLC0415
    from orderly.services.text.highlights import LineMark  # noqa: PLC0415

    marks = [LineMark(**mark | {"box": tuple(mark["box"]), "share": tuple(mark["share"])}) for mark in asked["marks"]]
    return draw_page(_path(asked), asked["number"], asked["width"], marks, asked["dpi"])


OPERATIONS: Mapping[str, Callable[[Any], object]] = {
    "check": bool,
    "detect": _detect,
    "read": _read,
    "draw": _draw,
    "recognise": _recognise,
    "finish": _finish,
    "divide": _divide,
    "look": _look,
    "show": _show,
}


def _pages(plain: Any) -> list[Page]:
    return [Page(**page | {"lines": tuple([Line(*line) for line in page["lines"]])}) for page in plain]


def _path(asked: Any) -> Path:
    return Path(os.fsdecode(asked["path"]))


def _request(plain: Any) -> OcrRequest:
    clip = plain.pop("clip")
    return OcrRequest(**plain, clip=tuple(clip) if clip else None)


def _draft(plain: Any) -> Draft:
    pages = [PageDraft(**page) for page in plain.pop("pages")]
    for page in pages:
        page.lines = [(start, end, (x0, y0, x1, y1)) for start, end, (x0, y0, x1, y1) in page.lines]
    return Draft(
        **plain
        | {
            "pages": pages,
            "headings": tuple([Heading(**heading) for heading in plain["headings"]]),
            "attachments": [Attachment(**attachment) for attachment in plain["attachments"]],
            "ocr": [_request(request) for request in plain["ocr"]],
        }
    )


def _recognised(plain: Any) -> Recognised:
    found = plain.pop("found")
    words = tuple([OcrWord(**word | {"box": tuple(word["box"])}) for word in found["words"]])
    return Recognised(**plain, found=OcrPage(found["text"], words, found["confidence"]))
