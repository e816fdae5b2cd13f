"""Merges classified passages into one finding per clause."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby

from orderly.services.engines import Classified
from orderly.services.engines.isaacus.replies import Passage

SUPPORTED = 0.5
"""Isaacus: a higher score means that the text supports the statement."""


def merge_passages(label: str, passages: Iterable[Passage], sections: Sequence[tuple[int, int, str]]) -> list[Classified]:
    """Supported passages in text order. Adjacent passages of one section become one finding with the best score."""
    numbered = [(position, p) for position, p in enumerate(passages)]
    supported = [(position, p) for position, p in numbered if p.score > SUPPORTED]
    # Position minus rank is constant within a run of adjacent supported passages.
    runs = groupby(
        enumerate(supported),
        key=lambda ranked: (ranked[1][0] - ranked[0], _section_of(ranked[1][1], sections, unknown=ranked[1][0])),
    )
    found = []
    for _, run in runs:
        parts = [p for _, (_, p) in run]
        score = max(p.score for p in parts)
        found.append(Classified(label=label, start=parts[0].start, end=max(p.end for p in parts), score=score))
    return found


def _section_of(passage: Passage, sections: Sequence[tuple[int, int, str]], *, unknown: int) -> tuple[int, int]:
    """The innermost section with the largest overlap. (-1, `unknown`) if no section overlaps the passage."""
    overlaps = [(min(end, passage.end) - max(start, passage.start), start - end, start, end) for start, end, _ in sections]
    best = max(overlaps, default=(0, 0, 0, 0))
    return (best[2], best[3]) if best[0] > 0 else (-1, unknown)
