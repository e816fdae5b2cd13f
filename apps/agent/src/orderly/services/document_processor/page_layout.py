"""Builds a PDF page's text from its lines: joins fragments of a row, separates lines and paragraphs."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import pymupdf

from orderly.models import Box
from orderly.services.document_processor.drafts import RawLine, raised_digits
from orderly.services.document_processor.hyphenation import HYPHENS, join_line
from orderly.services.document_processor.page_columns import MIN_ROWS, split_columns
from orderly.services.document_processor.reading_order import order_blocks

Block = dict[str, Any]
"""A block of `Page.get_text("dict")`."""

PARTS = "parts"
"""Key of a line that is a row of a table, for its parts."""

Part = tuple[str, str, Box]
"""What stands before a part of a row, its text, its box."""

WIDE_GAP = 1.5
"""Multiple of the line height. A wider gap in a row becomes a tab."""

_RAISED_SIZE = 0.85
"""Raised digits are smaller than the other letters of the line by this factor."""

_UPRIGHT = (1.0, 0.0)


def lay_out(blocks: Sequence[Block]) -> tuple[str, list[RawLine]]:
    """Returns the page's text and its lines, with boxes in unrotated page coordinates."""
    # Measured in the stored order, where the lines of a paragraph stand together.
    pitch = _line_pitch(blocks)
    blocks = order_blocks(blocks)
    text, lines = _join_lines(blocks, pitch)
    # Rows with a wide gap are a table, or two columns stored row by row.
    if text.count("\t") >= MIN_ROWS and (columns := split_columns(blocks)):
        return _join_lines(columns, _line_pitch(columns))
    return text, lines


def _join_lines(blocks: Sequence[Block], pitch: float) -> tuple[str, list[RawLine]]:
    pieces: list[str] = []
    lines: list[RawLine] = []
    nearest, farthest = 0.7 * pitch, 1.3 * pitch
    at = 0
    before: Box | None = None
    in_table = False
    for block in blocks:
        opens_block = True
        for line in block["lines"]:
            spans = line["spans"]
            text = spans[0]["text"] if len(spans) == 1 else line_text(line)
            text = text.strip()
            if not text:
                continue
            box = line["bbox"]
            if PARTS in line:
                gap = "" if before is None else "\n" if in_table else "\n\n"
                at = _append_row(line[PARTS], gap, pieces, lines, at)
                before, opens_block, in_table = box, False, True
                continue
            if before is not None:
                # Fast path: nearly every line follows at the usual distance.
                usual = (not opens_block and nearest < box[3] - before[3] < farthest) or line["dir"] != _UPRIGHT
                gap = "\n" if usual else _separator(before, box, pitch, opens_block)
                if gap == "\n" and pieces[-1][-1] in HYPHENS and (joined := join_line(pieces[-1], text)) is not None:
                    # Each half of the joined word keeps the box of its own line.
                    at -= len(pieces[-1]) - len(joined)
                    pieces[-1], gap = joined, ""
                    lines[-1] = (lines[-1][0], at, before)
                pieces.append(gap)
                at += len(gap)
            end = at + len(text)
            pieces.append(text)
            lines.append((at, end, box))
            at, before, opens_block, in_table = end, box, False, False
    # For search and quotations no-break spaces become spaces, and soft hyphens, drawn inside a line, hyphens; offsets stay.
    return "".join(pieces).replace("\xa0", " ").replace("\xad", "-"), lines


def _append_row(parts: Sequence[Part], gap: str, pieces: list[str], lines: list[RawLine], at: int) -> int:
    """Appends a row of a table, a line for each part. Returns the length of the text."""
    for between, text, box in parts:
        start = at + len(gap) + len(between)
        at = start + len(text)
        pieces += (gap, between, text)
        lines.append((start, at, box))
        gap = ""
    return at


def line_text(line: dict[str, Any]) -> str:
    """The text of a line. Raised digits, of a note or an exponent, are no digits of the figure before."""
    spans = line["spans"]
    if not any([span["flags"] & pymupdf.TEXT_FONT_SUPERSCRIPT for span in spans]):
        return "".join([span["text"] for span in spans])
    size = max(span["size"] for span in spans)
    return "".join(
        [
            raised_digits(span["text"])
            if span["flags"] & pymupdf.TEXT_FONT_SUPERSCRIPT and span["size"] < _RAISED_SIZE * size
            else span["text"]
            for span in spans
        ]
    )


def _separator(before: Box, box: Box, pitch: float, opens_block: bool) -> str:
    """Separator between two lines. `opens_block`: the second line is the first of a block."""
    step = box[3] - before[3]
    height = before[3] - before[1]
    if -height < 2 * step < height and box[0] > before[2] - 1:
        return " " if box[0] - before[2] < WIDE_GAP * height else "\t"
    if step > 1.35 * pitch or (opens_block and (step < 0 or step > 1.15 * pitch)):
        return "\n\n"
    return "\n"


def _line_pitch(blocks: Sequence[Block]) -> float:
    """Median distance between lines of the page. Not per block, since double-spaced text has one block per line."""
    bottoms = [line["bbox"][3] for block in blocks for line in block["lines"]]
    steps = [step for upper, lower in pairwise(bottoms) if 2 < (step := lower - upper) < 60]
    steps.sort()
    return steps[len(steps) // 2] if steps else 14.0
