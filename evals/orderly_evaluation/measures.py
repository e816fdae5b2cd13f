"""Metrics shared by several tasks."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from orderly.models import Span


def overlap(one: Span, other: Span) -> int:
    return max(0, min(one[1], other[1]) - max(one[0], other[0]))


def mean(values: Iterable[float]) -> float | None:
    """Rounded to four decimal places; None for no values."""
    known = list(values)
    return round(sum(known) / len(known), 4) if known else None


def token_f1(one: str, other: str) -> float:
    """Word-level F1 as in SQuAD, but with articles."""
    left, right = (Counter(re.findall(r"\w+", text.lower())) for text in (one, other))
    same = sum((left & right).values())
    return 2 * same / (left.total() + right.total()) if same else 0.0


def auroc(positive: Sequence[float], negative: Sequence[float]) -> float | None:
    """Probability that a positive scores above a negative, ties counting half (Mann-Whitney U)."""
    if not positive or not negative:
        return None
    ranked = sorted([(score, True) for score in positive] + [(score, False) for score in negative])
    ranks, start = 0.0, 0
    while start < len(ranked):
        end = start
        while end < len(ranked) and ranked[end][0] == ranked[start][0]:
            end += 1
        ranks += sum(is_positive for _, is_positive in ranked[start:end]) * (start + end + 1) / 2
        start = end
    return round((ranks - len(positive) * (len(positive) + 1) / 2) / (len(positive) * len(negative)), 4)
