"""Lines of a PDF page -> its text: fragments of one row joined, lines by a line feed, paragraphs by a blank line."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from orderly.models import Box
from orderly.services.document_processor.columns import LEAST_ROWS, untangled
from orderly.services.document_processor.drafts import RawLine
from orderly.services.document_processor.hyphenation import HYPHENS, joined

Block = dict[str, Any]
"""As `Page.get_text("dict")` gives it."""

WIDE = 1.5
"""Times the line's height: a wider gap in a row is written as a tab."""

_UPRIGHT = (1.0, 0.0)


def lay_out(blocks: Sequence[Block]) -> tuple[str, list[RawLine]]:
    """The page's text and its lines, boxes in the page's own (unrotated) coordinates."""
    text, lines = _in_given_order(blocks)
    # Rows with a wide gap are a table, or two columns that were written row by row.
    if text.count("\t") >= LEAST_ROWS and (columns := untangled(blocks)):
        return _in_given_order(columns)
    return text, lines


def _in_given_order(blocks: Sequence[Block]) -> tuple[str, list[RawLine]]:
    pieces: list[str] = []
    lines: list[RawLine] = []
    pitch = _pitch(blocks)
    nearest, farthest = 0.7 * pitch, 1.3 * pitch
    at = 0
    before: Box | None = None
    for block in blocks:
        fresh = True
        for line in block["lines"]:
            spans = line["spans"]
            text = spans[0]["text"] if len(spans) == 1 else "".join([span["text"] for span in spans])
            text = text.strip()
            if not text:
                continue
            box = line["bbox"]
            if before is not None:
                # Nearly every line follows at the usual distance: the full rule is for the others.
                usual = (not fresh and nearest < box[3] - before[3] < farthest) or line["dir"] != _UPRIGHT
                gap = "\n" if usual else _gap(before, box, pitch, fresh)
                if gap == "\n" and pieces[-1][-1] in HYPHENS and (kept := joined(pieces[-1], text)) is not None:
                    # The word is whole again, and each half keeps the box of its own line.
                    at -= len(pieces[-1]) - len(kept)
                    pieces[-1], gap = kept, ""
                    lines[-1] = (lines[-1][0], at, before)
                pieces.append(gap)
                at += len(gap)
            end = at + len(text)
            pieces.append(text)
            lines.append((at, end, box))
            at, before, fresh = end, box, False
    # A no-break space is a space to everyone who searches or quotes; one character for one keeps the offsets.
    return "".join(pieces).replace("\xa0", " "), lines


def _gap(before: Box, box: Box, pitch: float, fresh: bool) -> str:
    """What stands between two lines; `fresh`: the second one opens a block."""
    step = box[3] - before[3]
    height = before[3] - before[1]
    if -height < 2 * step < height and box[0] > before[2] - 1:
        return " " if box[0] - before[2] < WIDE * height else "\t"
    if step > 1.35 * pitch or (fresh and (step < 0 or step > 1.15 * pitch)):
        return "\n\n"
    return "\n"


def _pitch(blocks: Sequence[Block]) -> float:
    """The usual distance between two lines. Double-spaced text comes as one block a line, so blocks don't tell."""
    bottoms = [line["bbox"][3] for block in blocks for line in block["lines"]]
    steps = [step for upper, lower in pairwise(bottoms) if 2 < (step := lower - upper) < 60]
    steps.sort()
    return steps[len(steps) // 2] if steps else 14.0
