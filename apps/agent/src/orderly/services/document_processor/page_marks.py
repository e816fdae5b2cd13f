"""Words of a PDF page that are drawn over: struck out by a line, covered by a box, drawn twice; numbers above the line.

The words are taken out of the page's spans in place, so that nothing is quoted that nobody sees.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pymupdf

from orderly.services.document_processor.covered_text import TextSpan, box_array
from orderly.services.document_processor.drafts import raised_digits
from orderly.services.document_processor.page_layout import Block

THIN = 2.0
"""Points up to which a drawn box is a line."""
STRIKE_ABOVE, STRIKE_BELOW = 0.38, 0.72
"""Where a line through words runs, as a share of the height of their box, counted from above; an underline is lower."""
SAME_PLACE = 2.5
"""Points by which words that are drawn twice, to look bold or shaded, lie apart."""
OPAQUE = 0.99
LEAST_WIDTH = 3.0
"""Points of a line or box that is looked at."""
_DRAWS = re.compile(rb"\d\s+(?:re|l)\s")
"""Operators of a page that draw a box or a line."""
_SUPERSCRIPT = 1
"""Flag of a span above the line."""


@dataclass(slots=True)
class Marks:
    covered: list[str] = field(default_factory=list)
    struck: list[str] = field(default_factory=list)
    redactions: int = 0
    """Redaction marks that were not applied: the words below them are still seen."""


def take_out(page: pymupdf.Page, blocks: Sequence[Block]) -> Marks:
    """Takes struck and covered words and repetitions out of `blocks`, and raises numbers above the line."""
    marks = Marks()
    _raise_numbers(blocks)
    _drop_repetitions(blocks)
    lines, boxes = _drawn(page) if _has_drawings(page) else ([], [])
    struck_by_note, marks.redactions = _annotated(page)
    lines += struck_by_note
    if not lines and not boxes:
        return marks
    spans = [span for block in blocks for line in block["lines"] for span in line["spans"] if span["text"].strip()]
    if not spans:
        return marks
    striking, covering = _crossings(spans, lines, boxes)
    blank = {id(box) for box in {id(b): b for found in covering.values() for b in found}.values() if _is_blank(page, box)}
    covering = {at: [box for box in found if id(box) in blank] for at, found in covering.items()}
    letters = _letters(page) if striking or blank else {}
    for at in sorted({*striking, *covering}):
        marks.struck += _cut(spans[at], letters, striking.get(at, ()))
        marks.covered += _cut(spans[at], letters, covering.get(at, ()))
    return marks


def _has_drawings(page: pymupdf.Page) -> bool:
    """Whether the page may draw lines or boxes, by its operators: many pages draw none, and reading drawings is slow."""
    return _DRAWS.search(page.read_contents()) is not None or bool(page.get_xobjects())


def _crossings(
    spans: Sequence[TextSpan], lines: Sequence[pymupdf.Rect], boxes: Sequence[pymupdf.Rect]
) -> tuple[dict[int, list[pymupdf.Rect]], dict[int, list[pymupdf.Rect]]]:
    """For spans by their place: the lines that strike them, and the boxes over the middle of their line."""
    x0, y0, x1, y1 = box_array([span["bbox"] for span in spans]).T
    height = y1 - y0
    striking: dict[int, list[pymupdf.Rect]] = {}
    covering: dict[int, list[pymupdf.Rect]] = {}
    for line in lines:
        through = ((line.y0 + line.y1) / 2 - y0) / np.maximum(height, 0.1)
        for at in np.flatnonzero((through > STRIKE_ABOVE) & (through < STRIKE_BELOW) & (line.x0 < x1) & (x0 < line.x1)):
            striking.setdefault(int(at), []).append(line)
    middle = (y0 + y1) / 2
    for box in boxes:
        shared = np.minimum(box.x1, x1) - np.maximum(box.x0, x0)
        for at in np.flatnonzero((box.y0 <= middle) & (middle <= box.y1) & (shared > LEAST_WIDTH)):
            covering.setdefault(int(at), []).append(box)
    return striking, covering


def _raise_numbers(blocks: Sequence[Block]) -> None:
    for block in blocks:
        for line in block["lines"]:
            for before, span in zip(line["spans"], line["spans"][1:], strict=False):
                if span["flags"] & _SUPERSCRIPT and span["text"].strip().isdecimal() and before["text"].strip():
                    span["text"] = raised_digits(span["text"])


def _drop_repetitions(blocks: Sequence[Block]) -> None:
    seen: dict[str, list[Any]] = {}
    for block in blocks:
        for line in block["lines"]:
            kept = []
            for span in line["spans"]:
                places = seen.setdefault(span["text"], [])
                is_again = len(span["text"].strip()) > 1 and any(
                    abs(span["bbox"][0] - x) < SAME_PLACE and abs(span["bbox"][1] - y) < SAME_PLACE for x, y in places
                )
                if not is_again:
                    kept.append(span)
                    places.append(span["bbox"][:2])
            line["spans"] = kept
        block["lines"] = [line for line in block["lines"] if line["spans"]]


def _drawn(page: pymupdf.Page) -> tuple[list[pymupdf.Rect], list[pymupdf.Rect]]:
    """Horizontal lines, and opaque boxes, as drawn."""
    lines, boxes = [], []
    for drawing in page.get_cdrawings():
        for item in drawing["items"]:
            if item[0] == "l" and abs(item[1][1] - item[2][1]) <= THIN:
                area = pymupdf.Rect(item[1], item[2]).normalize()
            elif item[0] == "re":
                area = pymupdf.Rect(item[1]).normalize()
            else:
                continue
            if area.width < LEAST_WIDTH:
                continue
            if area.height <= THIN:
                lines.append(area)
            elif "f" in drawing["type"] and drawing.get("fill_opacity", 1.0) >= OPAQUE:
                boxes.append(area)
    return lines, boxes


def _annotated(page: pymupdf.Page) -> tuple[list[pymupdf.Rect], int]:
    """Lines of the notes that strike words out, and the number of redaction marks."""
    lines, redactions = [], 0
    for note in page.annots() or ():
        if note.type[0] == pymupdf.PDF_ANNOT_REDACT:
            redactions += 1
        elif note.type[0] == pymupdf.PDF_ANNOT_STRIKE_OUT:
            corners = note.vertices or []
            quads = [corners[at : at + 4] for at in range(0, len(corners), 4)]
            for area in (pymupdf.Quad(quad).rect for quad in quads if len(quad) == 4):
                middle = (area.y0 + area.y1) / 2
                lines.append(pymupdf.Rect(area.x0, middle, area.x1, middle + 0.1))
    return lines, redactions


def _is_blank(page: pymupdf.Page, box: pymupdf.Rect) -> bool:
    """Whether nothing is seen inside a box: it is drawn over the words, and they are not drawn over it."""
    inner = pymupdf.Rect(box.x0 + 1, box.y0 + 1, box.x1 - 1, box.y1 - 1) * page.rotation_matrix
    if inner.is_empty:
        return False
    pixels = page.get_pixmap(clip=inner, colorspace=pymupdf.csGRAY, alpha=False)
    grey = np.frombuffer(pixels.samples, np.uint8)
    return bool(grey.size) and int(grey.max()) - int(grey.min()) < 32


Letters = dict[tuple[float, float], list[tuple[str, float]]]


def _letters(page: pymupdf.Page) -> Letters:
    """Letters with the middle of each, by the first corner of their span."""
    found: Letters = {}
    for block in page.get_text("rawdict")["blocks"]:
        for line in block.get("lines", ()):
            for span in line["spans"]:
                corner = (round(span["bbox"][0], 1), round(span["bbox"][1], 1))
                found[corner] = [(c["c"], (c["bbox"][0] + c["bbox"][2]) / 2) for c in span["chars"]]
    return found


def _cut(span: TextSpan, letters: Letters, areas: Sequence[pymupdf.Rect]) -> Iterator[str]:
    """Takes the letters in the areas out of a span, and yields what was taken."""
    known = letters.get((round(span["bbox"][0], 1), round(span["bbox"][1], 1)))
    if not areas:
        return
    if known is None or "".join(letter for letter, _ in known) != span["text"]:
        width = span["bbox"][2] - span["bbox"][0]
        known = [
            (letter, span["bbox"][0] + width * (place + 0.5) / len(span["text"])) for place, letter in enumerate(span["text"])
        ]
    taken = [any(area.x0 <= middle <= area.x1 for area in areas) for _, middle in known]
    out = "".join(letter for (letter, _), gone in zip(known, taken, strict=True) if gone).strip()
    if out:
        yield out
        span["text"] = "".join(letter for (letter, _), gone in zip(known, taken, strict=True) if not gone)
