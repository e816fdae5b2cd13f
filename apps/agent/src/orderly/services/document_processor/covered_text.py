"""Letters over which an opaque picture was laid afterwards. Only the order of drawing tells."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pymupdf

from orderly.models import Box
from orderly.services.document_processor.picture_order import covers

Boxes = np.ndarray[Any, np.dtype[np.float64]]
Points = np.ndarray[Any, np.dtype[np.float64]]
Mask = np.ndarray[Any, np.dtype[np.bool_]]
Span = dict[str, Any]
"""As `Page.get_text("dict")` gives it."""


def covered_spans(page: pymupdf.Page, spans: Sequence[Span]) -> list[Span]:
    """Transparent letters are not among them: they are judged by themselves."""
    visible = [span for span in spans if span["alpha"] != 0 and span["text"].strip()]
    if not visible:
        return []
    covered_by, letters_later = covers(page)
    laid = boxes([box for box in covered_by if box])
    inside = only(visible, laid)
    if not inside or not letters_later:
        return inside  # as scanners do it: all words first, then the picture
    drawn = [at for at, (kind, _) in enumerate(page.get_bboxlog()) if kind == "fill-image"]
    over = [at for at, box in zip(drawn, covered_by, strict=True) if box]
    letters = [(trace["seqno"], trace["bbox"]) for trace in page.get_texttrace() if trace["seqno"] < over[-1]]
    points = centres(inside)
    drawn_at = _latest(_holding(points, boxes([box for _, box in letters])), [at for at, _ in letters])
    covered = (drawn_at >= 0) & (_latest(_holding(points, laid), over) > drawn_at)
    return [span for span, hidden in zip(inside, covered.tolist(), strict=True) if hidden]


def only(spans: Sequence[Span], areas: Boxes) -> list[Span]:
    """Those whose centre lies in one of the areas."""
    held: Any = _holding(centres(spans), areas).any(axis=1)
    return [span for span, inside in zip(spans, held, strict=True) if inside]


def centres(spans: Sequence[Span]) -> Points:
    """Of their boxes, as rows (x, y)."""
    corners = boxes([span["bbox"] for span in spans])
    return (corners[:, :2] + corners[:, 2:]) / 2


def boxes(corners: Sequence[Box]) -> Boxes:
    """As rows (x0, y0, x1, y1)."""
    return np.array(corners, dtype=np.float64).reshape(-1, 4)


def _holding(points: Points, areas: Boxes) -> Mask:
    """Row: point; column: area that holds it."""
    x, y = points[:, 0, None], points[:, 1, None]
    found: Mask = (areas[:, 0] <= x) & (x <= areas[:, 2]) & (areas[:, 1] <= y) & (y <= areas[:, 3])
    return found


def _latest(held: Mask, at: Sequence[int]) -> np.ndarray[Any, np.dtype[np.int64]]:
    """For every point when the last of the areas that hold it was drawn; -1: none holds it."""
    latest: np.ndarray[Any, np.dtype[np.int64]] = np.where(held, np.array(at, dtype=np.int64), -1).max(axis=1, initial=-1)
    return latest
