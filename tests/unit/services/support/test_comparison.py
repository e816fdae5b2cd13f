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


LEASE = (
    "BETWEEN Banksia Holdings Pty Ltd (ACN 004 321 987) (Landlord) and Priya Nair (Tenant)\n\n"
    "The term is five years commencing on 1 July 2023.\n"
)


@pytest.mark.parametrize(
    ("sentence", "quotation", "wrong"),
    [
        ("Rent is due in arrears", "The rent is payable monthly in advance.", "in arrears"),
        ("Two-thirds of the price is held back", "The Buyer holds back 66.7% of the price.", None),
        ("Seven and a half per cent of the price is held back", "The Buyer holds back 7.5% of the price.", None),
        ("Half of the price is held back", "The Buyer holds back 75% of the price.", "Half"),
        ("One-quarter of the price is held back", "The Buyer holds back 75 per cent of the price.", "One-quarter"),
        ("3/4 of the price is held back", "The Buyer holds back 75 per cent of the price.", None),
        ("Accounts are given for the third quarter of the year", "Accounts are given for the third quarter.", None),
        ("Non-delivery lets the buyer cancel", "The Buyer may cancel if the goods are not delivered.", None),
        ("The rent of $960 includes GST", "Rent of $960 per annum plus GST is payable.", "includes GST"),
        ("The annual rent is $960, exclusive of GST", "Rent of $960 per annum plus GST is payable.", None),
        ("The rent is $960 a month", "Rent of $960 per annum is payable by monthly instalments.", "a month"),
        ("The licence renews automatically", "The licensee may renew the licence by giving written notice.", "automatically"),
        ("Termination needs no notice", "A party may terminate by one week's written notice.", "no notice"),
        (
            "Only the Landlord may end it",
            "Either party may end the lease if the building is destroyed.",
            "Only",
        ),
        ("The leave is unpaid", "The employee has twenty days of paid leave.", "unpaid"),
        ("The licence is exclusive", "The licensor grants a non-exclusive licence of the software.", "exclusive"),
        ("New South Wales law governs the lease", "This lease is governed by the laws of Victoria.", "New South Wales"),
        ("Victorian law governs the lease", "This lease is governed by the laws of Victoria.", None),
        ("The lease is silent on its governing law", "This lease is governed by the laws of Victoria.", "is silent on"),
        ("The five-year term ends on 30 June 2028", "The term is five years commencing on 1 July 2023.", None),
        ("The five-year term ends on 31 May 2028", "The term is five years commencing on 1 July 2023.", "31 May 2028"),
        ("There is one three-year option", "The tenant may renew for one further term of three years.", None),
        ("There are two options of three years", "The tenant may renew for one further term of three years.", "two"),
        ("In the '90s it was rarer; assignment needs consent", "Assignment needs the landlord's consent.", None),
        ("Wages are paid every two weeks", "The company pays wages in fortnightly instalments.", None),
        ("Ms Nair must paint the shop", "The Tenant must paint the shop.", None),
        ("Ms Wong must paint the shop", "The Tenant must paint the shop.", "Wong"),
        ("The shop may be used for any purpose", "The tenant may use the shop only for selling books.", "for any purpose"),
    ],
)
def test_terms_that_exclude_each_other_laws_rates_and_ends_of_periods(sentence: str, quotation: str, wrong: str | None) -> None:
    assert find_unsupported(sentence, Evidence(quotation, before=LEASE)) == wrong


@pytest.mark.parametrize(
    ("sentence", "quoted", "wrong"),
    [
        ("Cover of no more than $5 million is needed", "The Hirer must hold cover of at least $5,000,000.", True),
        ("Cover of at least $5 million is needed", "The Hirer must hold cover of at least $5,000,000.", False),
        ("Unused credits are paid out", "Unused credits are not paid out when the plan ends.", True),
        ("The bonus has to be increased each year", "The bonus is reviewed yearly but need not be increased.", True),
        ("The bonus may be increased", "The Firm may review the bonus but is not obliged to increase it.", False),
        ("Upkeep of the pool is the Hirer's responsibility", "The Owner must maintain the pool.", True),
        ("Upkeep of the pool falls to the Owner", "The Owner must maintain the pool.", False),
        ("Drawings remain the Contractor's", "All drawings belong to the Principal.", True),
        ("Drawings belong to the Principal", "All drawings vest in the Principal on creation.", False),
        ("Sharing is never allowed", "The Agent must not share the list except with the Owner's consent.", True),
        ("Any breach lets the Owner end it", "The Owner may end it for a serious breach.", True),
        ("Every member may vote", "A member who has paid the levy may vote.", True),
        ("Every member may vote", "Every member may vote.", False),
        ("The bond is due after the hire begins", "The Hirer must pay the bond before the Commencement Date.", True),
        ("Instalments fall due at the end of each month", "Instalments fall due on the first day of each month.", True),
        ("Consent is at the Owner's discretion", "The Owner must not unreasonably withhold its consent.", True),
        ("The policy covers flood", "The policy covers all damage, except for flood or war.", True),
        ("The Hirer must give three weeks' notice", "The Hirer may leave by giving three weeks' notice.", False),
        ("Training lasts half a year", "The first six months are a training period.", False),
        ("The wall is repaired but not wear and tear", "The wall is repaired by the Owner, wear and tear excepted.", False),
        ("You may sublet, but you need the Owner's consent", "The Hirer must not sublet without the Owner's consent.", False),
        ("Prices are adjusted every year", "Prices are adjusted on each anniversary of the date of this deed.", False),
    ],
)
def test_a_statement_in_other_words_says_what_its_quotation_says(sentence: str, quoted: str, wrong: bool) -> None:
    assert (find_unsupported(sentence, Evidence(quoted)) is not None) is wrong
