"""Finds text covered by an opaque picture that is drawn after it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pymupdf

from orderly.models import Box

Boxes = np.ndarray[Any, np.dtype[np.float64]]
Points = np.ndarray[Any, np.dtype[np.float64]]
Numbers = np.ndarray[Any, np.dtype[np.int64]]
TextSpan = dict[str, Any]
"""A span of `Page.get_text("dict")`."""

_BATCH = 256
"""Points looked up at a time. Memory grows with points times areas, and a page may have tens of thousands of both."""


def find_covered_spans(
    page: pymupdf.Page, spans: Sequence[TextSpan], covered_by: Sequence[Box | None], letters_later: bool
) -> list[TextSpan]:
    """Finds visible spans under a picture. Transparent spans are judged elsewhere.

    `covered_by`, `letters_later`: what `picture_covers` tells of the page.
    """
    visible = [span for span in spans if span["alpha"] != 0 and span["text"].strip()]
    if not visible:
        return []
    laid = box_array([box for box in covered_by if box])
    inside = spans_inside(visible, laid)
    if not inside or not letters_later:
        return inside  # all text before all pictures, as scanners write it
    drawn = [at for at, (kind, _) in enumerate(page.get_bboxlog()) if kind == "fill-image"]
    over = [at for at, box in zip(drawn, covered_by, strict=True) if box]
    letters = [(trace["seqno"], trace["bbox"]) for trace in page.get_texttrace() if trace["seqno"] < over[-1]]
    points = span_centres(inside)
    drawn_at = _latest_covering(points, box_array([box for _, box in letters]), [at for at, _ in letters])
    covered = (drawn_at >= 0) & (_latest_covering(points, laid, over) > drawn_at)
    return [span for span, hidden in zip(inside, covered.tolist(), strict=True) if hidden]


def spans_inside(spans: Sequence[TextSpan], areas: Boxes) -> list[TextSpan]:
    """Spans whose centre lies in one of the areas."""
    covered = _latest_covering(span_centres(spans), areas, range(len(areas))) >= 0
    return [span for span, inside in zip(spans, covered.tolist(), strict=True) if inside]


def span_centres(spans: Sequence[TextSpan]) -> Points:
    """Centres of the spans' boxes, as rows (x, y)."""
    corners = box_array([span["bbox"] for span in spans])
    return (corners[:, :2] + corners[:, 2:]) / 2


def box_array(corners: Sequence[Box]) -> Boxes:
    """Boxes as an array of rows (x0, y0, x1, y1)."""
    return np.array(corners, dtype=np.float64).reshape(-1, 4)


def _latest_covering(points: Points, areas: Boxes, at: Sequence[int]) -> Numbers:
    """For every point, the drawing time of the last area that contains it; -1 if none. `at`: ascending times of the areas."""
    latest = np.full(len(points), -1, dtype=np.int64)
    if not len(areas):
        return latest
    last_first, times = areas[::-1], np.array(at, dtype=np.int64)[::-1]
    downwards = np.argsort(points[:, 1])
    downwards = downwards[~np.isnan(points[downwards, 1])]  # NaN: letters larger than any page, in no area
    for start in range(0, len(downwards), _BATCH):
        some = downwards[start : start + _BATCH]
        x, y = points[some, 0, None], points[some, 1, None]
        near = (last_first[:, 1] <= y[-1]) & (y[0] <= last_first[:, 3])  # other areas contain none of these points
        if not near.any():
            continue
        x0, y0, x1, y1 = last_first[near].T
        covered = (x0 <= x) & (x <= x1) & (y0 <= y) & (y <= y1)
        latest[some] = np.where(covered.any(axis=1), times[near][covered.argmax(axis=1)], -1)
    return latest
