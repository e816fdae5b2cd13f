"""Values are found where they stand, and what is not settled says so."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

import pytest

from orderly.services.values import (
    add_duration,
    find_dates,
    find_durations,
    find_jurisdictions,
    find_money,
    find_numbers,
    find_parties,
)
from orderly.services.values.numbers import parse_year


@pytest.mark.parametrize(
    ("text", "iso"),
    [
        ("made on the 5th day of March, 2019 between", "2019-03-05"),
        ("this 27t h day of March, 2017", "2017-03-27"),
        ("dated as of October 1,1996", "1996-10-01"),
        ("on 1 April 2020,", "2020-04-01"),
        ("the thirty-first day of July, two thousand and nineteen", "2019-07-31"),
        ("the first day of May in the year nineteen ninety-nine", "1999-05-01"),
        ("August __, 2019", "2019-08"),
        ("_____ day of __________________, 2015", "2015"),
        ("[__] 2019", "2019"),
        ("[●] March 2021", "2021-03"),
        ("signed 2019-03-05.", "2019-03-05"),
        ("Date: 18/9/2008", "2008-09-18"),
        ("Date: 04/25/2018", "2018-04-25"),
        ("in Sept. 2014", "2014-09"),
    ],
)
def test_a_date_keeps_the_parts_that_are_written(text: str, iso: str) -> None:
    (found,) = find_dates(text)
    assert found.iso == iso
    assert found.partial == (len(iso) < 10)


@pytest.mark.parametrize(
    ("words", "year"),
    [("nineteen ninety-nine", 1999), ("nineteen one hundred", None), ("nineteen two hundred", None), ("twenty often", None)],
)
def test_a_year_in_two_halves_has_two_figures_in_its_second(words: str, year: int | None) -> None:
    assert parse_year(words) == year


@pytest.mark.parametrize("text", ["31 February 2020", "section 2019", "1.2.3 Payment", "no date", "99/99/2019", "Part 4/5"])
def test_what_is_no_date_is_none(text: str) -> None:
    assert find_dates(text) == []


def test_the_order_of_day_and_month_is_the_documents_own_or_left_open() -> None:
    assert find_dates("Date: 4/8/2020")[0].ambiguous
    american = find_dates("dated 4/8/2020, replacing the letter of March 3, 2019")
    british = find_dates("dated 4/8/2020, replacing the letter of 3 March 2019")
    assert (american[0].iso, american[0].ambiguous) == ("2020-04-08", False)
    assert (british[0].iso, british[0].ambiguous) == ("2020-08-04", False)


@pytest.mark.parametrize(
    ("text", "iso", "agrees"),
    [
        ("ninety (90) days", "P90D", True),
        ("ninety (60) days", "P90D", False),
        ("one hundred and twenty (120) days", "P120D", True),
        ("a 12-month term", "P12M", True),
        ("three (3) calendar years", "P3Y", True),
        ("for one (I) year", "P1Y", True),
        ("the four-year anniversary", "P4Y", True),
        ("the fourth (4th) anniversary", "P4Y", True),
        ("twelve (12) full calendar months", "P12M", True),
        ("two quarters", "P6M", True),
        ("month to month", "P1M", True),
        ("for successive annual periods", "P1Y", True),
        ("6 weeks' notice", "P6W", True),
    ],
)
def test_a_period_says_whether_words_and_digits_agree(text: str, iso: str, agrees: bool) -> None:
    (found,) = find_durations(text)
    assert (found.iso, found.agrees) == (iso, agrees)


@pytest.mark.parametrize("text", ["[***] years", "the second year", "the day after", "annual report"])
def test_a_period_without_a_count_is_none(text: str) -> None:
    assert find_durations(text) == []


def test_business_days_are_marked() -> None:
    assert [value.business_days for value in find_durations("10 business days or ten days")] == [True, False]


def test_a_period_is_added_by_the_calendar() -> None:
    assert add_duration(date(2019, 8, 31), "P6M") == date(2020, 2, 29)
    assert add_duration(date(2020, 2, 29), "P1Y") == date(2021, 2, 28)
    assert add_duration(date(2020, 2, 27), "P3D") == date(2020, 3, 1)
    assert add_duration(date(2020, 2, 27), "P2W") == date(2020, 3, 12)


@pytest.mark.parametrize(
    ("text", "amount", "currency", "agrees"),
    [
        ("a fee of A$1,250.50 per month", "1250.50", "AUD", True),
        ("USD 3 million", "3000000", "USD", True),
        ("$500", "500", None, True),
        ("five thousand dollars ($5,000)", "5000", None, True),
        ("five thousand United States dollars (US$6,000)", "5000", "USD", False),
        ("10.000 €", "10000", "EUR", True),
        ("EUR 1.234,50", "1234.50", "EUR", True),
        ("ten thousand euros (€10.000)", "10000", "EUR", True),
        ("EUR 3.375 million", "3375000", "EUR", True),
        ("€0.125", "0.125", "EUR", True),
        ("$1.125 per share", "1.125", None, True),
        ("£2bn", "2000000000", "GBP", True),
        ("$2 thousand", "2000", None, True),
        ("A$5k", "5000", "AUD", True),
        ("EUR 3 mln", "3000000", "EUR", True),
        ("$4m", "4000000", None, True),
        ("USD 1 billion", "1000000000", "USD", True),
        ("USD 4.047.000", "4047000", "USD", True),
        ("5,000 euros", "5000", "EUR", True),
        ("12 New Zealand dollars", "12", "NZD", True),
        ("seven pounds sterling", "7", "GBP", True),
    ],
)
def test_money_has_a_currency_where_the_text_names_one(text: str, amount: str, currency: str | None, agrees: bool) -> None:
    (found,) = find_money(text)
    assert (found.amount, found.currency, found.agrees) == (Decimal(amount), currency, agrees)


def test_a_number_without_a_currency_is_no_money() -> None:
    assert find_money("30 units at 12.5 in 2 years, 3 million shares") == []


def test_numbers_in_words_and_digits_are_one_number() -> None:
    text = "twenty-one (21) of 1,234 units, two hundred (20) boxes, 12.5"
    assert [(float(n.value), n.agrees) for n in find_numbers(text)] == [(21, True), (1234, True), (200, False), (12.5, True)]
    first = find_numbers(text)[0]
    assert text[first.start : first.end] == "twenty-one (21)"


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("the laws of the State of New York, USA", ["New York"]),
        ("the laws of Victoria, Australia", ["Victoria, Australia"]),
        ("governed by PRC Laws", ["People's Republic of China"]),
        ("English law and the courts of NSW", ["England", "New South Wales, Australia"]),
        ("the state of washington machines", []),
        ("laws of England and Wales", ["England and Wales"]),
        ("the Frustrated Contracts Act applies; tell Us", []),
    ],
)
def test_jurisdictions_have_their_usual_names(text: str, names: list[str]) -> None:
    assert [found.name for found in find_jurisdictions(text)] == names


def test_parties_have_their_defined_names() -> None:
    text = (
        "This Supply Agreement (the “Agreement”) is made between Acme Holdings Pty Ltd, ACN 004 028 077, of Sydney "
        "(the “Supplier”), and Blue Gum Foods Limited (hereinafter referred to as “Buyer”)."
    )
    assert [(p.name, p.defined_as) for p in find_parties(text)] == [
        ("Acme Holdings Pty Ltd", "Supplier"),
        ("Blue Gum Foods Limited", "Buyer"),
    ]
    assert all(text[p.start : p.end] == p.name for p in find_parties(text))


def test_parties_of_a_deed_are_of_the_one_part_and_of_the_other_part() -> None:
    text = (
        'DEED made BETWEEN:\nJANE PELL of 3 Ferny Avenue, Toowong in the State of Queensland (hereinafter called "the Settlor") of the one '
        'part\nand LARK HOLDINGS PTY LTD A.C.N. 149 002 118 (hereinafter called "the Trustee") of the other part\n\nWHEREAS'
    )
    assert [(p.name, p.defined_as) for p in find_parties(text)] == [
        ("JANE PELL", "Settlor"),
        ("LARK HOLDINGS PTY LTD", "Trustee"),
    ]


def test_words_that_introduce_the_terms_are_no_party() -> None:
    text = "AGREEMENT between ALPHA MILLS N.V. (“Alpha”); and\nINTRODUCTION; THE PARTIES AGREE (“Projects”);"
    assert find_parties(text) == []


@pytest.mark.timeout(20)
@pytest.mark.parametrize("piece", ["_", "_ ", "one ", "twenty-", "1 ", ".", "1,000", "hundred and ", "[", "*"])
def test_the_time_for_a_text_of_one_repeated_piece_is_linear(piece: str) -> None:
    for text in (piece * (20_000 // len(piece)), f"1{' ' * 20_000}{piece}"):
        for find in (find_dates, find_durations, find_money, find_numbers, find_jurisdictions, find_parties):
            assert isinstance(find(text), list)


@pytest.mark.parametrize(
    "heading", ["WITNESSETH:", "W I T N E S S E T H:", "Witnesseth, that", "RECITALS", "PREAMBLE", "WHEREAS:", "BACKGROUND"]
)
def test_a_heading_after_the_parties_is_no_party(heading: str) -> None:
    opening = 'This Agreement is between Alpha Pty Ltd (the "Supplier"); and Beta Corp. (the "Buyer");'
    text = f"{opening}\n\n{heading}\n\nThe parties and Gamma Ltd agree."
    assert [party.name for party in find_parties(text)] == ["Alpha Pty Ltd", "Beta Corp."]


@pytest.mark.parametrize(
    ("opening", "names"),
    [
        (
            "BETWEEN: ALPHA CHIPS, LLC\na corporation incorporated in Ohio\nAND: BETA SYSTEMS INC.\na corporation of Canada\nWHEREAS",
            ["ALPHA CHIPS, LLC", "BETA SYSTEMS INC."],
        ),
        (
            "between\nALPHA OLEO GmbH & Co KG, Ferdinandstrasse 3, 20095 Hamburg,\nGermany\nand\nBeta Pharma Inc, 60 Main Court, Suite 2",
            ["ALPHA OLEO GmbH & Co KG", "Beta Pharma Inc"],
        ),
        ("between Alpha, Inc. (“Alpha”), and\n Beta Corporation\n 78 Main Street\n Suite 4", ["Alpha, Inc.", "Beta Corporation"]),
        ('BETWEEN\nALPHA PTY LTD (ACN 601 222 333) of 1 Bay Street (the "Landlord")\nAND\nANN LEE of 12 Low Street (the "Tenant")\n'
         "SCHEDULE\nItem 1. Premises", ["ALPHA PTY LTD", "ANN LEE"]),
        ("a written agreement between the Company and the Purchaser (and others) about the Shares", []),
    ],
)  # fmt: skip
def test_parties_stand_on_lines_of_their_own_and_are_no_roles(opening: str, names: list[str]) -> None:
    assert [party.name for party in find_parties(f"AGREEMENT\n\n{opening}\n")] == names


def test_a_definition_behind_the_page_of_names_is_of_another_mention() -> None:
    text = (
        "between\n\nAlpha Ltd\n\nand\n\nBeta Ltd\n\nThis agreement is made by Alpha Ltd (“Party A”) with Beta Ltd (“Party B”)."
    )
    assert [party.text for party in find_parties(text)] == ["Alpha Ltd", "Beta Ltd"]


_OFFER = "We are pleased to offer you the position of Engineer.\n\nYours sincerely\n\nTobias Renner\n"


@pytest.mark.parametrize(
    ("text", "names"),
    [
        (
            "Halden Robotics Pty Ltd\nABN 41 633 902 118\n\nMs Amélie Delacroix\n22 Wattle Grove\n\nDear Amélie\n\n"
            f"{_OFFER}for and on behalf of Halden Robotics Pty Ltd\n\nAmélie Delacroix\n",
            ["Amélie Delacroix", "Halden Robotics Pty Ltd"],
        ),
        (f"GREENWAY VETS LLP\nThe Old Dairy\n\nDr C Okonkwo\nFlat 4\n\nDear Dr Okonkwo,\n\n{_OFFER}", ["GREENWAY VETS LLP", "C Okonkwo"]),
        ("Dear Olivia Outback,\n\nThis is an invitation for you to join Acme Pty Ltd as a clerk.", ["Olivia Outback", "Acme Pty Ltd"]),
        ("Halden Pty Ltd\n\nMr Paul Ahn\n1 Bay Street\n\nDear Mr Ahn\n\nYour invoice of 1 May is overdue.\n", []),
        (f"Halden Pty Ltd\n\nDear Sir or Madam\n\n{_OFFER}", []),
    ],
)  # fmt: skip
def test_the_parties_of_a_letter_are_its_writer_and_its_addressee_if_it_makes_an_offer(text: str, names: list[str]) -> None:
    found = find_parties(text)
    assert [party.name for party in found] == names
    assert all(text[party.start : party.end] == party.name for party in found)


def test_parties_in_bold_are_read_and_the_owner_is_a_role() -> None:
    listed = "LEASE\n\n1. Mercer Industrial Property Ltd (**Lessor**)\n2. Tasman Freight Pty Ltd (**Lessee**)\n"
    assert [p.text for p in find_parties(listed)] == [
        "Mercer Industrial Property Ltd (Lessor)",
        "Tasman Freight Pty Ltd (Lessee)",
    ]
    between = 'between **Pelagic, Inc.**, 200 Wharf Road ("Pelagic")\n\nand **Nordlys AS**, Bergen ("Distributor")\n\nDated 1 May 2024\n'
    assert [p.text for p in find_parties(between)] == ["Pelagic, Inc. (Pelagic)", "Nordlys AS (Distributor)"]
    owned = "Ridgeback Apparel Pty Ltd ABN 55 120 334 871 (Owner)\nSummit Goods LLC (Licensee)\n"
    assert [p.defined_as for p in find_parties(owned)] == ["Owner", "Licensee"]


@pytest.mark.parametrize(
    ("text", "found"),
    [("two five-year terms", "P5Y"), ("one three-year option", "P3Y"), ("one hundred and eighty (180) days", "P180D")],
)
def test_a_number_of_periods_is_no_part_of_the_period(text: str, found: str) -> None:
    assert [period.iso for period in find_durations(text)] == [found]


@pytest.mark.parametrize("role", ["(Company)", "(the Company)", '(the "Company")'])
def test_a_role_in_brackets_needs_no_quotation_marks(role: str) -> None:
    parties = find_parties(f"This deed is made between Corella Software Pty Ltd {role} and Priya Nair (Employee).")
    assert [party.text for party in parties] == ["Corella Software Pty Ltd (Company)", "Priya Nair (Employee)"]


@pytest.mark.parametrize(
    ("opening", "parties"),
    [
        (
            "entered into by and between:\n\n- **Alpha Works, Inc.**, an Ohio corporation (“**Alpha**”),\n\nand\n\n"
            "- **Beta Yards, LLC**, a Texas company (“**Beta**”).",
            ["Alpha Works, Inc. (Alpha)", "Beta Yards, LLC (Beta)"],
        ),
        (
            "between\n ALPHA NEWS GMBH\n Hafenstr. 3\n 20095 Hamburg\n hereinafter referred to as \"Licensor\"\nand\nBeta Wire, Inc.\n12 Low Rd",
            ["ALPHA NEWS GMBH (Licensor)", "Beta Wire, Inc."],
        ),
        (
            "between\nAlpha Bone Pty Ltd\nAnd\nBeta Clinics LLC\nSource: BETA, 10-K\nParties\n(1) Alpha Bone Pty Ltd (ACN 1)",
            ["Alpha Bone Pty Ltd", "Beta Clinics LLC"],
        ),
        (
            "made between:\n\nBORROWER: Alpha Tool, Inc., a Delaware corporation of 1 High St\n\nLENDER: Beta Bank, N.A., a bank",
            ["Alpha Tool, Inc. (Borrower)", "Beta Bank, N.A. (Lender)"],
        ),
        ("**LANDLORD:**\nAnn Lee\n[Address]\n\n**TENANT:**\nBeta Cafe Pty Ltd\nABN: 1", ["Ann Lee (Landlord)", "Beta Cafe Pty Ltd (Tenant)"]),
        (
            "between\n**ALPHA ONE** and **BETA TWO**\n\n---\n\nThis deed is made as of **May 3, 2024**, by and between:\n\n"
            "**Alpha One**, a company of Perth (“Alpha”)\n\nand\n\n**Beta Two**, a company of Cairns (“Beta”).",
            ["Alpha One (Alpha)", "Beta Two (Beta)"],
        ),
        ("Information that passes between the Disclosing Party and the Receiving Party, of any kind,", []),
    ],
)  # fmt: skip
def test_parties_stand_in_lists_in_blocks_and_below_a_title(opening: str, parties: list[str]) -> None:
    assert [party.text for party in find_parties(f"AGREEMENT\n\n{opening}\n")] == parties


def test_half_a_year_is_six_months() -> None:
    assert [period.iso for period in find_durations("for an additional period of half a year, then half-year terms")] == [
        "P6M",
        "P6M",
    ]
