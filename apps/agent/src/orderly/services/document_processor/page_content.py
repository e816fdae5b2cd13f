"""The text of a PDF page in blocks, with the lines and boxes drawn on the page, read at once.

MuPDF ends a block of text where a line or box is drawn in between. The blocks are joined again by its own measures, so that
the text is the same as without.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import pymupdf
from pymupdf import mupdf

from orderly.models import Box
from orderly.services.document_processor.page_layout import Block

# Expands ligatures ("ﬁ" -> "fi") for search; unmapped glyphs become U+FFFD.
TEXT_FLAGS = pymupdf.TEXTFLAGS_TEXT & ~pymupdf.TEXT_CID_FOR_UNKNOWN_UNICODE & ~pymupdf.TEXT_PRESERVE_LIGATURES

_UNREADABLE = re.compile(r"[\u0590-\u1cff\ue000-\uf8ff\ufb1d-\ufdff\ufe70-\ufeff\ufffd]")
"""Glyphs without a letter, and scripts whose glyphs are drawn in another order, or joined, such as Arabic and Devanagari."""

_DRAWN = 3
"""Type of the blocks that stand for lines and boxes."""

_SAME_LINE, _SAME_PARAGRAPH = 0.8, 1.4
_SAME_WORD, _NEXT_WORD = 0.15, 0.8
_INDENT, _RAISED = 0.5, 0.1
"""MuPDF's measures, as multiples of the letters' size; the indent in points."""


@dataclass(frozen=True, slots=True)
class Drawn:
    """A line or box on the page."""

    box: Box
    stroked: bool
    straight: bool
    """A straight line or a rectangle."""
    colour: int
    opaque: bool
    after: int
    """Number of the text blocks drawn before it."""


@dataclass(slots=True)
class PageContent:
    blocks: list[Block]
    width: float
    height: float
    drawn: list[Drawn] = field(default_factory=list)
    texts: list[Block] = field(default_factory=list)
    """The blocks as drawn, before they are joined."""


def read_content(page: pymupdf.Page, kind: Literal["dict", "rawdict"] = "dict") -> PageContent:
    """Reads the page. "rawdict": with the place of each letter."""
    found = _run(page, kind)
    content = PageContent(found["blocks"], found["width"], found["height"])
    content.texts = [block for block in found["blocks"] if block["type"] != _DRAWN]
    if len(content.texts) < len(found["blocks"]):
        content.drawn = list(_drawn(found["blocks"]))
        content.blocks = found["blocks"]
    return content


def _run(page: pymupdf.Page, kind: Literal["dict", "rawdict"]) -> dict[str, Any]:
    """The letters as drawn, not the text that the file states in their place (ActualText), unless letters need it."""
    drawn = _read(page, kind, stated=False)
    letters = (part for block in drawn["blocks"] for line in block.get("lines", ()) for part in line["spans"])
    if kind == "dict":
        text = "".join([span["text"] for span in letters])
    else:
        text = "".join([letter["c"] for span in letters for letter in span["chars"]])
    return _read(page, kind, stated=True) if not text.isascii() and _UNREADABLE.search(text) else drawn


def _read(page: pymupdf.Page, kind: Literal["dict", "rawdict"], *, stated: bool) -> dict[str, Any]:
    rotation = page.rotation
    if rotation:
        page.set_rotation(0)
    try:
        text = mupdf.FzStextPage(mupdf.fz_bound_page(page.this))
        device = mupdf.fz_new_stext_device(text, mupdf.FzStextOptions(TEXT_FLAGS | pymupdf.TEXT_COLLECT_VECTORS))
        if not stated:
            # MuPDF skips operations that a device does not implement. Its flag TEXT_IGNORE_ACTUALTEXT keeps both texts.
            device.m_internal.begin_metatext = device.m_internal.end_metatext = None
        mupdf.fz_run_page(page.this, device, mupdf.FzMatrix(), mupdf.FzCookie())
        mupdf.fz_close_device(device)
    finally:
        if rotation:
            page.set_rotation(rotation)
    found = pymupdf.TextPage(text)
    read = found.extractDICT if kind == "dict" else found.extractRAWDICT
    return dict(read(cb=page.cropbox))


def _drawn(blocks: Sequence[Block]) -> list[Drawn]:
    found: list[Drawn] = []
    texts = 0
    for block in blocks:
        if block["type"] != _DRAWN:
            texts += 1
        else:
            found.append(Drawn(block["bbox"], block["stroked"], block["isrect"], block["color"], block["alpha"] == 255, texts))
    return found


def join_blocks(blocks: Sequence[Block]) -> list[Block]:
    """Leaves out the lines and boxes, and joins the blocks of text that they divide."""
    joined: list[Block] = []
    divided = False
    for block in blocks:
        if block["type"] == _DRAWN:
            divided = True
            continue
        if not (divided and joined and _continue(joined[-1], block)):
            joined.append(block)
        divided = False
    return joined


def _continue(block: Block, other: Block) -> bool:
    """Appends `other` to `block` if it goes on there."""
    if not block["lines"] or not other["lines"]:
        return False
    last, first = block["lines"][-1], other["lines"][0]
    (across, down), (x, y) = last["dir"], first["dir"]
    if last["wmode"] or first["wmode"] or across <= 0 or x <= 0 or abs(down) > 0.001 or abs(y) > 0.001:
        return False
    end, start = last["spans"][-1], first["spans"][0]
    gap = (start["origin"][0] - end["bbox"][2]) / start["size"] if start["size"] else 9.0
    step = abs(start["origin"][1] - end["origin"][1]) / start["size"] if start["size"] else 9.0
    lines = other["lines"]
    if step < _SAME_LINE:
        if -_SAME_WORD < gap < _NEXT_WORD:
            _append_line(last, first, space=gap >= _SAME_WORD)
            lines = lines[1:]
    elif step > _SAME_PARAGRAPH or abs(start["origin"][0] - last["spans"][0]["origin"][0]) > _INDENT:
        return False
    block["lines"] = [*block["lines"], *lines]
    block["bbox"] = enclosing(block["bbox"], other["bbox"])
    return True


def _append_line(line: dict[str, Any], other: dict[str, Any], *, space: bool) -> None:
    end = line["spans"][-1]
    if space and "text" in end and not end["text"].endswith(" ") and not other["spans"][0]["text"].startswith(" "):
        end["text"] += " "
    foot = line["spans"][0]["origin"][1]
    for span in other["spans"]:
        if span["origin"][1] < foot - _RAISED * span["size"]:
            span["flags"] |= pymupdf.TEXT_FONT_SUPERSCRIPT
    line["spans"] = [*line["spans"], *other["spans"]]
    line["bbox"] = enclosing(line["bbox"], other["bbox"])


def enclosing(one: Box, other: Box) -> Box:
    return (min(one[0], other[0]), min(one[1], other[1]), max(one[2], other[2]), max(one[3], other[3]))
