"""Text that a reader cannot see: white on white, fully transparent, or of no size. OCR layers are told apart."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pymupdf

from orderly.services.document_processor.page_layout import Block

Span = dict[str, Any]

_NEARLY_WHITE = 0xF0F0F0
_SEEN = 12
"""Least difference between the lightest and the darkest of 256 greys that shows letters on their ground."""


@dataclass(frozen=True, slots=True)
class Unseen:
    hidden: tuple[Span, ...] = ()
    """Taken out of the text."""
    layer: tuple[Span, ...] = ()
    """Transparent letters on a picture: the text layer that some OCR laid over a scan."""


def suspects(blocks: Sequence[Block]) -> list[Span]:
    """Cheap signals only; most pages have none."""
    return [
        span
        for block in blocks
        for line in block["lines"]
        for span in line["spans"]
        if span["alpha"] == 0 or span["color"] & _NEARLY_WHITE == _NEARLY_WHITE or span["size"] < 1
    ]


def unseen(page: pymupdf.Page, spans: Iterable[Span]) -> Unseen:
    """Decide about suspects by what is drawn on the page."""
    written = [span for span in spans if span["text"].strip()]
    if not written:
        return Unseen()
    pictures = [pymupdf.Rect(image["bbox"]) for image in page.get_image_info()]
    layer: list[Span] = []
    hidden: list[Span] = []
    for span in written:
        box = pymupdf.Rect(span["bbox"])
        if span["alpha"] == 0 and any(_centre(box) in picture for picture in pictures):
            layer.append(span)
        else:
            hidden.append(span)
    return Unseen(tuple(_without_visible(page, hidden)), tuple(layer))


def take_out(blocks: Sequence[Block], spans: Iterable[Span]) -> None:
    """Remove `spans`, which belong to `blocks`, in place."""
    gone = {id(span) for span in spans}
    for block in blocks:
        for line in block["lines"]:
            line["spans"] = [span for span in line["spans"] if id(span) not in gone]
        block["lines"] = [line for line in block["lines"] if line["spans"]]


def _without_visible(page: pymupdf.Page, spans: list[Span]) -> list[Span]:
    """White letters on a dark ground show in the drawn page: only the picture tells."""
    doubtful = [span for span in spans if span["alpha"] != 0 and span["size"] >= 1]
    if not doubtful:
        return spans
    drawn = page.get_pixmap(dpi=72, colorspace=pymupdf.csGRAY, alpha=False)
    grey = np.frombuffer(drawn.samples, dtype=np.uint8).reshape(drawn.height, drawn.stride)
    seen = {id(span) for span in doubtful if _contrast(grey, pymupdf.Rect(span["bbox"]) * page.rotation_matrix) > _SEEN}
    return [span for span in spans if id(span) not in seen]


def _contrast(grey: np.ndarray[Any, np.dtype[np.uint8]], box: pymupdf.Rect) -> int:
    area = grey[max(int(box.y0), 0) : int(box.y1) + 1, max(int(box.x0), 0) : int(box.x1) + 1]
    return int(area.max()) - int(area.min()) if area.size else 0


def _centre(box: pymupdf.Rect) -> pymupdf.Point:
    return pymupdf.Point((box.x0 + box.x1) / 2, (box.y0 + box.y1) / 2)
