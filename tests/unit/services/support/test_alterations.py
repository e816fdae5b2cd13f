"""Sentences that repeat their quotation with one thing altered."""

from __future__ import annotations

import pytest

from orderly.services.support import Evidence, find_unsupported
from orderly.services.support.alterations import find_altered

AUDIT = (
    "The Operator shall maintain full and accurate books of account for six years after expiry, and neither the Operator nor the "
    "Manager shall destroy any of them without giving the Auditor thirty (30) days' notice."
)


@pytest.mark.parametrize(
    ("sentence", "word"),
    [
        ("The Operator must maintain full and accurate books of account for six years after expiry", None),
        ("The Operator shall not maintain full and accurate books of account for six years after expiry", "not"),
        ("The Operator may maintain full and accurate books of account for six years after expiry", "may"),
        ("The Manager must maintain full and accurate books of account for six years after expiry", "Manager"),
        ("The Operator must maintain full or accurate books of account for six years after expiry", "or"),
        ("The Operator must maintain full and accurate books of account for six years before expiry", "before"),
        ("The Operator has to keep full and accurate books of account for 6 years after expiry", None),
        ("Neither the Operator nor the Manager shall destroy any of them without giving the Auditor 30 days' notice", None),
        ("Neither the Operator nor Services shall destroy any of them without giving the Auditor 30 days' notice", "Services"),
        ("Neither the Operator nor the Manager shall destroy any of them without giving the Auditor 20 days' notice", "20"),
        ("The Operator may keep full and accurate books of account for six years after expiry", "may"),
        ("Books must be kept, fully and accurately, by the Operator until six years have passed since expiry", None),
    ],
)
def test_a_sentence_nearly_in_the_quoted_words_alters_none_of_them(sentence: str, word: str | None) -> None:
    assert find_altered(sentence, AUDIT) == word


@pytest.mark.parametrize(
    ("sentence", "quotation", "word"),
    [
        ("The visitor is permitted in the vault at night.", "The visitor is not permitted in the vault at night.", "not"),
        ("The visitor is permitted in the vault by day only.", "The visitor is not permitted in the vault except by day.", None),
        ("The stock is at least the equivalent of ten days.", "The stock is not less than the equivalent of ten days.", None),
        ("LICENSEE may not end the deed on 90 days of notice.", "LICENSEE may terminate this deed on 90 days of notice.", "not"),
        ("The fee falls due prior to the first delivery of goods.", "The fee falls due following the first delivery of goods.", "before"),
        ("The later of the two dates decides on the delivery.", "The earlier of the two dates decides on the delivery.", "later"),
        ("The price is binding, nor shall it be read as an offer to sell.", "The price is not binding, nor shall it be read as an offer to sell.", "not"),
        ("The visitors are not, either of them, permitted in the vault.", "Neither of the visitors is permitted in the vault.", None),
    ],
)  # fmt: skip
def test_a_negation_that_one_has_alone_alters_it(sentence: str, quotation: str, word: str | None) -> None:
    assert find_altered(sentence, quotation) == word


SALE = 'This deed binds you ("us, the Vendor"). 2. You agree: 2.2 that '


@pytest.mark.parametrize(
    ("sentence", "quotation", "before", "wrong"),
    [
        ("The Vendor may assign its rights in part", "our rights may be assigned in part", SALE, False),
        ("Exclusion 1.8 is of claims from valuations by any person not named", "claims from valuations by any person not named", "1.7 others 1.8 ", False),
        ("Exclusion 1.9 is of claims from valuations by any person not named", "claims from valuations by any person not named", "1.7 others 1.8 ", True),
        ("Sub-cl 4(4) allows a first period of 12 months", "a first period of 12 months", "", False),
        ("Prima facie, a first period of 12 months is allowed", "a first period of 12 months is allowed", "", False),
        ("Exclusion 7.2 is of claims from valuations", "claims from valuations", "7.2 ", False),
    ],
)  # fmt: skip
def test_names_and_numbers_of_the_place_of_a_quotation_are_known(
    sentence: str, quotation: str, before: str, wrong: bool
) -> None:
    assert (find_unsupported(sentence, Evidence(quotation, "deed.txt", before=before)) is not None) is wrong


BEFORE = "THIS DEED binds Zanthor. 3. The Curator will: (a) keep the register; and (b) "


@pytest.mark.parametrize(
    ("sentence", "wrong"),
    [
        ("The Curator must inform Zanthor of any loss", False),
        ("The Curator promises", False),
    ],
)
def test_a_part_of_a_sentence_is_what_the_whole_sentence_says_of_its_subject(sentence: str, wrong: bool) -> None:
    part = Evidence("inform Zanthor of any loss", "deed.txt", before=BEFORE, after=". Then follows more.")
    assert (find_unsupported(sentence, part) is not None) is wrong
