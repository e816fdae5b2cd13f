"""How a court disposed of a case."""

from __future__ import annotations

import pytest

from orderly.services.engines.local import asks_outcome
from orderly.services.questions.chronology import disposing_sentences

REASONS = "1 The builder asks for payment. 2 The owner says that the claim is out of time. "
FIRST = "3 In these circumstances I would dismiss the application."
SECOND = "4 There will be an order that the builder pay the costs."


@pytest.mark.parametrize(
    ("question", "asks"),
    [
        ("Who won?", True),
        ("What did the court decide in the builder's case?", True),
        ("Was the appeal allowed?", True),
        ("Did the builder win?", True),
        ("What was the outcome of the application?", True),
        ("What penalty applies to late payment?", False),
        ("What happens when the agreement ends?", False),
    ],
)
def test_a_question_about_the_outcome_is_told_from_others(question: str, asks: bool) -> None:
    assert asks_outcome(question) == asks


def test_the_sentences_that_dispose_of_a_case_are_its_orders_or_its_last() -> None:
    text = f"{REASONS}{FIRST} {SECOND}"
    assert [text[slice(*span)] for span in disposing_sentences(text)] == [FIRST, SECOND]
    ordered = f"THE COURT ORDERS THAT: the application be dismissed.\n\n{text}"
    assert ordered[slice(*disposing_sentences(ordered)[0])].startswith("THE COURT ORDERS THAT")
    assert disposing_sentences("The tenant pays rent. The landlord insures the building.") == []


def test_the_penalties_come_before_other_orders_where_they_are_asked_for() -> None:
    text = (
        "I propose to impose a penalty of $300. An appropriate penalty is $900. There will be an order for costs. Made today."
    )
    shown = [text[slice(*span)] for span in disposing_sentences(text, "What penalties did the judge impose?")]
    assert shown == ["I propose to impose a penalty of $300.", "An appropriate penalty is $900."]


def test_what_a_party_asks_for_or_another_court_did_disposes_of_nothing() -> None:
    asked = "1 The owner submits that the claim should be dismissed. 2 The primary judge held that the appeal must be refused."
    assert disposing_sentences(f"{asked} {FIRST}") == [(len(asked) + 1, len(asked) + 1 + len(FIRST))]
