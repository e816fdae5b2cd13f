"""Columns about known subjects are answered from one reading, and every value has the words that show it."""

from __future__ import annotations

from pathlib import Path

import pytest

from orderly.services.columns import SUBJECTS, DocumentFiller, can_fill, fitted_weights

AGREEMENT = """SUPPLY AGREEMENT

This Supply Agreement is made on the 5th day of March, 2019 (the "Effective Date") between Acme Holdings Pty Ltd (the "Supplier")
and Blue Gum Foods Limited (the "Buyer"). It replaces that certain agreement dated as of 1 July 2014.

1. Supply. The Supplier shall sell the Products to the Buyer. During the term the Buyer shall purchase a minimum of 500 units per month.

2. Term. The initial term of this Agreement shall commence on the Effective Date and continue for a period of three (3) years.
This Agreement shall automatically renew for successive terms of one (1) year each, unless either party gives the other written notice of
non-renewal at least ninety (90) days prior to the end of the then current term.

3. Insurance. The Supplier shall maintain product liability insurance with coverage of at least $5,000,000 during the term.

4. Governing law. This Agreement is governed by the laws of New South Wales, Australia, without regard to the laws of Victoria.
"""


@pytest.fixture(scope="module")
def filler() -> DocumentFiller:
    return DocumentFiller(AGREEMENT)


@pytest.mark.parametrize(
    ("subject", "kind", "value", "words"),
    [
        ("agreement date", "date", "2019-03-05", "5th day of March, 2019"),
        ("effective date", "date", "2019-03-05", "5th day of March, 2019"),
        ("renewal", "duration", "P1Y", "successive terms of one (1) year"),
        ("notice of non-renewal", "duration", "P90D", "ninety (90) days"),
        ("governing law", "jurisdiction", "New South Wales, Australia", "governed by the laws of New South Wales"),
        ("insurance", "yes_no", True, "shall maintain product liability insurance"),
        ("minimum commitment", "yes_no", True, "a minimum of 500 units per month"),
    ],
)
def test_a_value_stands_in_its_quotation(filler: DocumentFiller, subject: str, kind: str, value: object, words: str) -> None:
    assert can_fill(subject, kind)
    filled = filler.fill(subject, kind)
    assert filled.state == "found"
    assert filled.finding is not None
    assert filled.finding.value == value
    start, end = filled.finding.quotations[0]
    assert words in " ".join(AGREEMENT[start:end].split())


def test_an_end_that_no_words_state_is_computed_from_two_quotations(filler: DocumentFiller) -> None:
    finding = filler.fill("term and expiry", "date").finding
    assert finding is not None
    assert (finding.value, finding.computed, finding.note) == ("2022-03-05", True, "Computed: 2019-03-05 plus P3Y.")
    term, start = (AGREEMENT[slice(*span)] for span in finding.quotations)
    assert "three (3) years" in term
    assert start == "5th day of March, 2019"


@pytest.mark.parametrize(
    "subject", ["source code escrow", "non-disparagement", "covenant not to sue", "joint ownership of intellectual property"]
)
def test_a_clause_that_is_not_there_is_not_found(filler: DocumentFiller, subject: str) -> None:
    assert filler.fill(subject, "yes_no").state == "not_found"


@pytest.mark.parametrize(
    ("sentence", "state", "value"),
    [
        ("The term of this Agreement shall continue until 31 December 2024.", "found", "2024-12-31"),
        ("This Agreement shall remain in effect until terminated by either party.", "found", "perpetual"),
        ("The term of this Agreement shall commence on the Effective Date and continue for [***] years.", "candidate", None),
        ("This Agreement shall terminate 5 (five) years after the Completion Date.", "candidate", None),
        ("If this Agreement ends within two years, the fee is repaid.", "not_found", None),
        ("The initial term of this Agreement is three (4) years from the date of this Agreement.", "candidate", "2022-03-05"),
        (
            "This Agreement continues until the later of its second anniversary and the end of the trial.",
            "candidate",
            "2021-03-05",
        ),
        ("The term of this Agreement is ten years from the date of the first delivery.", "candidate", None),
        (
            "The obligations of confidentiality survive for five years after the expiration of this Agreement.",
            "not_found",
            None,
        ),
    ],
)
def test_an_end_is_left_open_where_the_words_leave_it_open(sentence: str, state: str, value: str | None) -> None:
    text = f"AGREEMENT made on 5 March 2019 between Acme Pty Ltd and Beta Limited.\n\n2. {sentence}\n"
    filled = DocumentFiller(text).fill("term and expiry", "date")
    assert (filled.state, filled.finding and filled.finding.value) == (state, value)
    if state == "candidate" and value is None:
        assert filled.unread is not None and text[slice(*filled.unread)].endswith(sentence)


def test_a_term_that_begins_on_a_day_not_found_makes_a_candidate() -> None:
    text = (
        "THIS LEASE is made on 1 March 2024 between Harbour Holdings Pty Ltd and Quay Books Pty Ltd.\n\n"
        "1. The term of this Lease is five (5) years from the commencement date.\n"
    )
    filled = DocumentFiller(text).fill("term and expiry", "date")
    assert filled.finding is not None
    assert (filled.state, filled.finding.value) == ("candidate", "2029-03-01")
    assert "was not found" in filled.finding.note


def test_an_amendment_is_not_dated_by_the_agreement_that_it_amends() -> None:
    text = (
        "This First Amendment to the Supply Agreement dated 1 July 2014 is entered into as of 9 May 2021 between Acme and Beta."
    )
    finding = DocumentFiller(text).fill("agreement date", "date").finding
    assert finding is not None
    assert finding.value == "2021-05-09"


def test_a_definition_resolves_to_the_date_of_the_agreement() -> None:
    text = 'This Agreement is dated 9 May 2021.\n\n"Effective Date" means the date of this Agreement.\n'
    finding = DocumentFiller(text).fill("effective date", "date").finding
    assert finding is not None
    assert finding.value == "2021-05-09"
    assert [text[slice(*span)] for span in finding.quotations][-1] == "9 May 2021"


def test_day_and_month_that_may_be_exchanged_make_a_candidate() -> None:
    filled = DocumentFiller("This Agreement is made on 4/8/2020 between Acme and Beta.").fill("agreement date", "date")
    assert filled.state == "candidate"
    assert filled.finding is not None
    assert "exchanged" in filled.finding.note


def test_the_date_beside_a_signature_is_left_to_a_person() -> None:
    text = (
        "SERVICES AGREEMENT between Acme Pty Ltd and Beta Limited.\n\n"
        + "The Supplier provides services. " * 40
        + "\n\nSigned: A. Ace\nDate: 9 May 2021\n"
    )
    filled = DocumentFiller(text).fill("agreement date", "date")
    assert filled.state == "candidate"
    assert filled.finding is not None
    assert filled.finding.value == "2021-05-09"


def test_an_empty_text_has_no_values() -> None:
    filler = DocumentFiller("   ")
    assert {filler.fill("agreement date", "date").state, filler.fill("insurance", "yes_no").state} == {"not_found"}


SCHEDULE = """LEASE

Parties

Banksia Property Pty Ltd ACN 123 456 789 of 1 George Street, Sydney (Landlord)
Corella Books Pty Ltd of 5 Pitt Street, Sydney (Tenant)

Item 1  Term: Five (5) years
Item 2  Commencement Date: 1 July 2024
Item 3  Expiry Date: 30 June 2029
Item 4  Options: Two further terms of 3 years each

1. The Landlord leases the Premises to the Tenant for the Term.
Executed as a deed on 14 June 2024.
"""


@pytest.mark.parametrize(
    ("subject", "answer_type", "value"),
    [
        ("agreement date", "date", "2024-06-14"),
        ("effective date", "date", "2024-07-01"),
        ("term and expiry", "date", "2029-06-30"),
        ("parties", "parties", "Banksia Property Pty Ltd (Landlord); Corella Books Pty Ltd (Tenant)"),
    ],
)
def test_a_schedule_of_items_gives_its_dates_and_parties(subject: str, answer_type: str, value: str) -> None:
    finding = DocumentFiller(SCHEDULE).fill(subject, answer_type).finding
    assert finding is not None and finding.value == value


def test_employment_that_commences_on_a_weekday_and_a_name_before_a_numbered_line_are_read() -> None:
    text = "AGREEMENT made on 3 May 2025 between Lorikeet Inc and Ibis Pty Ltd.\n2. Your employment commences on Monday, 17 May 2025.\n"
    effective, parties = (
        DocumentFiller(text).fill(*column).finding for column in (("effective date", "date"), ("parties", "parties"))
    )
    assert effective is not None and effective.value == "2025-05-17"
    assert parties is not None and parties.value == "Lorikeet Inc; Ibis Pty Ltd."


def test_an_evaluation_chooses_the_weights_by_text_and_the_product_those_of_the_package(tmp_path: Path) -> None:
    asked: list[str] = []

    def missing(text: str) -> Path:
        asked.append(text)
        return tmp_path / "none"

    token = fitted_weights.set(missing)
    try:
        with pytest.raises(FileNotFoundError):
            DocumentFiller(AGREEMENT).fill("insurance", "yes_no")
    finally:
        fitted_weights.reset(token)
    assert asked == [AGREEMENT]
    assert DocumentFiller(AGREEMENT).fill("insurance", "yes_no").state == "found"


@pytest.mark.parametrize(
    ("sentence", "start", "end"),
    [
        ("This deed starts on 1 July 2022 and lasts until 30 June 2027.", "2022-07-01", "2027-06-30"),
        ("This Agreement takes effect on 1 October 2024 and ends on 30 September 2027.", "2024-10-01", "2027-09-30"),
        ("The lease starts on 1 August 2023 and continues for three years.", "2023-08-01", "2026-08-01"),
        ("The tenancy is for a term of two years beginning on 1 January 2026.", "2026-01-01", "2028-01-01"),
        ("This Agreement begins today and runs until 31 December 2026.", None, "2026-12-31"),
        ("Your employment starts on 15 September 2025.", "2025-09-15", None),
        ("The warranty of the roof starts on 1 May 2021 and runs until 1 May 2023.", None, None),
    ],
)
def test_a_term_is_read_from_the_verbs_of_plain_contracts_and_counted_from_its_own_day(
    sentence: str, start: str | None, end: str | None
) -> None:
    filler = DocumentFiller(f"AGREEMENT\n\n**Date:** 20 November 2021\n\n1. {sentence}\n")
    found = [filler.fill(subject, "date").finding for subject in ("agreement date", "effective date", "term and expiry")]
    assert [finding and finding.value for finding in found] == ["2021-11-20", start, end]


@pytest.mark.parametrize(
    ("words", "subject", "kind", "value"),
    [
        ("Commencement Date: means the date of this agreement.", "effective date", "date", "2019-03-05"),
        ("The term of this Agreement shall be one year commencing on the date first set forth above (the “Commencement Date”).", "effective date", "date", "2019-03-05"),
        ("Contract start: 1 April 2020\nContract end: 1 April 2022", "effective date", "date", "2020-04-01"),
        ("Contract start: 1 April 2020\nContract end: 1 April 2022", "term and expiry", "date", "2022-04-01"),
        ("The first Lease Term shall continue until the Expiration Date, **July 21, 2028**, unless ended earlier.", "term and expiry", "date",
         "2028-07-21"),
        ("The Initial Term shall automatically be extended for an additional period of half a year unless a party gives written notification of "
         "termination at least 60 days prior to the end of such period.", "renewal", "duration", "P6M"),
        ("The Initial Term shall automatically be extended for an additional period of half a year unless a party gives written notification of "
         "termination at least 60 days prior to the end of such period.", "notice of non-renewal", "duration", "P60D"),
    ],
)  # fmt: skip
def test_dates_and_periods_are_read_from_labels_definitions_and_references(
    words: str, subject: str, kind: str, value: str
) -> None:
    text = f"AGREEMENT\n\nThis Agreement is made on 5 March 2019 between Alpha Pty Ltd and Beta Ltd.\n\n{words}\n"
    filled = DocumentFiller(text).fill(subject, kind)
    assert filled.finding is not None
    assert filled.finding.value == value


@pytest.mark.parametrize(
    ("words", "subject", "value"),
    [
        (
            "This Agreement renews automatically for one year unless a party gives notice before its end.",
            "automatic renewal",
            True,
        ),
        (
            "The parties may by mutual written agreement renew or extend this Agreement for further periods.",
            "automatic renewal",
            False,
        ),
        ("The Tenant has the option to renew this lease for a further term of two years.", "automatic renewal", None),
        ("The Tenant has the option to renew this lease for a further term of two years.", "option to renew", True),
        ("The Tenant has no option to renew this lease, whatever was said before its date.", "option to renew", False),
        (
            "This Agreement renews automatically for one year unless a party gives notice before its end.",
            "option to renew",
            None,
        ),
        ("The Tenant must pay its share of the Operating Expenses of the Building each month.", "outgoings", True),
        ("The Lessor shall pay all outgoings, rates and taxes of the Building and the land.", "outgoings", False),
        ("The Landlord may relocate the Tenant to other premises in the Centre by notice.", "relocation", True),
        ("The Landlord shall not require the Tenant to relocate during the Term of the lease.", "relocation", False),
        ("The Lessor may end this lease by six months' notice if it intends to demolish the Building.", "demolition", True),
        ("Upon request the Recipient shall return or destroy all copies of the documents.", "return or destruction", True),
        ("The repayment is secured by a personal guarantee of each of the directors.", "guarantors", True),
        ("The Premises are a shop of sixty square metres with a yard behind it.", "relocation", None),
        ("The Tenant must pay 4.2% of the Outgoings as the Landlord assesses them.", "outgoings", True),
        (
            "The Lessor may require the Lessee to move to other premises in the Centre by three months' notice.",
            "relocation",
            True,
        ),
        (
            "At its end this agreement renews for a year unless a party tells the other in writing that it must not.",
            "automatic renewal",
            True,
        ),
        ("After the first year this licence continues from year to year until it is terminated.", "automatic renewal", True),
        ("If the Lessee wishes to renew the lease, it must give the Lessor notice in writing.", "option to renew", True),
        (
            "The Recipient will: (a) cease all use; and (b) return or destroy all Confidential Information.",
            "return or destruction",
            True,
        ),
    ],
)
def test_a_sentence_affirms_or_denies_a_subject(words: str, subject: str, value: bool | None) -> None:
    filled = DocumentFiller(f"DEED\n\n1. {words}\n").fill(subject, "yes_no")
    assert (filled.finding and filled.finding.value) == value
    assert filled.state == ("not_found" if value is None else "found")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (
            "MUTUAL NON-DISCLOSURE AGREEMENT\n\nAlpha Ltd (the “Recipient”) keeps the Information of the other secret.\n",
            "mutual",
        ),
        ("DEED\n\n1. Each party may disclose confidential information to the other party for the Project.\n", "mutual"),
        (
            "DEED\n\n1. The party disclosing it (the “Discloser”) owns it, the party receiving it is (the “Recipient”).\n",
            "mutual",
        ),
        ("DEED between Alpha Ltd (“Discloser”) and Beta Ltd (the “Recipient”) about the sale of a mine.\n", "one-way"),
        ("DEED\n\n1. Alpha Ltd supplies flour to Beta Ltd. Each party may end this deed by notice to the other party.\n", None),
    ],
)
def test_who_owes_confidence_is_read_from_the_parts_of_the_parties(text: str, value: str | None) -> None:
    filled = DocumentFiller(text).fill("mutuality", "choice")
    assert (filled.finding and filled.finding.value) == value


def test_confidence_owed_by_all_and_by_one_is_left_to_a_person() -> None:
    text = "DEED with Beta Ltd (the “Recipient”).\n\n1. The companies disclose their plans to each other.\n"
    filled = DocumentFiller(text).fill("mutuality", "choice")
    assert (filled.state, filled.finding and len(filled.finding.quotations)) == ("candidate", 2)


def test_a_clause_that_is_nearly_certain_is_left_to_a_person_and_not_denied() -> None:
    text = (
        "EMPLOYMENT CONTRACT\n\n1. You work as a baker in our shop at Kyneton.\n\n2. For 6 months after your employment ends you "
        "must not, in the neighbourhood of the shop, be engaged in the management of any other bakery business.\n"
    )
    filled = DocumentFiller(text).fill("non-compete", "yes_no")
    assert filled.finding is not None
    (place,) = filled.finding.quotations
    assert (filled.state, filled.finding.note) == ("candidate", "The document may have such a clause.")
    assert "in the neighbourhood" in text[slice(*place)]


def test_australian_and_british_wording_counts_like_american_wording() -> None:
    wordings = "This {a} begins today.\n\n2. The Owner {m} maintain insurance. The Owner grants a {l} to use the Software."
    british, american = (
        DocumentFiller("DEED\n\n1. " + wordings.format(a=a, m=m, l=kind))
        for a, m, kind in (("deed", "must", "licence"), ("agreement", "shall", "license"))
    )
    for subject in ("insurance", "license grant", "exclusivity"):
        one, other = (filler.fill(subject, "yes_no").finding for filler in (british, american))
        assert (one and one.confidence) == (other and other.confidence)


def test_sentences_that_affirm_and_deny_are_left_to_a_person() -> None:
    text = "The Tenant has the option to extend the lease for two years. No option to renew is granted if rent is in arrears.\n"
    filled = DocumentFiller(text).fill("option to renew", "yes_no")
    assert (filled.state, filled.finding and len(filled.finding.quotations)) == ("candidate", 2)


def test_marks_of_bold_inside_quotation_marks_and_hyphens_that_do_not_break_change_nothing() -> None:
    text = (
        "AGREEMENT\n\nThis Agreement is made and entered into as of **28 July 2024** (the “**Effective Date**”) between Alpha Ltd and Beta Ltd.\n\n"
        "4. This Agreement shall commence on the Effective Date and shall continue in force until **7 December 2026**.\n\n"
        "5. Alpha grants to Beta a limited, non\u2011exclusive, revocable licence to use the Materials during the term.\n"
    )
    filler = DocumentFiller(text)
    finding = filler.fill("effective date", "date").finding
    assert finding is not None and finding.value == "2024-07-28"
    assert filler.fill("exclusivity", "yes_no").state == "not_found"


@pytest.mark.parametrize(
    "title",
    [
        "Acme Pty Ltd v Blue Gum Foods Limited (No 2) [2011] FCA 412 (3 May 2011)\n\n",
        "Neutral Citation Number: [2011] EWHC 412 (Ch)\nIN THE HIGH COURT OF JUSTICE\n\nDate: 3 May 2011\n\nBefore:\n\n",
        "Neutral Citation Number: [2011] EWCA Civ 412\nRoyal Courts of Justice\n\nTuesday, 3rd May 2011\n\nB E F O R E:\n\n",
    ],
)
def test_a_judgment_is_dated_by_its_decision(title: str) -> None:
    text = f"{title}1 The agreement was made on the 5th day of March, 2009 between the parties. See Gum v Acme [2004] FCA 9 (1 June 2004).\n"
    finding = DocumentFiller(text).fill("agreement date", "date").finding
    assert finding is not None
    assert finding.value == "2011-05-03"


def test_an_agreement_is_not_dated_by_a_judgment_that_it_cites() -> None:
    opening, rest = AGREEMENT.split("\n\n1. Supply", 1)
    text = f"{opening} The parties refer to Gum v Acme [2004] FCA 9, decided on 1 June 2004.\n\n1. Supply{rest}"
    finding = DocumentFiller(text).fill("agreement date", "date").finding
    assert finding is not None
    assert finding.value == "2019-03-05"


@pytest.mark.parametrize("subject", SUBJECTS)
def test_every_subject_of_rules_has_its_rule(subject: str) -> None:
    assert DocumentFiller("This lease is dated 3 May 2021.").fill(subject, SUBJECTS[subject]).state in (
        "found",
        "candidate",
        "not_found",
    )


def test_a_subject_without_a_rule_is_an_error_and_never_answered_with_the_parties() -> None:
    with pytest.raises(AssertionError, match="No rule reads 'colour'"):
        DocumentFiller('This lease is made between Ada Pty Ltd ("Landlord") and Bo Pty Ltd ("Tenant").').fill("colour", "money")
