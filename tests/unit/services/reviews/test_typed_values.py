from __future__ import annotations

from typing import Any

import pytest

from orderly.errors import Invalid
from orderly.services.columns import Finding
from orderly.services.reviews import columns_of_sets, ready_columns
from orderly.services.reviews.typed_values import read_value, value_of_finding

OPTIONS = ("exclusive", "non-exclusive")


@pytest.mark.parametrize(
    ("answer_type", "words", "expected"),
    [
        ("date", "on or before 30 June 2026", {"text": "30 June 2026", "iso": "2026-06-30", "partial": None}),
        ("date", "in [__] March 2026", {"text": "March 2026", "iso": "2026-03", "partial": True}),
        ("duration", "thirty (30) business days", {"text": "30 business days", "iso": "P30D", "business_days": True}),
        ("duration", "ninety (60) days", {"iso": "P90D", "conflict": "words and digits differ: “ninety (60) days”"}),
        (
            "money",
            "a rent of A$12,500 per month",
            {"text": "AUD 12,500", "amount": "12500", "currency": "AUD", "partial": None},
        ),
        ("money", "$500", {"currency": None, "partial": True}),
        ("number", "not more than twenty-five (25) seats", {"text": "25", "number": 25.0}),
        ("number", "5.1 The Software may be used on 40 workstations.", {"text": "40", "number": 40.0}),
        ("jurisdiction", "the law of NSW", {"jurisdiction": "New South Wales, Australia"}),
        ("choice", "a non-exclusive licence", {"choice": "non-exclusive"}),
    ],
)
def test_a_value_is_read_from_the_words(answer_type: Any, words: str, expected: dict[str, object]) -> None:
    value = read_value(answer_type, words, OPTIONS)
    assert value is not None
    assert {key: value.get(key) for key in expected} == expected


@pytest.mark.parametrize(
    ("answer_type", "words"),
    [
        ("date", "from 1 July 2020 until 30 June 2021"),
        ("choice", "exclusive in Victoria and non-exclusive elsewhere"),
        ("date", "promptly"),
        ("money", "the Price"),
    ],
)
def test_words_that_state_no_one_value_have_none(answer_type: Any, words: str) -> None:
    assert read_value(answer_type, words, OPTIONS) is None


def test_an_agreement_without_an_end_has_no_end_date() -> None:
    value = value_of_finding("date", Finding("perpetual", ((0, 1),), 0.6), "")
    assert (value["text"], value["iso"], value["perpetual"]) == ("no end date", None, True)


def test_a_set_of_columns_is_found_by_name_and_an_unknown_one_names_all() -> None:
    assert [column["title"] for column in ready_columns("leases")][:3] == ["Parties", "Premises", "Commencement"]
    with pytest.raises(Invalid, match="due-diligence"):
        ready_columns("divorce")


def test_sets_that_share_columns_give_each_once_and_none_that_is_there() -> None:
    titles = [column["title"] for column in columns_of_sets(["supply", "due-diligence"], ["Governing law"])]
    assert len(titles) == len(set(titles))
    assert {"Parties", "Payment terms", "Change of control"} <= set(titles)
    assert "Governing law" not in titles
