"""Figures of answers: what counts as right, likely and absent; the cost of tokens."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from orderly.agent.run import Usage
from orderly.errors import Invalid
from orderly_evaluation import ask
from orderly_evaluation.answer_figures import score


def place(doc: str, start: int, end: int) -> dict[str, Any]:
    return {"doc": doc, "start": start, "end": end}


def figures(kind: str, expect: dict[str, list[list[int]]], cited: list[Any] = [], likely: list[Any] = []) -> Any:  # noqa: B006
    rows = [{"id": "x", "kind": kind, "turns": [{"question": "?", "expect": expect}]}]
    shown = {"id": "x", "turn": 0, "cited": cited, "likely": likely, "requests": 2, "tokens_in": 100, "tokens_cached": 80}
    return score(rows, [shown])


GOLD = {"lease": [[100, 200]]}


@pytest.mark.parametrize(
    ("cited", "likely", "right", "right_or_likely", "false_absence"),
    [
        ([place("lease", 150, 400)], [], 1, 1, 0),
        ([place("lease", 151, 400)], [], 0, 0, 0),
        ([place("lease", 100, 200), place("deed", 1, 9)], [], 0, 0, 0),
        ([], [place("lease", 90, 150)], 0, 1, 0),
        ([], [], 0, 0, 1),
    ],
)
def test_one_document(cited: Any, likely: Any, right: float, right_or_likely: float, false_absence: float) -> None:
    assert figures("single", GOLD, cited, likely)["single"] == {
        "right": right, "right_or_likely": right_or_likely, "false_absence": false_absence
    }  # fmt: skip


def test_absent_is_right_if_nothing_is_shown_as_the_answer() -> None:
    assert figures("absent", {}, [], [place("lease", 1, 9)])["absent"] == {"right": 1}
    assert figures("absent", {}, [place("lease", 1, 9)])["absent"] == {"right": 0}


def test_across_counts_documents_and_right_places() -> None:
    found = figures("across", {**GOLD, "deed": [[1, 9]]}, [place("lease", 300, 400), place("nda", 1, 9)])
    assert found["across"] == {"f1": 0.5, "precision": 0.5, "recall": 0.5, "span_recall": 0.0}
    assert found["cost"]["cached_share"] == 0.8


def test_money_by_a_file_of_prices(tmp_path: Path) -> None:
    file = tmp_path / "prices.toml"
    file.write_text('["m-1"]\ninput = 2.0\ncached = 0.5\noutput = 10\n', encoding="utf-8")
    used = Usage(requests=1, input_tokens=1_000_000, cached_tokens=400_000, output_tokens=100_000)
    assert ask.money(used, ask.read_prices(file, "m-1")) == pytest.approx(0.6 * 2 + 0.4 * 0.5 + 0.1 * 10)
    assert ask.money(used, {}) is None
    with pytest.raises(Invalid, match="m-2"):
        ask.read_prices(file, "m-2")
