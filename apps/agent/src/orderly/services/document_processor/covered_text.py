"""Letters over which an opaque picture was laid afterwards. Only the order of drawing tells."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pymupdf

from orderly.models import Box

Boxes = np.ndarray[Any, np.dtype[np.float64]]
Mask = np.ndarray[Any, np.dtype[np.bool_]]
Span = dict[str, Any]
"""As `Page.get_text("dict")` gives it."""


def covered_spans(page: pymupdf.Page, spans: Sequence[Span]) -> list[Span]:
    """Transparent letters are not among them: they are judged by themselves."""
    opaque = _boxes([image["bbox"] for image in page.get_image_info() if not image["has-mask"]])
    written = [span for span in spans if span["alpha"] != 0 and span["text"].strip()]
    inside = [span for span in written if _holding(centre(span), opaque).any()]
    if not inside:
        return []
    log = [(at, box) for at, (kind, box) in enumerate(page.get_bboxlog()) if kind == "fill-image"]
    pictures = [(at, box) for at, box in log if (abs(opaque - np.array(box)).max(axis=1) < 1).any()]
    last = max((at for at, _ in pictures), default=-1)
    letters = [(trace["seqno"], trace["bbox"]) for trace in page.get_texttrace() if trace["seqno"] < last]
    if not letters:
        return []
    drawn, drawn_at = _boxes([box for _, box in letters]), np.array([at for at, _ in letters])
    laid, laid_at = _boxes([box for _, box in pictures]), np.array([at for at, _ in pictures])

    def covered(span: Span) -> bool:
        mine = drawn_at[_holding(centre(span), drawn)]
        return bool(mine.size) and bool((laid_at[_holding(centre(span), laid)] > mine.max()).any())

    return [span for span in inside if covered(span)]


def centre(span: Span) -> pymupdf.Point:
    x0, y0, x1, y1 = span["bbox"]
    return pymupdf.Point((x0 + x1) / 2, (y0 + y1) / 2)


def _boxes(corners: Sequence[Box]) -> Boxes:
    return np.array(corners, dtype=np.float64).reshape(-1, 4)


def _holding(point: pymupdf.Point, boxes: Boxes) -> Mask:
    x, y = point.x, point.y
    found: Mask = (boxes[:, 0] <= x) & (x <= boxes[:, 2]) & (boxes[:, 1] <= y) & (y <= boxes[:, 3])
    return found
