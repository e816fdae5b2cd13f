"""A document's sections with their sizes, as many levels of them as one answer holds."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from orderly.store.functions.revisions import Section

CHARACTERS_PER_TOKEN = 4
"""Fewer than English has in any common tokenizer (4.3 to 5), so that an estimate is rather too high."""

ROW_TOKENS = 40
"""A row of a table of contents, its id included."""


@dataclass(frozen=True, slots=True)
class ContentsRow:
    section: Section
    depth: int
    """From 0, outermost."""
    passages: int
    tokens: int
    """Of the section with all that is in it."""
    subsections: int
    """Inside it and not in the table."""


def tokens(characters: int) -> int:
    """An estimate that needs no tokenizer: budgets are for any model."""
    return -(-characters // CHARACTERS_PER_TOKEN)


def contents_rows(
    sections: Sequence[Section], passages: Sequence[tuple[int, int]], budget: int
) -> tuple[list[ContentsRow], int, int | None]:
    """Rows, how many sections of the outermost level had no room, and the passage with which the first of those begins.

    Args:
        sections: In text order, with `level`, `parent` (an ordinal), `start` and `end`.
        passages: (start, end) of every passage, in order.
        budget: Tokens for the table.
    """
    room = max(budget // ROW_TOKENS, 1)
    deepest = _deepest(sections, room)
    shown = [s for s in sections if s["level"] <= deepest]
    hidden = _hidden_under(sections, deepest)
    starts, ends = [p[0] for p in passages], [p[1] for p in passages]
    outermost = min(s["level"] for s in sections)
    rows = [
        ContentsRow(
            section=s,
            depth=s["level"] - outermost,
            passages=bisect_left(starts, s["end"]) - bisect_right(ends, s["start"]),
            tokens=tokens(s["end"] - s["start"]),
            subsections=hidden[s["ordinal"]],
        )
        for s in shown[:room]
    ]
    left_out = shown[room:]
    return rows, len(left_out), bisect_right(ends, left_out[0]["start"]) if left_out else None


def _deepest(sections: Sequence[Section], room: int) -> int:
    """The deepest level down to which all sections have room; at least the outermost."""
    levels = Counter(s["level"] for s in sections)
    deepest, used = min(levels), 0
    for level in sorted(levels):
        used += levels[level]
        if used > room:
            break
        deepest = level
    return int(deepest)


def _hidden_under(sections: Sequence[Section], deepest: int) -> Counter[int]:
    """Sections below `deepest`, counted for the section in the table that holds them."""
    by_ordinal = {s["ordinal"]: s for s in sections}
    hidden: Counter[int] = Counter()
    for section in sections:
        if section["level"] <= deepest:
            continue
        parent = section["parent"]
        while parent is not None and by_ordinal[parent]["level"] > deepest:
            parent = by_ordinal[parent]["parent"]
        if parent is not None:
            hidden[parent] += 1
    return hidden
