"""Columns without a subject of their own: items that have the column's label, and the words that state the value."""

from __future__ import annotations

from typing import Any

import pytest

from orderly.services.engines.local import LocalEngine
from orderly.services.reviews.cells import answer_cells
from orderly.services.reviews.labelled_items import labelled_items
from orderly.services.reviews.question_answers import decisive_span
from orderly.services.text import RevisionView

DEED = """LEASE

SCHEDULE

Item 1. Premises: Shop 4, 12 Ferry Road, Geelong
Item 2. Rent: A$48,000.00 per annum, payable by monthly instalments of A$4,000.00.
Item 3. Rent Review: see clause 9
Item 4. Term: four (4) years
Item 5. Commencing Date: 1 May 2021

Item 6. Further Term: one further term of three (3) years

Item 7. Permitted Use: [to be completed]

**Facility Limit** means
NZD 900,000, as reduced from time to time.

Job Description

Harbour pilot

1. The Tenant must pay the Rent on the first day of each month without any deduction. It must pay for all repairs to the roof.
2. The Tenant pays a salary of A$1,200 per week to the keeper. Neither party pays a salary to the other.
3. The Guarantor guarantees the performance of the obligations of the Tenant.
4. The law of Victoria applies to this Lease.
"""
CHANGE = """

7. Change of control

7.1 If a change of control of the Tenant occurs, the Landlord may terminate this Lease by notice.
"""


def _view(text: str) -> RevisionView:
    revision = {"id": "r", "paged": False, "health": {}}
    document = {
        "id": "d", "filename": "deed.txt", "matter_id": "m", "status": "ready", "status_reason": "", "revision": revision,
    }  # fmt: skip
    return RevisionView({"document": document, "text": text, "pages": [], "sections": []})  # type: ignore[typeddict-item]


def _column(title: str, answer_type: str, question: str = "", subject: str | None = None) -> Any:
    asked = {"title": title, "question": question or f"What is the {title.lower()}?", "answer_type": answer_type}
    return {**asked, "id": title, "edition": 1, "options": [], "subject": subject}


async def _cell(column: Any, text: str = DEED) -> tuple[str, Any, str]:
    [answer] = [answer async for answer in answer_cells(LocalEngine(), _view(text), [column], seconds=60)]
    words = " ".join(text[slice(*answer.spans[0])].split()) if answer.spans else ""
    return answer.state, answer.value, words


@pytest.mark.parametrize(
    ("title", "said"),
    [
        ("Premises", "Shop 4, 12 Ferry Road, Geelong"),
        ("Annual rent", "A$48,000.00 per annum, payable by monthly instalments of A$4,000.00."),
        ("Facility limit", "NZD 900,000, as reduced from time to time."),
        ("Job description", "Harbour pilot"),
        ("Rent review", None),
        ("Permitted use", None),
    ],
)
def test_an_item_says_what_stands_under_its_label(title: str, said: str | None) -> None:
    found = [DEED[slice(*words)] for _, words in labelled_items(DEED, title, "")]
    assert found == ([said] if said else [])


async def test_a_value_is_that_of_the_item_with_the_columns_label() -> None:
    state, value, words = await _cell(_column("Rent", "money"))
    assert (state, value["amount"], value["currency"]) == ("found", "48000.00", "AUD")
    assert words.startswith("Rent: A$48,000.00")


async def test_words_that_state_a_value_of_the_type_come_before_words_that_do_not() -> None:
    state, value, words = await _cell(_column("Remuneration", "money", "What is the salary or remuneration?"))
    assert (state, value["amount"]) == ("found", "1200")
    assert "salary of A$1,200" in words


async def test_yes_is_read_from_words_that_say_all_and_deny_nothing() -> None:
    state, value, _ = await _cell(
        _column("Guarantee", "yes_no", "Does anybody guarantee the performance of the Tenant's obligations?")
    )
    assert (state, value.get("yes")) == ("found", True)


async def test_the_term_of_a_schedule_is_not_its_further_term() -> None:
    _, value, words = await _cell(_column("Expiry", "date", subject="term and expiry"))
    assert (value["iso"], words) == ("2025-05-01", "Item 4. Term: four (4) years")


async def test_the_law_that_applies_is_the_governing_law() -> None:
    _, value, _ = await _cell(_column("Law", "jurisdiction", subject="governing law"))
    assert value["jurisdiction"] == "Victoria, Australia"


async def test_a_clause_is_quoted_and_not_its_heading_alone() -> None:
    state, _, words = await _cell(_column("Change", "yes_no", subject="change of control"), DEED + CHANGE)
    assert state == "found"
    assert "the Landlord may terminate this Lease" in words


async def test_an_anniversary_of_the_agreements_date_is_its_end() -> None:
    text = "DEED\n\nThis Deed is made on 28 November 2017 between two parties.\n\n14. This Deed will terminate on the first anniversary of the date hereof.\n"
    _, value, _ = await _cell(_column("Expiry", "date", subject="term and expiry"), text.replace("Deed", "Agreement"))
    assert value["iso"] == "2018-11-28"


async def test_a_further_term_is_the_renewal() -> None:
    _, value, words = await _cell(_column("Renewal", "duration", subject="renewal"))
    assert (value["iso"], words) == ("P3Y", "Item 6. Further Term: one further term of three (3) years")


def test_a_period_beside_a_word_that_stands_everywhere_is_no_candidate() -> None:
    clauses = "".join(f"{n}. The Recipient keeps confidential what paragraph {n} of the annex names.\n" for n in range(1, 9))
    text = f"DEED\n\n{clauses}9. It confirms within five business days that confidential papers are destroyed.\n"
    column = _column("Duration of confidentiality", "duration", "How long does confidentiality last?")
    assert decisive_span(text, column, ()) is None
    assert decisive_span(text.replace("keeps confidential", "keeps"), column, ()) is not None


async def test_a_period_of_something_else_is_no_answer() -> None:
    text = "EMPLOYMENT\n\n1. The obligations of confidentiality last for five (5) years after the employment ends.\n"
    state, _, _ = await _cell(_column("Probation", "duration", "How long is the probationary period?"), text)
    assert state == "not_found"


async def test_a_bare_dollar_sign_leaves_a_labelled_sum_found() -> None:
    state, value, _ = await _cell(_column("Rent", "money"), "LEASE\n\nRent: $48,000 a year\n")
    assert (state, value["text"], value["currency"]) == ("found", "$48,000", None)


async def test_a_period_whose_words_and_digits_differ_is_a_conflict_and_not_passed_over() -> None:
    text = (
        "SUPPLY\n\n1. A party that remains in default for 14 days after the due date for payment may be served with notice.\n"
        "2. The Buyer must pay the amount invoiced within thirty (45) days of the date of the invoice, which is payable in full.\n"
    )
    state, value, _ = await _cell(_column("Payment terms", "duration", "When are invoices payable?"), text)
    assert state == "candidate"
    assert "conflict" in value


@pytest.mark.parametrize("said", ["the covenants set forth in Article 7", "b) Warranties that are true"])
def test_words_that_point_elsewhere_or_begin_a_list_are_no_item(said: str) -> None:
    assert list(labelled_items(f"DEED\n\nFinancial Covenants means {said}\n", "Financial covenants", "")) == []


CONTRACT = """CONTRACT

1. Position. You will be employed as Practice Manager and report to the Principal.
2. Probation. The first six months of your employment are a probationary period.
3. SECURITY
3.1 The loan is secured by a first mortgage over the land at Kyneton and over the mill.
4. Relocation. No relocation expenses are paid where the employee moves of its own accord.
"""


@pytest.mark.parametrize(
    ("title", "answer_type", "text"),
    [
        ("Position", "text", "You will be employed as Practice Manager and report to the Principal."),
        ("Probation", "duration", "6 months"),
        ("Security", "text", "The loan is secured by a first mortgage over the land at Kyneton and over the mill."),
    ],
)
async def test_a_clause_with_the_columns_title_answers_it(title: str, answer_type: str, text: str) -> None:
    state, value, _ = await _cell(_column(title, answer_type), CONTRACT)
    assert (state, value["text"]) == ("found", text)


async def test_words_near_to_a_clause_that_was_not_found_are_a_candidate_without_yes_or_no() -> None:
    state, value, words = await _cell(_column("Relocation", "yes_no", "Relocation?", "relocation"), CONTRACT)
    assert state == "candidate" and "yes" not in value
    assert words.startswith("No relocation expenses are paid")
    state, value, _ = await _cell(_column("Escrow", "yes_no", "Is source code held in escrow?", "source code escrow"), CONTRACT)
    assert (state, value) == ("not_found", None)


async def test_a_value_in_words_near_to_the_question_is_a_candidate() -> None:
    text = "DEED\n\n1. The parties meet once a month.\n\n2. This deed takes effect under the law in force in Queensland.\n"
    column = _column("Governing law", "jurisdiction", "Which law governs the agreement?", "governing law")
    state, value, words = await _cell(column, text)
    assert (state, value["text"]) == ("candidate", "Queensland, Australia")
    assert "This deed takes effect under the law in force in Queensland." in words
    state, value, _ = await _cell(column, "DEED\n\n1. The parties meet once a month in Brisbane.\n")
    assert (state, value) == ("not_found", None)


@pytest.mark.parametrize(("title", "said"), [("Rent", "$98,400 per annum"), ("Premises", "Shop 14, Level 1, Harbour Arcade")])
def test_an_item_of_a_reference_schedule_is_numbered_and_set_in_columns(title: str, said: str) -> None:
    text = "SCHEDULE\n\nItem 1\tPremises\tShop 14, Level 1, Harbour Arcade\nItem 2\tRent\t$98,400 per annum\n"
    assert [text[slice(*words)] for _, words in labelled_items(text, title, "")] == [said]


@pytest.mark.parametrize(
    ("title", "kind", "text", "state", "shown"),
    [
        ("Salary", "money", "1. Your base salary is $71,300 a year. 2. If we pay late, a fee of $40 is added to your salary.", "found", "71,300"),
        ("Annual leave", "duration", "1. You get six weeks of paid annual leave, and ten days of carer's leave, each year.", "found", "6 weeks"),
        ("Probation period", "duration", "1. The first four months are a probation period.", "found", "4 months"),
        ("Salary", "money", "1. Your salary is $71,300 a year. 2. After a year your salary is $80,000.", "candidate", ""),
        ("Retainer", "money", "1. The Annual Retainer is $91,200 in all.\n\n2. For weeks of travel the Client pays $150.", "found", "91,200"),
        ("Salary", "money", "Item 4   Salary      $64,000 per annum\n\n1. Your salary is paid monthly.", "found", "64,000"),
    ],
)  # fmt: skip
async def test_the_one_value_that_is_linked_to_the_thing_asked_about_is_found(
    title: str, kind: Any, text: str, state: str, shown: str
) -> None:
    got, value, _ = await _cell(_column(title, kind, f"What is the {title.lower()}?"), f"CONTRACT\n\n{text}\n")
    assert got == state
    assert shown in value["text"]


async def test_a_text_that_does_not_speak_of_the_columns_title_is_left_to_a_person() -> None:
    text = "LEASE\n\n1. The Tenant may not share the premises without the consent of the Landlord.\n2. The law of Victoria governs this lease.\n"
    state, _, _ = await _cell(_column("Hours of trade", "text", "When may the shop be open?"), text)
    assert state != "found"
