"""Sentences that repeat words with one thing altered, and whether words have the figures and names of a sentence."""

from __future__ import annotations

import pytest

from orderly.services.citations import find_unsupported
from orderly.services.support import find_altered

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


@pytest.mark.parametrize(
    ("known", "statement", "words"),
    [
        ("The rent is reviewed every five years.", "The rent is reviewed once a decade", "a decade"),
        ("The term is five years.", "The lease runs for two decades", "two decades"),
        ("The term is five years.", "The term is a century", "a century"),
        ("The rent is payable monthly.", "The rent is payable half-yearly", "half-yearly"),
        ("The rent is payable monthly.", "The rent is payable semi-annually", "semi-annually"),
        ("The rent is payable monthly.", "The rent is payable once a year", "a year"),
        ("The rent is payable monthly.", "The rent is payable twice a month", "twice a month"),
        ("The rent is payable monthly.", "The rent is payable every other month", "every other month"),
        ("The Supplier delivers six crates.", "The Supplier delivers a dozen crates", "a dozen"),
        ("The Supplier delivers six crates.", "The Supplier delivers two dozen crates", "two dozen"),
        ("The term is ten years.", "The term is a decade", None),
        ("The term is twenty years.", "The lease runs for two decades", None),
        ("The term is five years.", "The term is half a decade", None),
        ("The Supplier delivers 12 crates.", "The Supplier delivers a dozen crates", None),
        ("The Supplier delivers a dozen crates.", "The Supplier delivers 12 crates", None),
        ("The Supplier delivers six crates.", "The Supplier delivers half a dozen crates", None),
        ("The rent is payable every six months.", "The rent is payable half-yearly", None),
        ("The rent is payable half-yearly.", "The rent is payable every six months", None),
        ("The rent is payable twice a year.", "The rent is payable half-yearly", None),
        ("The rent is payable in half-yearly instalments.", "The rent is payable semi-annually", None),
        ("The rent is payable annually.", "The rent is payable once a year", None),
        ("The rent is payable every two months.", "The rent is payable every other month", None),
        ("1.7 others 1.8 claims from valuations by any person not named", "Exclusion 1.9 is of claims from valuations by any person not named", "1.9"),
        ("1.7 others 1.8 claims from valuations by any person not named", "Exclusion 1.8 is of claims from valuations by any person not named", None),
        ("The Buyer holds back 66.7% of the price.", "Two-thirds of the price is held back", None),
        ("The Buyer holds back 75% of the price.", "Half of the price is held back", "Half"),
        ("The Buyer holds back 75 per cent of the price.", "3/4 of the price is held back", None),
        ("The Buyer pays freight within thirty days.", "Zanthorpe pays freight within thirty days", "Zanthorpe"),
    ],
)  # fmt: skip
def test_figures_and_names_are_compared_in_words_of_their_own_too(known: str, statement: str, words: str | None) -> None:
    assert find_unsupported(statement, known) == words
