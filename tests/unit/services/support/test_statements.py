"""Which sentences of an answer state something about a document."""

from __future__ import annotations

import pytest

from orderly.services.support import is_statement

LONG = "Under clause 14.2 of the lease between the owner and others, "


@pytest.mark.parametrize(
    ("sentence", "states"),
    [
        ("Pursuant to clause 14.2(a), section 3 and schedule B of that lease it provides that:", False),
        ("But according to the (amended) clause 14.2, page 3 and article IV, which reads as follows:", False),
        (LONG + "the tenant must pay rent in advance:", True),
    ],
)
def test_words_that_only_introduce_a_quotation_state_nothing(sentence: str, states: bool) -> None:
    assert is_statement(sentence) is states


@pytest.mark.parametrize("words", ["a" * 5_000, "clause " * 3_000, "(" * 8_000, "a(" * 4_000, "the, " * 3_000])
def test_a_long_sentence_before_a_colon_is_read_in_one_pass(words: str) -> None:
    assert is_statement(f"{words}“ must be paid in full on the first day of each month in advance:")


@pytest.mark.parametrize(
    ("sentence", "states"),
    [
        ("Nothing is payable by the tenant on assignment:", True),
        ("The question of cost must be settled by the landlord:", True),
        ("I read what the tenant must pay:", False),
        ("See what the tenant must pay:", False),
        ("The search shows nothing else:", False),
    ],
)
def test_a_duty_of_a_party_beside_its_quotation_is_no_talk_about_the_work(sentence: str, states: bool) -> None:
    assert is_statement(sentence, is_quoting=True) is states
