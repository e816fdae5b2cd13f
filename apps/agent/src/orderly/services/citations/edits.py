"""Edits of a piece of an answer: what stands instead of some of its characters, and where its other parts come to stand."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence

from orderly.models import Span
from orderly.services.citations.model_numbers import find_model_numbering
from orderly.services.text import Quotation, find_stray_marks, merge_spans

Edit = tuple[int, int, str]
"""Start, end and replacement text."""


def apply_edits(
    piece: str, quotations: Sequence[Quotation], edits: Sequence[Edit], spans: Sequence[Span], numbered: bool
) -> tuple[str, list[Span]]:
    """Applies edits, which do not overlap. Outside quotations, removes stray marks and numbers written by the model.

    Args:
        piece: A part of an answer.
        quotations: Its quotations.
        edits: What is to change.
        spans: Spans of the piece that are followed.
        numbered: Whether numbers that the model wrote are removed.

    Returns:
        The text, and the places of `spans` in it.
    """
    edited = {start for start, _, _ in edits}
    kept = [q for q in quotations if q.closed or q.start in edited or q.end in edited]
    removed = find_stray_marks(piece, kept) + (find_model_numbering(piece) if numbered else [])
    taken = merge_spans([*((q.start, q.end) for q in kept), *((start, end) for start, end, _ in edits if start < end)])
    edits = sorted(
        [*edits, *((start, end, "") for start, end in _outside(_drop_overlaps(removed), taken))], key=lambda e: e[:2]
    )
    out, at = [], 0
    moves: list[tuple[int, int]] = [(0, 0)]
    """Ends of edits in the piece, each with how far the text behind it moves."""
    for start, end, new in edits:
        out += [piece[at:start], new]
        at = end
        moves.append((end, moves[-1][1] + len(new) - (end - start)))
    ends = [end for end, _ in moves]

    def moved(offset: int, *, is_end: bool) -> int:
        n = bisect_right(ends, offset) - 1
        inside = next((e for e in edits if e[0] < offset < e[1] or (e[0] <= offset < e[1] and not is_end)), None)
        if inside is not None:
            before = moves[bisect_right(ends, inside[0]) - 1][1] if inside[0] else 0
            return inside[0] + before + (len(inside[2]) if is_end else 0)
        return offset + moves[n][1]

    return "".join([*out, piece[at:]]), [(moved(a, is_end=False), moved(b, is_end=True)) for a, b in spans]


def _outside(spans: Sequence[Span], taken: Sequence[Span]) -> Iterator[Span]:
    """Yields the spans that touch none of `taken`. Both are in order and free of overlaps."""
    n = 0
    for start, end in spans:
        while n < len(taken) and taken[n][1] <= start:
            n += 1
        if n == len(taken) or end <= taken[n][0]:
            yield start, end


def _drop_overlaps(spans: Sequence[Span]) -> list[Span]:
    """Keeps the first of overlapping spans, and of equal starts the longest."""
    apart: list[Span] = []
    for span in sorted(spans, key=lambda s: (s[0], -s[1])):
        if not apart or span[0] >= apart[-1][1]:
            apart.append(span)
    return apart
