"""Edits of a piece of an answer: what stands instead of some of its characters."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from orderly.models import Span
from orderly.services.citations.model_numbers import find_model_numbering
from orderly.services.text import Quotation, find_stray_marks, merge_spans

Edit = tuple[int, int, str]
"""Start, end and replacement text."""


def apply_edits(piece: str, quotations: Sequence[Quotation], edits: Sequence[Edit], numbered: bool) -> str:
    """Applies edits, which do not overlap. Outside quotations, removes stray marks and numbers written by the model."""
    edited = {start for start, _, _ in edits}
    kept = [q for q in quotations if q.closed or q.start in edited or q.end in edited]
    removed = find_stray_marks(piece, kept) + (find_model_numbering(piece) if numbered else [])
    taken = merge_spans([*((q.start, q.end) for q in kept), *((start, end) for start, end, _ in edits if start < end)])
    edits = [*edits, *((start, end, "") for start, end in _outside(_drop_overlaps(removed), taken))]
    out, at = [], 0
    for start, end, new in sorted(edits, key=lambda edit: edit[:2]):
        out += [piece[at:start], new]
        at = end
    return "".join([*out, piece[at:]])


def without(piece: str, spans: Sequence[Span], instead: str = " ") -> str:
    """The piece with `instead` in place of each span."""
    kept, at = [], 0
    for start, end in merge_spans(spans):
        kept.append(piece[at:start])
        at = end
    return instead.join([*kept, piece[at:]])


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
