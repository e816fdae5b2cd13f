"""Figures of search and extraction on documents of many kinds and formats, by kind.

Offsets differ between formats, so words are compared: a passage is a hit if it holds half of the five-word shingles of a gold
answer, or all of an answer under eight words.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from orderly_evaluation.dataset import Row
from orderly_evaluation.measures import mean

RANKED = 10
"""Results that are scored."""
LONGEST_ANSWER = 1_500
"""Characters. A longer answer is no hit."""
SHINGLE, SHORT_ANSWER = 5, 8
"""Words."""


def score(gold: Sequence[Row], rows: Sequence[Row]) -> dict[str, Any]:
    """Figures of all questions and by kind. `rows`: predictions in the order of `gold`."""
    judged = [_judge(g, row) for g, row in zip(gold, rows, strict=True)]
    kinds: dict[str, list[Row]] = defaultdict(list)
    for g, row in zip(gold, judged, strict=True):
        kinds[g["kind"]].append(row)
    return {"all": _figures(judged), "kinds": {kind: _figures(kinds[kind]) for kind in sorted(kinds)}}


def reciprocal_rank(answers: Sequence[str], results: Sequence[str]) -> float:
    return next((1 / rank for rank, text in enumerate(results[:RANKED], 1) if is_hit(text, answers)), 0.0)


def is_hit(text: str, answers: Sequence[str]) -> bool:
    folded = _fold(text)
    have = _shingles(folded)
    for answer in map(_fold, answers):
        if len(answer.split()) < SHORT_ANSWER:
            if answer and answer in folded:
                return True
        elif 2 * len((want := _shingles(answer)) & have) >= len(want):
            return True
    return False


def _judge(gold: Row, row: Row) -> Row:
    answer = row["answer"] or ""
    return {
        "answerable": gold["answerable"],
        "rank": reciprocal_rank(gold["answers"], row["search"]),
        "windows": reciprocal_rank(gold["answers"], row["windows"]),
        "bm25": reciprocal_rank(gold["answers"], row["bm25"]),
        "hit": 0 < len(answer) <= LONGEST_ANSWER and is_hit(answer, gold["answers"]),
        "shown": bool(row["shown"] and answer),
    }


def _figures(rows: Sequence[Row]) -> dict[str, Any]:
    answerable = [row for row in rows if row["answerable"]]
    return {
        "n": len(rows),
        "mrr": mean(row["rank"] for row in answerable),
        "windows_mrr": mean(row["windows"] for row in answerable),
        "bm25_mrr": mean(row["bm25"] for row in answerable),
        "hit@1": mean(row["hit"] for row in answerable),
        "precision_of_shown": mean(row["hit"] for row in rows if row["shown"]),
        "answerable_shown_right": mean(row["shown"] and row["hit"] for row in answerable),
        "impossible_answered": mean(row["shown"] for row in rows if not row["answerable"]),
    }


def _fold(text: str) -> str:
    """Lower-case words, separated by single spaces."""
    return re.sub(r"\W+", " ", unicodedata.normalize("NFKC", text).lower().replace("’", "'")).strip()


def _shingles(folded: str) -> set[tuple[str, ...]]:
    words = folded.split()
    return {tuple(words[i : i + SHINGLE]) for i in range(len(words) - SHINGLE + 1)}
