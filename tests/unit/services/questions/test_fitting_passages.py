"""Passages that can answer a question: with an event, with a figure."""

from __future__ import annotations

from dataclasses import replace

import pytest

from orderly.services.documents import ExtractionResult
from orderly.services.questions.fitting_passages import fitting
from unit.services.questions.test_labelled_values import view

DAY = "The Borrower shall repay the sum on 9 October."
LATE = "If the Borrower pays late, the Lender may demand the whole sum."
RATE = "Late sums carry interest at 9 per cent."


def extracted(*texts: str, answers: int = 1) -> ExtractionResult:
    stored = view("\n\n".join(texts))
    places = [
        stored.passage(at := stored.text.index(text), at + len(text), score=0.8 - 0.3 * n) for n, text in enumerate(texts)
    ]
    return ExtractionResult(
        "Loan.txt", "ready", "", "?", tuple(places[:answers]), 0.8, None, tuple(places[answers:]), places[0], stored, "engine"
    )


@pytest.mark.parametrize("question", ["What happens if a repayment is missed?", "What are the consequences of late payment?"])
def test_what_follows_from_an_event_is_not_said_by_a_day(question: str) -> None:
    held = fitting(extracted(DAY, LATE), question)
    assert held.answers == () and held.nearest is not None
    assert (held.nearest.text, held.confidence) == (LATE, held.nearest.score)
    assert (alone := fitting(extracted(DAY), question)).answers == () and alone.confidence == 0.0
    assert [p.text for p in fitting(extracted(DAY, LATE, answers=2), question).answers] == [LATE]


def test_a_figure_that_is_asked_for_is_preferred_and_no_passage_is_lost_for_want_of_one() -> None:
    held = fitting(extracted(LATE, RATE), "What is the interest rate?")
    assert held.answers == () and held.nearest is not None and held.nearest.text == RATE
    same = extracted(LATE, DAY)
    assert fitting(same, "What is the interest rate?") == same
    assert fitting(same, "When must the Borrower repay?") == replace(same)


def test_a_bare_date_says_nothing_of_what_somebody_has_to_do() -> None:
    held = fitting(extracted("5 August 2024", DAY), "What has the Borrower to do at the end?")
    assert held.nearest is not None and held.nearest.text == DAY
    same = extracted("5 August 2024", DAY)
    assert fitting(same, "When does the loan end?") == same
