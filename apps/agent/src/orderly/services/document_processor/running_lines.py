"""Detects page headers and footers: lines that recur at the edge of pages."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from statistics import median
from typing import Literal, NamedTuple

from orderly.services.document_processor.drafts import Draft, PageDraft, RawLine
from orderly.services.document_processor.garbage_collection import collection_paused

EDGE_SHARE = 0.12
"""Share of the page's height at the top and bottom that is searched."""

MIN_PAGE_SHARE = 0.25
"""Least share of pages on which a line recurs. Headers may differ between left and right pages and between chapters."""

Side = Literal["head", "foot"]

_WORD = re.compile(r"[^\W\d_]{2}")
_VARYING_NUMBER = re.compile(r"\d+|\b[ivxl]+\b")
_PAGE_NUMBER = re.compile(r"[\s–—-]*(?:page\s*|p\.\s*)?(\d{1,4})(?:\s*(?:of|/)\s*\d{1,4})?[\s–—-]*", re.IGNORECASE)


class _Edge(NamedTuple):
    page: PageDraft
    line: int
    side: Side


@collection_paused()
def mark_running_lines(draft: Draft) -> None:
    """Records the running lines of every page in `draft.running`, and moves headers first and footers last in the text."""
    pages = [page for page in draft.pages if page.height and page.lines]
    if len(pages) < 2:
        return
    least = max(min(len(pages), 3), MIN_PAGE_SHARE * len(pages))
    by_page: dict[int, dict[int, Side]] = defaultdict(dict)
    for group in _group_edge_lines(pages):
        level = _at_usual_height(group)
        if len({edge.page.number for edge in level}) >= least:
            for edge in level:
                by_page[edge.page.number][edge.line] = edge.side
    for page in pages:
        if sides := by_page.get(page.number):
            draft.running[page.number] = _move_to_edges(page, sides)


def _at_usual_height(group: list[_Edge]) -> list[_Edge]:
    """Lines within 4 points of the median height; titles that recur near an edge vary more."""
    bottoms = [edge.page.lines[edge.line][2][3] for edge in group]
    usual = median(bottoms)
    return [edge for edge, bottom in zip(group, bottoms, strict=True) if abs(bottom - usual) < 4]


def _group_edge_lines(pages: list[PageDraft]) -> list[list[_Edge]]:
    """Groups edge lines that are equal except for numbers, and page numbers that increase with the pages."""
    same: dict[tuple[Side, str], list[_Edge]] = defaultdict(list)
    numbers: dict[tuple[Side, int], list[_Edge]] = defaultdict(list)
    for page in pages:
        top, bottom = EDGE_SHARE * (page.height or 0), (1 - EDGE_SHARE) * (page.height or 0)
        at_edge = [at for at, line in enumerate(page.lines) if line[2][3] <= top or line[2][1] >= bottom]
        for at in at_edge:
            start, end, box = page.lines[at]
            edge = _Edge(page, at, "head" if box[3] <= top else "foot")
            text = page.text[start:end]
            if len(text) < 20 and (found := _PAGE_NUMBER.fullmatch(text)):
                numbers[edge.side, int(found[1]) - page.number].append(edge)
            elif _WORD.search(text):
                same[edge.side, _VARYING_NUMBER.sub("#", text.lower())].append(edge)
    return [*same.values(), *numbers.values()]


def _move_to_edges(page: PageDraft, sides: dict[int, Side]) -> list[tuple[int, int]]:
    """Moves running lines to the start or end of the page's text. Returns their spans."""
    heads = [at for at, side in sorted(sides.items()) if side == "head"]
    feet = [at for at, side in sorted(sides.items()) if side == "foot"]
    body = [at for at in range(len(page.lines)) if at not in sides]
    order = [*heads, *body, *feet]
    if order != list(range(len(order))) and not _would_cross_lines(page, heads, feet, body):
        _reorder(page, order, Counter({at: 1 for at in body}))
        places = {old: new for new, old in enumerate(order)}
        sides = {places[at]: side for at, side in sides.items()}
    return [page.lines[at][:2] for at in sorted(sides)]


def _would_cross_lines(page: PageDraft, heads: list[int], feet: list[int], body: list[int]) -> bool:
    """Whether moving would put a header before a line above it, or a footer after a line below it."""
    boxes = [page.lines[at][2] for at in body]
    above = any(box[3] <= page.lines[at][2][1] + 1 for at in heads for box in boxes)
    return above or any(box[1] >= page.lines[at][2][3] - 1 for at in feet for box in boxes)


def _reorder(page: PageDraft, order: list[int], body: Counter[int]) -> None:
    """Rewrites the page's lines in the given order. Lines that stay adjacent keep their separator."""
    pieces: list[str] = []
    lines: list[RawLine] = []
    length = 0
    for before, at in zip([None, *order], order, strict=False):
        start, end, box = page.lines[at]
        gap = ""
        if before is not None:
            kept = page.text[page.lines[before][1] : start] if at == before + 1 else "\n"
            gap = kept if (before in body) == (at in body) else "\n\n"
        pieces += (gap, page.text[start:end])
        length += len(gap)
        lines.append((length, length + end - start, box))
        length += end - start
    page.text, page.lines = "".join(pieces), lines
