"""What a sentence says of the parties and of numbers, against the words that it quotes."""

from __future__ import annotations

import pytest

from orderly.services.claims import Evidence, find_unsupported

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
