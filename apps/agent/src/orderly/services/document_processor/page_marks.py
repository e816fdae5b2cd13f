"""Reads a PDF page as a person sees it: words that are struck out, covered or drawn twice are kept apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import pymupdf

from orderly.services.document_processor.covered_letters import Covers
from orderly.services.document_processor.drawn_twice import Repeats, has_overlapping_lines
from orderly.services.document_processor.page_content import Drawn, PageContent, join_blocks, read_content
from orderly.services.document_processor.page_layout import Block
from orderly.services.document_processor.page_letters import MATTER, as_phrases, divide_lines, divide_spans, take_out
from orderly.services.document_processor.struck_letters import Strikes, struck_by_notes
from orderly.services.document_processor.table_rules import RuledTable, column_of, crosses_border, ruled_tables

_LEAST_LETTERS = 3
_STRUCK, _COVERED, _TWICE, _HIDDEN = "struck", "covered", "twice", "hidden"


@dataclass(slots=True)
class SeenPage:
    """Blocks of visible text, and the words kept apart."""

    blocks: list[Block]
    width: float
    height: float
    drawn: Sequence[Drawn] = ()
    tables: Sequence[RuledTable] = ()
    struck: list[str] = field(default_factory=list)
    covered: list[str] = field(default_factory=list)


def read_seen(page: pymupdf.Page) -> SeenPage:
    """Reads the page. The place of each letter is asked for only if a cheap look at lines and boxes finds something."""
    content = read_content(page)
    content.drawn += struck_by_notes(page) if page.first_annot else []
    strikes = Strikes(content.drawn, content.texts)
    covers = Covers(content.drawn, content.texts)
    tables = ruled_tables(content.drawn)
    if not (strikes or covers or has_overlapping_lines(content.texts) or crosses_border(tables, content.texts)):
        blocks = join_blocks(content.blocks) if content.drawn else content.blocks
        return SeenPage(blocks, content.width, content.height, content.drawn, tables)
    return _read_letters(page, strikes, covers, tables)


def _read_letters(page: pymupdf.Page, strikes: Strikes, covers: Covers, tables: Sequence[RuledTable]) -> SeenPage:
    content = read_content(page, "rawdict")
    _divide(content, strikes, covers, tables)
    _hide_covered(page, content, covers)
    take_out(content.texts, _TWICE)
    struck, covered = take_out(content.texts, _STRUCK), take_out(content.texts, _HIDDEN)
    blocks = join_blocks([block for block in content.blocks if block.get("lines", True)])
    divide_lines(blocks)
    kept_apart = as_phrases(struck), as_phrases(covered)
    return SeenPage(blocks, content.width, content.height, content.drawn, tables, *kept_apart)


def _divide(content: PageContent, strikes: Strikes, covers: Covers, tables: Sequence[RuledTable]) -> None:
    repeats = Repeats()
    colours: dict[int, int] = {}
    again: set[int] = set()
    for number, block in enumerate(content.texts):
        for line in block["lines"]:
            letters = [(letter, span["color"]) for span in line["spans"] for letter in span["chars"] if span["alpha"] != 0]
            colours.update((id(letter), colour) for letter, colour in letters)
            # Words that are written again on a cover are no second drawing of those below it.
            below = covers and any(covers.may_cover(number, letter, colour) for letter, colour in letters)
            words = "".join([letter["c"] for letter, _ in letters]).strip()
            if not below and repeats.is_repeated_line(words, line["bbox"]):
                again.update(id(letter) for letter, _ in letters)

    def judge(number: int, letter: dict[str, Any]) -> str:
        colour = colours.get(id(letter))
        if colour is None:
            return ""
        covered = bool(covers) and covers.may_cover(number, letter, colour)
        if not covered and (id(letter) in again or repeats.is_repeat(letter)):
            return _TWICE
        if strikes and strikes.is_struck(letter):
            return _STRUCK
        return _COVERED if covered else ""

    divide_spans(content.texts, judge, lambda letter: column_of(tables, letter))
    for block in content.texts:
        for line in block["lines"]:
            _keep_chance_meetings(line["spans"])


def _keep_chance_meetings(spans: Sequence[dict[str, Any]]) -> None:
    """Few letters of a line on the same ones of another line are no second drawing: lines overlap in damaged files."""
    if all(span[MATTER] == _TWICE or not span["text"].strip() for span in spans):
        return
    for span in spans:
        if span[MATTER] == _TWICE and len(span["text"].strip()) < _LEAST_LETTERS:
            span[MATTER] = ""


def _hide_covered(page: pymupdf.Page, content: PageContent, covers: Covers) -> None:
    found = [span for block in content.texts for line in block["lines"] for span in line["spans"] if span[MATTER] == _COVERED]
    seen = [span for span in found if span["text"].strip()]
    hidden = {id(span) for span in (covers.hidden(page, seen, content.texts) if seen else ())}
    for span in found:
        span[MATTER] = _HIDDEN if id(span) in hidden else ""
