"""Chronologies are made of the sentences that state a day."""

from __future__ import annotations

import pytest

from orderly.services.questions.chronology import asks_chronology, dated_sentences

REASONS = (
    "The tenant moved out of the shop on 3 May 2019. The lease was made between the parties on 12 March 2017. "
    "Rent for the year was never paid in full. On 12 March 2017 the tenant also paid a bond to the agent. Dated 9 July 2020."
)


@pytest.mark.parametrize(
    ("question", "asks"),
    [
        ("Give me a chronology of the dispute.", True),
        ("Prepare a timeline from the affidavit", True),
        ("Set out the events in date order", True),
        ("What happened when?", True),
        ("List all the dates in the contract", True),
        ("Which judgment is the most recent?", False),
        ("On what dates is the rent payable?", False),
        ("What happened when the tenant left?", False),
    ],
)
def test_a_request_for_a_chronology_is_recognised(question: str, asks: bool) -> None:
    assert asks_chronology(question) == asks


def test_sentences_that_state_a_day_stand_in_the_order_of_the_days() -> None:
    told = [REASONS[start:end] for start, end in dated_sentences(REASONS)]
    assert told == [
        "The lease was made between the parties on 12 March 2017.",
        "On 12 March 2017 the tenant also paid a bond to the agent.",
        "The tenant moved out of the shop on 3 May 2019.",
    ]
