"""Where rules read no value of a subject, a passage answers only if it can state one."""

from __future__ import annotations

import pytest

from orderly.services.questions.subject_passages import stating
from unit.services.questions.test_fitting_passages import extracted

NOTICE = "A notice to leave gives the tenant 14 days where rent is not paid."
TERM = "The tenancies have a term of 12 months."
MEANING = "“Laws” means all laws and rules that apply to or govern a party."
LAW = "This deed is governed by the law of the place where the land is."


@pytest.mark.parametrize(
    ("subject", "best", "other", "shown"),
    [
        ("term and expiry", NOTICE, TERM, TERM),
        ("governing law", MEANING, LAW, LAW),
        ("term and expiry", NOTICE, MEANING, None),
        ("governing law", MEANING, NOTICE, None),
        ("payment period", NOTICE, TERM, NOTICE),
    ],
)
def test_the_passage_that_can_state_the_value_is_taken(subject: str, best: str, other: str, shown: str | None) -> None:
    held = stating(subject, extracted(best, other))
    assert (held.nearest and held.nearest.text) == shown
    assert (held.confidence > 0) == (shown is not None)


def test_a_question_for_more_than_the_subject_keeps_what_was_extracted() -> None:
    found = extracted(NOTICE, MEANING)
    assert stating("term and expiry", found, ["delet"]) == found
