from __future__ import annotations

import pytest

from orderly_evaluation.review import same_value, score


def cell(column: str, kind: str, value: object, doc: str = "a") -> dict[str, object]:
    return {"doc": doc, "column": column, "kind": kind, "value": value}


def said(column: str, state: str, value: object, doc: str = "a") -> dict[str, object]:
    return {"doc": doc, "column": column, "state": state, "value": value, "citation": {"start": 0, "end": 1}}


def test_a_candidate_fills_no_cell_and_a_value_where_there_is_none_is_wrongly_filled() -> None:
    gold = [cell("d", "date", "2019-03"), cell("e", "date", "2020-01-01"), cell("f", "date", None)]
    rows = [said("d", "found", "2019-03-05"), said("e", "candidate", "2020-01-01"), said("f", "found", "2001")]
    assert score(gold, rows)["date"] == {"right": 0.5, "wrongly_filled": 1.0}


def test_f1_of_yes_is_averaged_over_columns_with_two_yes() -> None:
    gold = [cell("x", "yes_no", yes, doc) for doc, yes in (("a", True), ("b", True), ("c", False))]
    gold += [cell("rare", "yes_no", doc == "a", doc) for doc in "abc"]
    rows = [said("x", "found", True, "a"), said("x", "not_found", None, "b"), said("x", "found", True, "c")]
    rows += [said("rare", "not_found", None, doc) for doc in "abc"]
    figures = score(gold, rows)["yes_no"]
    assert (figures["macro_f1"], figures["wrongly_filled"]) == (0.5, 0.3333)


@pytest.mark.parametrize(
    ("kind", "gold", "got", "same"),
    [
        ("duration", "P1Y", "P12M", True),
        ("duration", "P2W", "P14D", True),
        ("duration", "P1M", "P30D", False),
        ("jurisdiction", "Victoria, Australia", "State of Victoria", True),
        ("jurisdiction", "California; Hong Kong", "Hong Kong", True),
        ("jurisdiction", "New York", "York", False),
        ("date", "perpetual", "perpetual", True),
        ("date", "2019-03-05", "2019-03", False),
    ],
)
def test_values_are_compared_by_what_they_mean(kind: str, gold: str, got: str, same: bool) -> None:
    assert same_value(kind, gold, got) is same
