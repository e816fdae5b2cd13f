"""What a sentence says of the parties and of numbers, against the words that it quotes."""

from __future__ import annotations

import pytest

from orderly.services.support import Evidence, find_illustration, find_unsupported

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


@pytest.mark.parametrize(
    ("sentence", "quoted", "wrong"),
    [
        ("Three votes in every four are needed", "The rule is passed by 75 per cent of the votes.", None),
        ("Two votes in every four are needed", "The rule is passed by 75 per cent of the votes.", "Two votes in every four"),
        ("Nine out of ten holders agree", "The holders of 90% agree.", None),
        ("Two-thirds of the holders agree", "The holders of 66.67% agree.", None),
        ("Less than half of the price is held back", "The Buyer holds back 45% of the price.", None),
        ("Less than half of the price is held back", "The Buyer holds back 55% of the price.", "half"),
        ("Just under a third of the price is held back", "The Buyer holds back three tenths of the price.", None),
        ("Late sums cost four percentage points more", "The rate is 9.45%, and 13.45% on late sums.", None),
        ("Late sums cost five percentage points more", "The rate is 9.45%, and 13.45% on late sums.", "five percentage points"),
        ("The price is paid over a year and a half", "The price is paid in six equal quarterly instalments.", None),
        ("The price is paid over a year and a half", "The price is paid over 18 months.", None),
        ("The price is paid over two years and a half", "The price is paid over 18 months.", "two years and a half"),
        ("There were two days of argument", "Heard: 3 and 4 May 2021.", None),
        ("There were three days of argument", "Heard: 3 and 4 May 2021.", "three days"),
        ("It began four weeks after assent", "It commences on the twenty-eighth day after assent.", None),
        ("The gap is well over a year", "The gap between the sentences is sixteen months.", None),
        ("The gap is well over a year", "The gap between the sentences is six months.", "a year"),
        ("A successor is found within about four months", "A successor is found within 120 days.", None),
        ("The text was made some forty years after the Act", "The Act of 1960 was printed on 15 November 2000.", None),
        ("The two carriers answer", "(a) the first carrier; (b) the second carrier; both answer", None),
        ("Three duties bind the agent", "The agent (a) keeps books; (b) gives notice; and (c) pays.", None),
        ("Three trustees must sign", "Two trustees must sign.", "Three"),
        ("It was not lost at the second attempt", "A meeting without a quorum is adjourned.", None),
        ("The claim falls under the 1975 Act", "The claim falls under the Act.", None),
        ("Behaviour of the American company decides", "The conduct of the company decides.", None),
    ],
)  # fmt: skip
def test_a_figure_in_other_words_is_the_same_figure(sentence: str, quoted: str, wrong: str | None) -> None:
    assert find_unsupported(sentence, Evidence(quoted)) == wrong


LIMIT = "The supplier is not liable above $50,000 for one claim."


@pytest.mark.parametrize(
    ("sentence", "figure"),
    [
        ("A claim of $60,000 would be paid only in part", "$60,000"),
        ("A claim of $60,000 is paid only in part", "$60,000"),
        ("The supplier pays, for example, $50,000 of $60,000 claimed", "$60,000"),
        ("The supplier is liable up to $60,000", None),
        ("A claim of $50,000 would be paid in full", None),
    ],
)
def test_a_figure_that_illustrates_is_told_from_one_that_is_not_supported(sentence: str, figure: str | None) -> None:
    assert find_illustration(sentence, Evidence(LIMIT)) == figure
    assert (find_unsupported(sentence, Evidence(LIMIT)) is None) is (figure is not None or "$60,000" not in sentence)


@pytest.mark.parametrize(
    ("said", "known", "wrong"),
    [
        ("an amount less than $45,421", "an amount less than $45,420.00", "$45,421"),
        ("an amount less than $45,419", "an amount less than $45,420.00", "$45,419"),
        ("just under $45,500", "The price is $45,420.00.", None),
        ("almost $770,000", "The price is $768,412.", None),
    ],
)
def test_only_a_rounder_sum_is_just_below_or_above_another(said: str, known: str, wrong: str | None) -> None:
    assert find_unsupported(f"The company pays {said}.", Evidence(known)) == wrong
