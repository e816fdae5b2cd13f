"""Tables of contents with section sizes, limited to the levels that fit a token budget."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from orderly.store.functions.revisions import Section

CHARACTERS_PER_TOKEN = 4
"""Lower than for English in any common tokenizer (4.3 to 5), so that estimates err on the high side."""

ROW_TOKENS = 40
"""Estimated tokens of one row, including its id."""


@dataclass(frozen=True, slots=True)
class ContentsRow:
    section: Section
    depth: int
    """0 for the outermost level."""
    passages: int
    tokens: int
    """Of the section including its subsections."""
    subsections: int
    """Number of subsections omitted from the table."""


def estimate_tokens(characters: int) -> int:
    """Estimates the tokens of a text from its length, independent of the model."""
    return -(-characters // CHARACTERS_PER_TOKEN)


def build_contents(
    sections: Sequence[Section], passages: Sequence[tuple[int, int]], budget: int
) -> tuple[list[ContentsRow], int, int | None]:
    """Returns the rows, the number of sections left out after the last row, and the index of the first omitted passage.

    Args:
        sections: In text order.
        passages: (start, end) of every passage, in order.
        budget: Tokens of the table.
    """
    room = max(budget // ROW_TOKENS, 1)
    deepest = _deepest_level(sections, room)
    shown = [s for s in sections if s["level"] <= deepest]
    hidden = _count_hidden_subsections(sections, deepest)
    starts, ends = [p[0] for p in passages], [p[1] for p in passages]
    outermost = min(s["level"] for s in sections)
    rows = [
        ContentsRow(
            section=s,
            depth=s["level"] - outermost,
            passages=bisect_left(starts, s["end"]) - bisect_right(ends, s["start"]),
            tokens=estimate_tokens(s["end"] - s["start"]),
            subsections=hidden[s["ordinal"]],
        )
        for s in shown[:room]
    ]
    left_out = shown[room:]
    return rows, len(left_out), bisect_right(ends, left_out[0]["start"]) if left_out else None


def _deepest_level(sections: Sequence[Section], room: int) -> int:
    """Finds the deepest level for which all sections fit into `room` rows; at least the outermost."""
    levels = Counter(s["level"] for s in sections)
    deepest, used = min(levels), 0
    for level in sorted(levels):
        used += levels[level]
        if used > room:
            break
        deepest = level
    return int(deepest)


def _count_hidden_subsections(sections: Sequence[Section], deepest: int) -> Counter[int]:
    """Counts the sections below `deepest` by the ordinal of their ancestor in the table."""
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
