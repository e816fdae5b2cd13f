from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from orderly_evaluation.dataset import Dataset, read_rows
from orderly_evaluation.sections import GOLD, REPOSITORY_GOLD, gold_rows, outcome, score

SMALL = Path(__file__).parents[3] / "evals/small"


def row(label: str | None, title: str | None = None, also: list[str | None] | None = None) -> dict[str, Any]:
    return {"label": label, "title": title, "also": also or []}


@pytest.mark.parametrize(
    ("gold", "label", "title", "expected"),
    [
        (row("10.2", "Term"), "10.2", "Term", "right"),
        (row("10.2", "Term"), "10.2", "Fees", "wrong_title"),
        (row("10.2(a)"), "10.2", "Term", "broader"),
        (row("10.2"), "10.2(a)", None, "wrong"),
        (row("10.2"), "10.3", None, "wrong"),
        (row("10.2"), None, None, "unlabelled"),
        (row(None), None, None, "unsure_right"),
        (row(None), "10.2", None, "overlabelled"),
        (row(None, "RECITALS"), None, "Recitals", "right"),
        (row(None), None, "CONFIDENTIAL TREATMENT REQUESTED", "overlabelled"),
        (row("4.0", also=["21.1(c)"]), "21.1(c)", None, "right"),
        (row("ARTICLE IV", "FEES"), "ARTICLE IV", "FEES", "right"),
        (row("Schedule 1, item 3"), "SCHEDULE 1, Section 3", None, "right"),
        (row("ARTICLE X(a)"), "ARTICLE IX(a)", None, "wrong"),
        (row("1.3", "*"), "1.3", "Documentation", "right"),
    ],
)
def test_a_printed_label_is_judged(gold: dict[str, Any], label: str | None, title: str | None, expected: str) -> None:
    assert outcome(gold, label, title) == expected


def test_shares_count_printed_labels_and_unsure_places_apart() -> None:
    outcomes = ["right", "right", "broader", "wrong", "unlabelled", "unsure_right", "overlabelled"]
    figures = score([{"outcome": one} for one in outcomes])
    assert (figures["printed_right"], figures["printed_exact"]) == (0.6, 0.4)
    assert (figures["labels_found"], figures["unsure_right"]) == (0.6, 0.5)


def test_the_gold_holds_five_passages_of_each_of_60_contracts() -> None:
    rows = read_rows(REPOSITORY_GOLD / GOLD[0])
    documents = {row["doc"] for row in rows}
    assert (len(rows), len(documents)) == (300, 60)
    assert all(sum(row["doc"] == one for row in rows) == 5 for one in documents)


def test_the_task_takes_the_contracts_that_the_folder_holds() -> None:
    data = Dataset(SMALL)
    rows = [row for row in gold_rows(data) if "set" not in row]
    assert len(rows) == 5 * len(data.sources("contracts"))
    assert all(row["end"] <= len(data.text("contracts", row["doc"])) for row in rows)


def test_rows_of_the_later_sets_name_their_files_and_the_words_that_they_label() -> None:
    rows = read_rows(REPOSITORY_GOLD / GOLD[1])
    assert {row["set"] for row in rows} == {2, 3}
    assert all("/" in row["doc"] and row["words"] and ("label" in row) for row in rows)
    assert not {row["doc"] for row in rows if row["set"] == 2} & {row["doc"] for row in rows if row["set"] == 3}


def test_no_document_of_the_last_sets_is_in_two_of_them() -> None:
    rows = read_rows(REPOSITORY_GOLD / GOLD[3])
    sets = {number: {row["doc"] for row in rows if row["set"] == number} for number in range(12, 19)}
    assert sum(len(documents) for documents in sets.values()) == len(set().union(*sets.values()))
