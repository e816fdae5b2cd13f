"""What a sentence says of the parties and of numbers, against the words that it quotes."""

from __future__ import annotations

import pytest

from orderly.services.support import Evidence, find_unsupported
from orderly.services.support.features import read_features
from orderly.services.support.judgement import DECISIVE, stored_weights

BEFORE = (
    'This agreement is made between Blue-Harbour Foods Pty Ltd (the "Supplier") and Quarry Stone Limited (the "Buyer"). '
    "The parties agree as follows."
)
PAYS = Evidence("The Buyer shall pay all freight and insurance within thirty days.", "supply.txt", before=BEFORE)


@pytest.mark.parametrize(
    ("sentence", "wrong"),
    [
        ("Quarry pays freight and insurance", False),
        ("Quarry Stone Limited pays all freight", False),
        ("Blue-Harbour pays all freight and insurance", True),
        ("Zanthorpe pays all freight and insurance", True),
        ("Two outlays fall on the Buyer", False),
        ("The Buyer pays within two days", True),
    ],
)
def test_a_partys_name_is_its_defined_name_and_a_count_of_ones_own_is_no_figure(sentence: str, wrong: bool) -> None:
    assert (find_unsupported(sentence, PAYS) is not None) is wrong


NOTICE = Evidence("The Royalty and the Levy are due under Section 17.4(b) by written notice to the Owner.", "deed.txt")


@pytest.mark.parametrize(
    ("sentence", "wrong"),
    [
        ("The two are due by written notice", False),
        ("Both fall due under 17.4(b) by written notice", False),
        ("They fall due under 17.5(b) by written notice", True),
        ("The Royalty and the Levy are due by oral notice", True),
        ("The Royalty is due by written, not by oral notice", False),
    ],
)
def test_two_named_things_a_named_provision_and_an_oral_form(sentence: str, wrong: bool) -> None:
    assert (find_unsupported(sentence, NOTICE) is not None) is wrong


@pytest.mark.parametrize(
    ("sentence", "wrong"),
    [
        ("The fee must not exceed 40 units", False),
        ("The fee can't be more than 40 units", False),
        ("The fee is more than 40 units", True),
    ],
)
def test_a_denied_minimum_is_a_maximum(sentence: str, wrong: bool) -> None:
    assert (find_unsupported(sentence, Evidence("The fee is at most 40 units.")) is not None) is wrong


def test_every_feature_has_a_weight_or_decides_alone() -> None:
    found, weights = set(read_features("The Buyer pays.", PAYS.text, None)), stored_weights()
    assert found == {*weights, *DECISIVE} - {"bias"}
    assert all(weights.values())
