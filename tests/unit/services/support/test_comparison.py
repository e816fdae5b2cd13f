"""What a sentence says of the parties and of numbers, against the words that it quotes."""

from __future__ import annotations

import pytest

from orderly.services.support import Evidence, find_unsupported

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
    ],
)
def test_two_named_things_and_a_named_provision(sentence: str, wrong: bool) -> None:
    assert (find_unsupported(sentence, NOTICE) is not None) is wrong


LEASE = (
    "BETWEEN Banksia Holdings Pty Ltd (ACN 004 321 987) (Landlord) and Priya Nair (Tenant)\n\n"
    "The term is five years commencing on 1 July 2023.\n"
)


@pytest.mark.parametrize(
    ("sentence", "quotation", "wrong"),
    [
        ("Two-thirds of the price is held back", "The Buyer holds back 66.7% of the price.", None),
        ("Seven and a half per cent of the price is held back", "The Buyer holds back 7.5% of the price.", None),
        ("Half of the price is held back", "The Buyer holds back 75% of the price.", "Half"),
        ("One-quarter of the price is held back", "The Buyer holds back 75 per cent of the price.", "One-quarter"),
        ("3/4 of the price is held back", "The Buyer holds back 75 per cent of the price.", None),
        ("Accounts are given for the third quarter of the year", "Accounts are given for the third quarter.", None),
        ("Non-delivery lets the buyer cancel", "The Buyer may cancel if the goods are not delivered.", None),
        ("The rent is $960 a month", "Rent of $960 per annum is payable by monthly instalments.", "a month"),
        ("New South Wales law governs the lease", "This lease is governed by the laws of Victoria.", "New South Wales"),
        ("Victorian law governs the lease", "This lease is governed by the laws of Victoria.", None),
        ("The five-year term ends on 30 June 2028", "The term is five years commencing on 1 July 2023.", None),
        ("The five-year term ends on 31 May 2028", "The term is five years commencing on 1 July 2023.", "31 May 2028"),
        ("There is one three-year option", "The tenant may renew for one further term of three years.", None),
        ("There are two options of three years", "The tenant may renew for one further term of three years.", "two"),
        ("In the '90s it was rarer; assignment needs consent", "Assignment needs the landlord's consent.", None),
        ("Wages are paid every two weeks", "The company pays wages in fortnightly instalments.", None),
        ("Ms Nair must paint the shop", "The Tenant must paint the shop.", None),
        ("Ms Wong must paint the shop", "The Tenant must paint the shop.", "Wong"),
    ],
)
def test_laws_rates_and_ends_of_periods(sentence: str, quotation: str, wrong: str | None) -> None:
    assert find_unsupported(sentence, Evidence(quotation, before=LEASE)) == wrong


@pytest.mark.parametrize(
    ("sentence", "quoted", "wrong"),
    [
        ("The Hirer must give three weeks' notice", "The Hirer may leave by giving three weeks' notice.", False),
        ("Training lasts half a year", "The first six months are a training period.", False),
        ("The wall is repaired but not wear and tear", "The wall is repaired by the Owner, wear and tear excepted.", False),
        ("You may sublet, but you need the Owner's consent", "The Hirer must not sublet without the Owner's consent.", False),
        ("Sharing is never allowed", "The Agent must not share the list except with the Owner's consent.", False),
        ("Prices are adjusted every year", "Prices are adjusted on each anniversary of the date of this deed.", False),
    ],
)
def test_rules_leave_free_wording_alone(sentence: str, quoted: str, wrong: bool) -> None:
    assert (find_unsupported(sentence, Evidence(quoted)) is not None) is wrong
