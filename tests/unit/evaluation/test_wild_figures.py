"""Figures of documents of many kinds: words are compared, because offsets differ between formats."""

from __future__ import annotations

from typing import Any

import pytest

from orderly_evaluation import wild_figures

LONG = "The tenant must leave the premises clean and must return every key to the agent within two days"
GOLD = [
    {"kind": "lease", "answers": [LONG], "answerable": True},
    {"kind": "lease", "answers": [], "answerable": False},
    {"kind": "act", "answers": ["28 days"], "answerable": True},
]


def row(
    search: list[str], answer: str | None, *, shown: bool, windows: tuple[str, ...] = (), bm25: tuple[str, ...] = ()
) -> Any:
    return {"search": search, "answer": answer, "shown": shown, "windows": list(windows), "bm25": list(bm25)}


def test_half_of_the_five_word_shingles_of_a_long_answer_is_a_hit() -> None:
    words = LONG.split()
    assert wild_figures.is_hit(" ".join(words[:11]), [LONG])
    assert not wild_figures.is_hit(" ".join(words[:10]), [LONG])


@pytest.mark.parametrize(("text", "hit"), [("within 28\u00a0DAYS.", True), ("28 working days", False)])
def test_a_short_answer_must_stand_whole(text: str, hit: bool) -> None:
    assert wild_figures.is_hit(text, ["28 days"]) is hit


def test_figures_by_kind_beside_both_plain_searches() -> None:
    rows = [
        row(["nothing", LONG], LONG, shown=True, windows=(LONG,)),
        row(["nothing"], "nothing", shown=True),
        row(["no", "no", "in 28 days"], "28 days" + " of words" * 200, shown=False, bm25=("no", "28 days")),
    ]
    figures = wild_figures.score(GOLD, rows)
    assert figures["all"] == {
        "n": 3, "mrr": 0.4167, "windows_mrr": 0.5, "bm25_mrr": 0.25, "hit@1": 0.5, "precision_of_shown": 0.5,
        "answerable_shown_right": 0.5, "impossible_answered": 1.0,
    }  # fmt: skip
    assert figures["kinds"]["act"]["hit@1"] == 0, "an answer of more than 1,500 characters is no hit"
    assert figures["kinds"]["lease"]["mrr"] == 0.5
