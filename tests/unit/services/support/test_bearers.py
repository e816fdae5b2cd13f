"""Who consents, decides and pays, and terms that exclude each other, in a sentence and in its quotation."""

from __future__ import annotations

import pytest

from orderly.services.support import Evidence, find_unsupported


@pytest.mark.parametrize(
    ("quotation", "sentence", "mark"),
    [
        ("The Lessee must obtain the written consent of the Lessor.", "The lessee's consent is needed", "lessee; quoted: Lessor"),
        ("The Lessee must obtain the written consent of the Lessor.", "The landlord's consent is needed", None),
        ("The Agent keeps copies at the Owner's option.", "The agent decides whether copies are kept", "agent; quoted: Owner"),
        ("The Agent keeps copies at the Owner's option.", "The owner decides whether copies are kept", None),
        ("Surveys are made at the Seller's expense.", "The buyer pays for surveys", "buyer; quoted: Seller"),
        ("Surveys are made at the Seller's expense.", "The vendor pays for surveys", None),
        ("The Bank is solely responsible for the audit.", "The parties arrange the audit together", "together; quoted: solely"),
        ("The Bank is solely responsible for the audit.", "The audit is not shared", None),
        ("Both deeds have the same date.", "The deeds have different dates", "different; quoted: same"),
        ("Senior debt is paid in preference to the notes.", "Senior debt ranks behind the notes", "behind; quoted: preference"),
        ("The Supplier uses reasonable efforts to deliver.", "The supplier guarantees delivery", "guarantees; quoted: reasonable efforts"),
        ("The Buyer shall insure the goods.", "The buyer can choose whether to insure the goods", "can choose; quoted: shall"),
    ],
)  # fmt: skip
def test_a_mark_says_what_the_quotation_says_instead(quotation: str, sentence: str, mark: str | None) -> None:
    assert find_unsupported(sentence, Evidence(quotation)) == mark


@pytest.mark.parametrize(
    ("quotation", "sentence"),
    [
        ("The Owner grants a nonexclusive licence of the marks.", "The licence of the marks is not exclusive"),
        (
            "A cancellation takes effect from the request and not before.",
            "Cancellation never works backwards",
        ),
        ("Rent is the only income of the estate.", "The estate has income from rent alone"),
    ],
)
def test_the_same_limit_in_another_word_is_supported(quotation: str, sentence: str) -> None:
    assert find_unsupported(sentence, Evidence(quotation)) is None
