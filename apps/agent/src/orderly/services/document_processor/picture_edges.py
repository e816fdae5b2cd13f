"""Divides the spans of a PDF page at the edges of pictures that lie on some of their letters, such as a black one on a name."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

import numpy as np
import pymupdf

from orderly.models import Box
from orderly.services.document_processor.covered_text import Boxes, TextSpan, box_array
from orderly.services.document_processor.page_content import TEXT_FLAGS, enclosing
from orderly.services.document_processor.page_layout import Block

_PART = 3.0
"""Least width in points that a picture covers of a span, and leaves of it."""
_MARGIN = 5.0
"""Around the area in which letters are asked for."""
_MARGIN = 5.0

Letter = dict[str, Any]


def divide_at_pictures(page: pymupdf.Page, blocks: Sequence[Block], pictures: Sequence[Box]) -> None:
    """Divides in place. The letters are asked for only if a picture lies on a part of a span."""
    spans = [span for block in blocks for line in block["lines"] for span in line["spans"] if span["alpha"] != 0]
    laid = box_array(pictures)
    crossed = _crossed(spans, laid) if spans and pictures else []
    if not crossed:
        return
    rows = _letters(page, crossed)
    numbers = {id(span) for span in crossed}
    for block in blocks:
        for line in block["lines"]:
            if any(id(span) in numbers for span in line["spans"]):
                line["spans"] = [
                    part for span in line["spans"] for part in (_parts(span, rows, laid) if id(span) in numbers else [span])
                ]


def _crossed(spans: Sequence[TextSpan], pictures: Boxes) -> list[TextSpan]:
    left, top, right, bottom = box_array([span["bbox"] for span in spans]).T
    middle = (top + bottom) / 2
    crossed = np.zeros(len(spans), dtype=bool)
    for x0, y0, x1, y1 in pictures.tolist():
        on = (y0 < middle) & (middle < y1) & (x0 < right - _PART) & (left + _PART < x1)
        crossed |= on & ((left + _PART < x0) | (x1 < right - _PART))
    return [spans[at] for at in np.flatnonzero(crossed).tolist()]


def _letters(page: pymupdf.Page, spans: Sequence[TextSpan]) -> Mapping[float, Sequence[Letter]]:
    """The letters in the area of the spans, by the height of their line."""
    area: Box = spans[0]["bbox"]
    for span in spans[1:]:
        area = enclosing(area, span["bbox"])
    rows: dict[float, list[Letter]] = defaultdict(list)
    x0, y0, x1, y1 = area
    around = pymupdf.Rect(x0 - _MARGIN, y0 - _MARGIN, x1 + _MARGIN, y1 + _MARGIN)
    for block in page.get_text("rawdict", clip=around, flags=TEXT_FLAGS)["blocks"]:
        for line in block.get("lines", ()):
            for letter in (letter for span in line["spans"] for letter in span["chars"]):
                rows[round(letter["origin"][1], 1)].append(letter)
    return rows


def _parts(span: TextSpan, rows: Mapping[float, Sequence[Letter]], pictures: Boxes) -> Iterator[TextSpan]:
    x0, _, x1, _ = span["bbox"]
    letters = [letter for letter in rows.get(round(span["origin"][1], 1), ()) if x0 <= _middle(letter)[0] <= x1]
    if "".join([letter["c"] for letter in letters]).rstrip() != span["text"].rstrip():
        yield span  # words that are stated or joined otherwise: the middle of the span decides
        return
    for _, group in groupby(letters, key=lambda letter: _is_under(_middle(letter), pictures)):
        part = list(group)
        box: Box = part[0]["bbox"]
        for letter in part[1:]:
            box = enclosing(box, letter["bbox"])
        yield {**span, "text": "".join([letter["c"] for letter in part]), "bbox": box, "origin": part[0]["origin"]}


def _middle(letter: Letter) -> tuple[float, float]:
    x0, y0, x1, y1 = letter["bbox"]
    return (x0 + x1) / 2, (y0 + y1) / 2


def _is_under(point: tuple[float, float], pictures: Boxes) -> bool:
    x, y = point
    x0, y0, x1, y1 = pictures.T
    return bool(((x0 <= x) & (x <= x1) & (y0 <= y) & (y <= y1)).any())
