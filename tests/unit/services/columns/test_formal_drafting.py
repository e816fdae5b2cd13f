"""Clauses of formal Australian drafting, and answers that a clause leaves to an item of the schedule or to a definition."""

from __future__ import annotations

import pytest

from orderly.services.columns import DocumentFiller, can_fill
from orderly.services.reviews.labelled_items import labelled_items
from orderly.services.values import find_parties, numbered_items

LEASE = """LEASE

BETWEEN
The person named in Item 1 of the Schedule (Lessor)
AND
The person named in Item 2 of the Schedule (Lessee)

1. The Lessee must pay the Rent specified in Item 4 by monthly payments in advance.

2. The Lessee must lodge a bank guarantee with the Lessor in the sum shown in Item 5 before it takes possession.

3. The Lessee must not use the Land or allow it to be used for any purpose other than the one specified in
Item 6. It must keep the Land clean.

4. The Lessor submits to the courts of the State of Tasmania, the laws of which apply to this Lease.

SCHEDULE

Item 1
Lessor:
Plover Bay Holdings Pty Ltd (ACN 600 100 200)

Item 2
Lessee:
Ines Quoll of 3 Sandy Lane, Orford

Item 3
Date of Lease:
4 May 2024

Item 4
Rent:
$31,200 a year

Item 5
Security Amount:
$2,600

Item 6
Permitted Use:
Growing of oysters,
and their sale by wholesale

Item 7
Further Terms:
One further term of four years
"""
LOAN = """LOAN AGREEMENT

Limit means $640,000.

Final Date means 30 November 2031.

1. The Financier will make available to the Borrower a cash advance facility in an aggregate amount not exceeding the Limit.

2. The Borrower may prepay the Loan in a minimum of $20,000.

3. The Borrower must repay the Loan in full on the Final Date.
"""
OTHERWISE = "1. The parties will meet once a month at the office of the first of them and talk about the work.\n\n2. {}\n"


def said(text: str, subject: str, answer_type: str) -> tuple[str, object, list[str]]:
    filled = DocumentFiller(text).fill(subject, answer_type)
    if filled.finding is None:
        return filled.state, None, []
    return filled.state, filled.finding.value, [text[slice(*span)] for span in filled.finding.quotations]


@pytest.mark.parametrize(
    ("subject", "sentence"),
    [
        ("option to renew", "The Lessor must grant the Lessee a lease for the further term in Item 7 if it is asked in time."),
        ("change of control", "Any change in the shareholding of the Lessee that alters its control is deemed an assignment."),
        ("change of control", "If the effective control of the Tenant is transferred, the Landlord may end this lease."),
        (
            "change of control",
            "If a person acquires, alone or with others who act in concert, more than 50% of the shares, the Lender may cancel.",
        ),
        ("change of control", "It is a review event if the Borrower ceases to be a wholly owned subsidiary of the Guarantor."),
        (
            "affiliate rights of the licensee",
            "The Customer may permit its Related Bodies Corporate to use the Platform under this licence.",
        ),
        (
            "ownership of intellectual property",
            "Each improvement made by the Licensee is, once made, assigned to the Licensor.",
        ),
        ("uncapped liability", "Clauses 7.1 and 7.2 shall not operate to exclude liability for personal injury or for death."),
        (
            "audit rights",
            "The Buyer may, on two days' notice, enter the works to inspect the Goods, the process of production and the quality records.",
        ),
        (
            "termination for convenience",
            "The Buyer may, in its absolute discretion and without being obliged to give reasons, terminate this Agreement on 60 days' notice.",
        ),
    ],
)
def test_formal_clauses_are_found_where_they_are(subject: str, sentence: str) -> None:
    assert can_fill(subject, "yes_no")
    assert said(OTHERWISE.format(sentence), subject, "yes_no")[:2] == ("found", True)
    assert said(OTHERWISE.format("Notices go to the office of the other party."), subject, "yes_no")[0] == "not_found"


@pytest.mark.parametrize(
    ("subject", "sentence"),
    [
        (
            "termination for convenience",
            "The Buyer may in its absolute discretion terminate this Agreement if the Seller is in breach.",
        ),
        (
            "audit rights",
            "Each party may retain a copy of any paper that it needs for the purpose of its own internal records.",
        ),
    ],
)
def test_clauses_of_other_kinds_are_not_taken_for_them(subject: str, sentence: str) -> None:
    assert said(OTHERWISE.format(sentence), subject, "yes_no")[0] != "found"


@pytest.mark.parametrize(
    ("text", "subject", "answer_type", "value", "quoted"),
    [
        (LEASE, "rent", "money", "$31,200", "$31,200 a year"),
        (LEASE, "bond", "money", "$2,600", "$2,600"),
        (LEASE, "agreement date", "date", "2024-05-04", "4 May 2024"),
        (
            LEASE,
            "permitted use",
            "text",
            "Growing of oysters, and their sale by wholesale",
            "Growing of oysters,\nand their sale by wholesale",
        ),
        (LOAN, "facility limit", "money", "$640,000", "Limit means $640,000."),
        (LOAN, "maturity", "date", "2031-11-30", "Final Date means 30 November 2031."),
    ],
)
def test_a_clause_is_answered_by_the_item_or_the_definition_that_it_names(
    text: str, subject: str, answer_type: str, value: str, quoted: str
) -> None:
    state, found, quotations = said(text, subject, answer_type)
    assert (state, found, quotations[0]) == ("found", value, quoted)


@pytest.mark.parametrize(
    ("sentence", "subject", "value"),
    [
        ("The first three months of the engagement are a qualifying period, which one week's notice may end.", "probation", "P3M"),
        ("After the qualifying period either party may terminate this Agreement on eight weeks' written notice.", "notice of termination", "P8W"),
        ("The covenants in this Deed bind the Recipient for five (5) years after it last received Confidential Information.", "duration of confidentiality", "P5Y"),
    ],
)  # fmt: skip
def test_times_of_clauses_are_read(sentence: str, subject: str, value: str) -> None:
    assert said(OTHERWISE.format(sentence), subject, "duration")[:2] == ("found", value)


@pytest.mark.parametrize(
    "sentence",
    [
        "During the probationary period either party may terminate this Agreement on one week's notice.",
        "A party may terminate this Agreement on 14 days' notice if the other fails to pay.",
        "This Agreement renews each year unless a party terminates it by 90 days' notice.",
    ],
)
def test_notices_of_other_kinds_end_no_employment(sentence: str) -> None:
    assert said(OTHERWISE.format(sentence), "notice of termination", "duration")[0] == "not_found"


def test_a_clause_with_several_sums_is_left_to_a_person() -> None:
    sentence = "The Lessee must pay rent of $4,000 a month in the first year and of $5,000 a month later."
    assert said(OTHERWISE.format(sentence), "rent", "money")[0] == "candidate"


def test_the_laws_of_that_state_are_those_of_the_state_before() -> None:
    assert said(LEASE, "governing law", "jurisdiction")[:2] == ("found", "Tasmania, Australia")
    deed = OTHERWISE.format("This deed is made in South Australia and is governed by the laws of that State.")
    assert said(deed, "governing law", "jurisdiction")[:2] == ("found", "South Australia, Australia")
    assert (
        said(OTHERWISE.format("This deed is governed by the laws of that State."), "governing law", "jurisdiction")[0]
        == "candidate"
    )


def test_a_purpose_that_brackets_define_is_answered_by_its_recital() -> None:
    recital = "A. The Recipient wishes to assess whether to buy the orchard (the “Approved Purpose”)."
    text = f"DEED\n\n{recital}\n\n1. The Recipient shall not use or copy the Confidential Information otherwise than for the Approved Purpose.\n"
    state, value, quotations = said(text, "purpose", "text")
    assert (state, value) == ("found", "The Recipient wishes to assess whether to buy the orchard")
    assert quotations[0].startswith("A. The Recipient")


def test_a_deed_commences_on_its_date_where_its_covenants_do() -> None:
    text = "DEED\n\nDated 9 May 2022\n\n1. The covenants in this deed commence on the date of this deed.\n"
    assert said(text, "effective date", "date")[1] == "2022-05-09"


def test_a_particular_of_the_effective_date_gives_way_to_the_day_of_signing() -> None:
    text = "LICENCE\n\nEffective Date      1 August 2023\n\n1. The Licensor licenses the work.\n\nSigned as an agreement on 24 July 2023\n"
    assert said(text, "agreement date", "date")[1] == "2023-07-24"


def test_items_say_what_stands_below_their_labels() -> None:
    assert [LEASE[slice(*span)] for span in numbered_items(LEASE, "6")] == ["Growing of oysters,\nand their sale by wholesale"]
    assert [LEASE[slice(*span)] for _, span in labelled_items(LEASE, "Permitted use", "What is the use?")] == [
        "Growing of oysters,\nand their sale by wholesale"
    ]


def test_parties_that_items_name_are_those_of_the_items() -> None:
    assert [party.text for party in find_parties(LEASE)] == ["Plover Bay Holdings Pty Ltd (Lessor)", "Ines Quoll (Lessee)"]


def test_parties_of_a_deed_poll_end_where_its_recitals_begin() -> None:
    text = (
        'DEED\n\nBY:     ORMISTON DRONES PTY LTD ACN 600 500 400 of 1 Kelp Street, Grange (the "Recipient")\n\n'
        'IN FAVOUR OF:   THE INSTITUTE OF REEFS ABN 11 222 333 444 of 8 Shell Road, Grange (the "Institute")\n\n'
        'WHEREAS:\n\nA.   The Institute has drawn maps, which nobody has seen (the "Maps")\n'
    )
    assert [party.text for party in find_parties(text)] == [
        "ORMISTON DRONES PTY LTD (Recipient)",
        "THE INSTITUTE OF REEFS (Institute)",
    ]


def test_days_and_acts_are_no_parties() -> None:
    text = (
        "AGREEMENT\n\nPARTIES\n\n1. Cassowary Clinics Limited ABN 71 104 668 219 of 55 Long Street, Innisfail in the State of Queensland (the Company)\n\n"
        "2. Dr Una Byrne-Okafor of 19 Short Avenue, Innisfail in the State of Queensland (the Executive)\n\n"
        "1. The hours are worked between Monday and Friday, as the Fair Work Act 2009 (Cth) requires.\n"
    )
    assert [party.name for party in find_parties(text)] == ["Cassowary Clinics Limited", "Dr Una Byrne-Okafor"]


def test_what_a_tenant_hands_back_is_no_term_to_be_looked_up() -> None:
    clause = "6. At the expiration of the Term the Lessee shall yield up the Premises in good repair."
    text = f"3.    Premises:    Unit 4, 77 Terminal Drive, Eagle Farm\n\n{clause}\n"
    assert said(text, "make good", "text")[1] == clause


@pytest.mark.parametrize(
    ("sentence", "subject", "answer_type", "value"),
    [
        ("The Financier has agreed to lend the Debtor the Principal Sum, being $1,850,000.", "facility limit", "money", "$1,850,000"),
        ("Your work begins with a probationary period of four months.", "probation", "duration", "P4M"),
        ("Your first day will be Monday, 3 February 2025.", "effective date", "date", "2025-02-03"),
        ("The law that applies in Victoria applies to this offer and to your contract.", "governing law", "jurisdiction", "Victoria, Australia"),
    ],
)  # fmt: skip
def test_deeds_of_loan_and_letters_of_offer_are_read(sentence: str, subject: str, answer_type: str, value: str) -> None:
    assert said(OTHERWISE.format(sentence), subject, answer_type)[:2] == ("found", value)


@pytest.mark.parametrize(
    ("sentence", "subject"),
    [
        ("The Financier may call up the loan if: (a) a sum is unpaid; or (b) the Debtor is wound up.", "events of default"),
        ("We are pleased to offer you the role of Senior Project Architect in our studio.", "position"),
    ],
)
def test_texts_of_deeds_and_letters_are_found(sentence: str, subject: str) -> None:
    assert said(OTHERWISE.format(sentence), subject, "text")[0] == "found"


def test_a_schedule_gives_the_day_on_which_a_lease_expires_and_names_with_brackets() -> None:
    text = (
        "LEASE\n\n1.    Lessor:    Gannet Sheds (Qld) Pty Ltd ACN 109 221 773\n2.    Lessee:    Brolga Chain Pty Ltd ACN 640 118 205\n"
        "3.    Term:    Four years\n4.    Commencing Date:    15 July 2024\n5.    Expiring Date:    14 July 2028\n"
    )
    assert said(text, "term and expiry", "date")[1] == "2028-07-14"
    assert [party.text for party in find_parties(text)] == [
        "Gannet Sheds (Qld) Pty Ltd (Lessor)",
        "Brolga Chain Pty Ltd (Lessee)",
    ]
