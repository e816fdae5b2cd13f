"""Text that a reader cannot see: white on white, transparent, of no size, beneath a picture. OCR layers are told apart."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pymupdf

from orderly.services.document_processor.covered_text import Boxes, Span, boxes, covered_spans, only
from orderly.services.document_processor.page_layout import Block

_NEARLY_WHITE = 0xF0F0F0
_SEEN = 12
"""Least difference between the lightest and the darkest of 256 greys that shows letters on their ground."""


@dataclass(frozen=True, slots=True)
class Unseen:
    hidden: tuple[Span, ...] = ()
    """Taken out of the text."""
    layer: tuple[Span, ...] = ()
    """Transparent letters on a picture, or letters beneath it: the text that some OCR added to a scan."""


def unseen(page: pymupdf.Page, blocks: Sequence[Block]) -> Unseen:
    """What of the page's letters a reader cannot see, decided by what is drawn. Most pages have no suspects and cost little."""
    doubtful = [span for span in _spans(blocks) if _suspect(span) and span["text"].strip()]
    pictures = page.get_image_info() if page.get_images() else []
    beneath = covered_spans(page, list(_spans(blocks)), pictures) if pictures else []
    if not doubtful and not beneath:
        return Unseen()
    layer = only([span for span in doubtful if span["alpha"] == 0], boxes([image["bbox"] for image in pictures]))
    in_layer = {id(span) for span in layer}
    hidden = list(_without_visible(page, [span for span in doubtful if id(span) not in in_layer]))
    if beneath and _letters(beneath) > 0.5 * _letters(_spans(blocks)):
        # The words of a scan, over which its picture was laid; without ink in that place they are hidden all the same.
        shown = _shown(page, beneath)
        layer += [span for span in beneath if id(span) in shown]
        beneath = [span for span in beneath if id(span) not in shown]
    return Unseen((*hidden, *beneath), tuple(layer))


def _spans(blocks: Sequence[Block]) -> Iterator[Span]:
    return (span for block in blocks for line in block["lines"] for span in line["spans"])


def _suspect(span: Span) -> bool:
    """Cheap signals only."""
    return bool(span["alpha"] == 0 or span["color"] & _NEARLY_WHITE == _NEARLY_WHITE or span["size"] < 1)


def _letters(spans: Iterable[Span]) -> int:
    return sum(len(span["text"].strip()) for span in spans)


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
    seen = _shown(page, doubtful) if doubtful else frozenset()
    return [span for span in spans if id(span) not in seen]


def _shown(page: pymupdf.Page, spans: Iterable[Span]) -> frozenset[int]:
    """Ids of the spans in whose place the drawn page has ink."""
    drawn = page.get_pixmap(dpi=72, colorspace=pymupdf.csGRAY, alpha=False)
    grey = np.frombuffer(drawn.samples, dtype=np.uint8).reshape(drawn.height, drawn.stride)
    held = list(spans)
    places = _turned(boxes([span["bbox"] for span in held]), page.rotation_matrix)
    first, last = np.maximum(places[:, :2], 0).astype(int), np.maximum(places[:, 2:], 0).astype(int) + 1
    return frozenset(
        id(span)
        for span, (x0, y0), (x1, y1) in zip(held, first.tolist(), last.tolist(), strict=True)
        if _contrast(grey[y0:y1, x0:x1]) > _SEEN
    )


def _turned(places: Boxes, matrix: pymupdf.Matrix) -> Boxes:
    """Boxes as the page is shown: by right angles, so corners stay corners."""
    a, b, c, d, e, f = matrix
    x, y = places[:, 0::2], places[:, 1::2]
    across, down = a * x + c * y + e, b * x + d * y + f
    return np.stack([across.min(axis=1), down.min(axis=1), across.max(axis=1), down.max(axis=1)], axis=1)


def _contrast(area: np.ndarray[Any, np.dtype[np.uint8]]) -> int:
    return int(area.max()) - int(area.min()) if area.size else 0
