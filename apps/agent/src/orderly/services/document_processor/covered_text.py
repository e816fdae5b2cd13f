"""Letters over which an opaque picture was laid afterwards. Only the order of drawing tells."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pymupdf

from orderly.models import Box
from orderly.services.document_processor.picture_coverage import covers

Boxes = np.ndarray[Any, np.dtype[np.float64]]
Points = np.ndarray[Any, np.dtype[np.float64]]
Numbers = np.ndarray[Any, np.dtype[np.int64]]
Span = dict[str, Any]
"""As `Page.get_text("dict")` gives it."""

_AT_ONCE = 256
"""Points looked up together. Memory grows with these times the areas, and a page may have tens of thousands of both."""


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
    drawn_at = _latest(points, boxes([box for _, box in letters]), [at for at, _ in letters])
    covered = (drawn_at >= 0) & (_latest(points, laid, over) > drawn_at)
    return [span for span, hidden in zip(inside, covered.tolist(), strict=True) if hidden]


def only(spans: Sequence[Span], areas: Boxes) -> list[Span]:
    """Those whose centre lies in one of the areas."""
    held = _latest(centres(spans), areas, range(len(areas))) >= 0
    return [span for span, inside in zip(spans, held.tolist(), strict=True) if inside]


def centres(spans: Sequence[Span]) -> Points:
    """Of their boxes, as rows (x, y)."""
    corners = boxes([span["bbox"] for span in spans])
    return (corners[:, :2] + corners[:, 2:]) / 2


def boxes(corners: Sequence[Box]) -> Boxes:
    """As rows (x0, y0, x1, y1)."""
    return np.array(corners, dtype=np.float64).reshape(-1, 4)


def _latest(points: Points, areas: Boxes, at: Sequence[int]) -> Numbers:
    """For every point when the last of the areas that hold it was drawn; -1: none holds it. `at`: ascending, per area."""
    latest = np.full(len(points), -1, dtype=np.int64)
    if not len(areas):
        return latest
    last_first, times = areas[::-1], np.array(at, dtype=np.int64)[::-1]
    downwards = np.argsort(points[:, 1])
    downwards = downwards[~np.isnan(points[downwards, 1])]  # of letters larger than any page; in no area
    for start in range(0, len(downwards), _AT_ONCE):
        some = downwards[start : start + _AT_ONCE]
        x, y = points[some, 0, None], points[some, 1, None]
        near = (last_first[:, 1] <= y[-1]) & (y[0] <= last_first[:, 3])  # the others hold none of these points
        if not near.any():
            continue
        x0, y0, x1, y1 = last_first[near].T
        held = (x0 <= x) & (x <= x1) & (y0 <= y) & (y <= y1)
        latest[some] = np.where(held.any(axis=1), times[near][held.argmax(axis=1)], -1)
    return latest
