"""Figures against the reference scorer; reference.json holds its output for the same predictions."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from orderly_evaluation import clause_figures, extraction, measures, retrieval
from orderly_evaluation.baselines import changes
from orderly_evaluation.dataset import Dataset, read_rows

ROOT = Path(__file__).parents[3]
PREDICTED = ROOT / "tests/fixtures/evaluation"
DATA = Dataset(ROOT / "evals/small")


def predicted(name: str) -> list[dict[str, Any]]:
    return read_rows(PREDICTED / f"{name}.jsonl")


def clauses_found() -> dict[str, Any]:
    gold = DATA.rows("gold.jsonl")
    sizes = {row["doc"]: len(DATA.text("contracts", row["doc"])) for row in gold}
    return clause_figures.score_found(gold, DATA.rows("sections_silver.jsonl"), sizes, predicted("clauses_found"))


FIGURES: dict[str, Callable[[], dict[str, Any]]] = {
    "retrieval": lambda: retrieval.score(DATA.tests(), predicted("retrieval")),
    "extraction": lambda: extraction.score(DATA.rows("gold.jsonl"), predicted("extraction")),
    "nda_extraction": lambda: extraction.score(DATA.rows("nda_gold.jsonl"), predicted("nda_extraction")),
    "classification": lambda: clause_figures.score_labels(DATA.rows("clauses.jsonl"), predicted("classification")),
    "clauses_found": clauses_found,
}


@pytest.mark.parametrize("task", FIGURES)
def test_figures_agree_with_the_reference_scorer(task: str) -> None:
    reference = json.loads((PREDICTED / "reference.json").read_text(encoding="utf-8"))[task]
    assert FIGURES[task]() == reference


def test_ties_count_half_in_the_area_under_the_curve() -> None:
    assert measures.auroc([0.5], [0.5]) == 0.5
    assert measures.auroc([0.9, 0.5], [0.5, 0.1]) == 0.875
    assert measures.auroc([], [0.5]) is None


def test_a_lower_figure_is_a_drop_only_where_higher_is_better() -> None:
    before = {"extraction": {"n": 10, "hit@1": 0.6, "impossible_answered": 0.02}}
    after = {"extraction": {"n": 9, "hit@1": 0.5, "impossible_answered": 0.01}}
    assert {change.figure: change.dropped for change in changes(before, after)} == {
        "extraction.hit@1": True,
        "extraction.impossible_answered": False,
    }


def test_further_places_of_an_answer_are_measured_apart_from_the_first() -> None:
    places = [{"text": "a" * 40, "start": start, "end": start + 40} for start in (0, 100, 200)]
    gold = [{"doc": "d", "question": q, "answers": places} for q in ("shown", "wrong", "unsure")]
    away = {"text": "b" * 40, "start": 900, "end": 940}
    rows = [
        {"doc": "d", "question": "shown", "answer": places[0], "confidence": 0.9, "further": [places[2], away]},
        {"doc": "d", "question": "wrong", "answer": away, "confidence": 0.9, "further": []},
        {"doc": "d", "question": "unsure", "answer": places[0], "confidence": 0.1, "abstained": True, "further": []},
    ]
    figures = extraction.score_further(gold, rows)
    assert figures == {"further_shown": 2, "precision_of_further": 0.5, "places_shown": 0.6667}
