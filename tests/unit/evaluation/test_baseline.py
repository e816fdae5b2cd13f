"""The baseline of `make eval` keeps to limits that do not move with it: one that is set to worse figures fails here."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from orderly_evaluation.baselines import changes, figures

BASELINE = json.loads((Path(__file__).parents[3] / "evals/baselines/small.json").read_text())

LIMITS = {
    "retrieval.matter.mrr": 0.97,
    "retrieval.matter.recall@4000": 0.99,
    "extraction.hit@1": 0.90,
    "extraction.auroc_answerable": 0.96,
    "extraction.precision_of_shown": 0.93,
    "extraction.answerable_shown_right": 0.70,
    "extraction.impossible_answered": 0.01,
    "nda_extraction.hit@1": 0.80,
    "nda_extraction.precision_of_shown": 0.83,
    "nda_extraction.impossible_answered": 0.0,
    "classification.expert.macro_f1": 0.98,
    "clauses_found.macro_span_recall": 0.98,
    "clauses_found.share_of_text_returned": 0.34,
    "wild.all.mrr": 0.95,
    "wild.all.hit@1": 0.95,
    "wild.all.impossible_answered": 0.0,
    "sections.printed_right": 0.97,
    "sections.printed_wrong": 0.03,
}


def test_the_baseline_is_within_its_limits() -> None:
    held = dict(figures(BASELINE))
    assert [change for change in changes(LIMITS, {name: held[name] for name in LIMITS}) if change.dropped] == []


@pytest.mark.parametrize("figure", LIMITS)
def test_a_worse_figure_than_the_baselines_is_a_decline(figure: str) -> None:
    """In the direction of each figure."""
    held = dict(figures(BASELINE))[figure]
    for worse in (held - 0.02, held + 0.02):
        [change] = changes({"a": {figure.rsplit(".", 1)[-1]: held}}, {"a": {figure.rsplit(".", 1)[-1]: worse}})
        less = figure.endswith(("impossible_answered", "share_of_text_returned", "printed_wrong"))
        assert change.dropped is (worse > held if less else worse < held)
