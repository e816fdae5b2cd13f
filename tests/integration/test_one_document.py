"""Whole answers of the offline planner about the only document of a matter."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from orderly.agent.middleware.run_context import RunContext
from orderly.agent.run import ask
from orderly.graph import graph
from orderly.models import Caller
from orderly.wiring.services import Services

Add = Callable[..., Awaitable[str]]
Ask = Callable[[str], Awaitable[str]]

LEASE = """\
RETAIL SHOP LEASE

Harbour Nominees Pty Ltd ("Lessor") leases the shop to Bloom Pty Ltd ("Lessee").

REFERENCE SCHEDULE

Item 1  Premises: Shop 3, 21 Merthyr Road, New Farm
Item 2  Rent: $84,000 per annum plus GST

1. Definitions

1.1 In this Lease:
"Event of Default" means any event described in clause 4.1.
"Outgoings" means rates, land tax and building insurance premiums, but not capital expenditure.

2. Rent

2.1 The Lessee must pay the Rent by equal monthly instalments in advance by direct debit.
2.2 If an instalment is not paid within 7 days after its due date, the Lessee must pay interest on it at 10% per annum.
2.3 The Rent is not to decrease on a review.

3. Assignment

3.1 The Lessee must not assign or sublet without the Lessor's written consent.
3.2 The Lessor must decide a request for consent within 28 days. If it does not, consent is taken to be given.

4. Default

4.1 Each of these is an Event of Default:
(a) Rent is unpaid for 14 days; and
(b) the Lessee becomes insolvent.
4.2 On an Event of Default the Lessor may re-enter and end this Lease.
4.3 Clauses 2.1 and 3.1 are essential terms.
"""


@pytest.fixture
async def answer(services: Services, ada: Caller, matter: dict[str, Any], add_file: Add) -> Ask:
    await add_file("lease.txt", LEASE)

    async def put(question: str) -> str:
        return (await ask(graph, services, ada, question, context=RunContext(matter_id=matter["id"]))).text

    return put


async def test_a_section_is_shown_clause_by_clause_under_its_number(answer: Ask) -> None:
    text = await answer("what does clause 3.2 say?")
    assert (
        "“The Lessor must decide a request for consent within 28 days. If it does not, consent is taken to be given.” [1]"
        in text
    )
    assert "- [1] lease.txt, Section 3.2" in text and "[2]" not in text
    text = await answer("Show me section 4 of the lease")
    assert (
        "“Each of these is an Event of Default: (a) Rent is unpaid for 14 days; and (b) the Lessee becomes insolvent.” [1]"
        in text
    )
    assert "- [2] lease.txt, Section 4.2" in text and "essential terms.” [3]" in text


async def test_a_section_that_the_document_does_not_have_is_named(answer: Ask) -> None:
    text = await answer("what does clause 14 say?")
    assert "Note: lease.txt has no heading or clause with the number 14." in text
    assert "“" not in text


async def test_a_definition_is_read_alone(answer: Ask) -> None:
    text = await answer("read me the definition of Outgoings")
    assert '“"Outgoings" means rates, land tax and building insurance premiums, but not capital expenditure.” [1]' in text
    assert "Event of Default" not in text
    assert "no definition of the term Goodwill was found in lease.txt" in await answer("How is Goodwill defined?")


async def test_a_capitalised_term_and_an_item_of_the_schedule_answer_first(answer: Ask) -> None:
    text = await answer("What is an Event of Default?")
    assert '“"Event of Default" means any event described in clause 4.1.” [1]' in text
    text = await answer("What is the rent?")
    assert "“Rent: $84,000 per annum plus GST” [1]" in text or "“Item 2 Rent: $84,000 per annum plus GST” [1]" in text


async def test_quotations_of_several_clauses_are_divided_and_the_one_that_is_asked_for_comes_first(answer: Ask) -> None:
    text = await answer("What is the interest rate on late rent?")
    assert "interest on it at 10% per annum.” [1]" in text
    assert "- [1] lease.txt, Section 2.2" in text and "2.3 The Rent" not in text


async def test_which_clauses_are_something_is_a_question(answer: Ask) -> None:
    text = await answer("Which clauses are essential terms?")
    assert "“Clauses 2.1 and 3.1 are essential terms.” [1]" in text and "Main headings" not in text


async def test_the_row_of_a_table_that_is_asked_for_is_quoted_alone(
    services: Services, ada: Caller, matter: dict[str, Any], add_file: Add
) -> None:
    rows = "| Service | Unit | Rate |\n|---|---|---|\n| Line haul | per pallet | $142.50 |\n| Storage | per pallet per week | $6.80 |\n"
    await add_file("rates.md", f"# Annexure\n\n**Rates** of the *Supplier*:\n\n{rows}\n# Law\n\nThe law of Victoria governs.\n")
    text = (await ask(graph, services, ada, "What is the storage rate?", context=RunContext(matter_id=matter["id"]))).text
    assert "“Storage | per pallet per week | $6.80”" in text and "142.50" not in text


async def test_a_number_and_a_tab_before_a_clause_make_no_row_of_a_table(
    services: Services, ada: Caller, matter: dict[str, Any], add_file: Add
) -> None:
    clause = (
        "DEED\n\n7.\tConfidentiality\n\n7.1\tEach party must:\n(a)\tnot disclose the Secret Information to any\nperson; and\n"
        "(b)\tuse the Secret Information for the\nPermitted Purpose alone.\n\n8.\tLaw\n\n8.1\tThe law of Victoria governs this deed.\n"
    )
    await add_file("deed.txt", clause)
    asked = "What are the confidentiality obligations about Secret Information?"
    text = (await ask(graph, services, ada, asked, context=RunContext(matter_id=matter["id"]))).text
    whole = "“Each party must: (a) not disclose the Secret Information to any person; and (b) use the Secret Information for the Permitted Purpose alone.”"
    assert whole in text


async def test_a_list_is_quoted_whole_and_ends_before_the_next_clause(
    services: Services, ada: Caller, matter: dict[str, Any], add_file: Add
) -> None:
    note = (
        "Dear Tom\n\nSettlement is on 29 August 2025.\n\nThree things we need from you by Friday:\n1. the signed transfer duty form;\n"
        "2. evidence of insurance; and\n3. confirmation from the bank.\n\nKind regards\nPriya\n"
    )
    await add_file("note.txt", note)
    text = (
        await ask(
            graph, services, ada, "What things do we need from you by Friday?", context=RunContext(matter_id=matter["id"])
        )
    ).text
    whole = "Three things we need from you by Friday: 1. the signed transfer duty form; 2. evidence of insurance; and 3. confirmation from the bank."
    assert whole in text


SUPPLY = """\
SUPPLY AGREEMENT

This Agreement is made between Harbour Roasters Pty Ltd ("Supplier") and Corner Cafes Pty Ltd ("Customer").

1. Exclusivity

1.1 The Customer's obligations set out in this clause 1, and as limited by clause 2.2, are the "Exclusivity Obligations".

2. Price

2.1 The Customer shall pay the Price within 30 days of an invoice.
2.2 The Supplier shall use reasonable endeavours to hold the Price for each year of this Agreement.

3. Confidential Information

3.1 Neither party shall disclose any Confidential Information of the other party to any third party without prior written consent.
3.2 The receiving party shall use Confidential Information only to perform this Agreement.

4. General

4.1 This Agreement shall be governed by and construed in accordance with the laws of Victoria.
"""


async def test_a_clause_of_a_standard_type_is_found_by_the_classifier(
    services: Services, ada: Caller, matter: dict[str, Any], add_file: Add
) -> None:
    await add_file("supply.txt", SUPPLY)
    answer = await ask(
        graph, services, ada, "What are the confidentiality obligations?", context=RunContext(matter_id=matter["id"])
    )
    first = next(c for c in answer.citations if c["number"] == 1)
    assert first["standing"] == "answer"
    assert "shall disclose any Confidential Information" in first["text"]


HIRE = """\
# SCAFFOLD HIRE AGREEMENT

Parties: Tall Order Scaffolds Pty Ltd (Owner) and Brick & Beam Pty Ltd (Hirer).

## 1. Hire
1.1 The Owner hires the scaffold to the Hirer for eight months from 1 May 2025.
1.2 The Hirer pays $410 a week, invoiced monthly and payable within 21 days of the invoice.

## 2. Confidentiality
2.1 Each party must keep the other's prices and customer names confidential and use them only to perform this agreement.
2.2 Clause 2.1 ends two years after this agreement ends.

## 3. General
3.1 The law of Queensland governs this agreement.
"""


async def test_a_short_clause_of_a_standard_type_is_shown_whole(
    services: Services, ada: Caller, matter: dict[str, Any], add_file: Add
) -> None:
    await add_file("scaffold hire.md", HIRE)
    answer = await ask(
        graph,
        services,
        ada,
        "How long do the confidentiality obligations last?",
        context=RunContext(matter_id=matter["id"]),
    )
    shown = " ".join(c["text"] for c in answer.citations if c["standing"] == "answer")
    assert "customer names confidential" in shown
    assert "ends two years after this agreement ends" in shown


LIMITS = """\
SOFTWARE AGREEMENT

10. Liability

10.1 The Supplier is not liable for loss of profit.

10.2 The Supplier's liability under this agreement is limited to $500,000. The limit does not apply to clause 8.3 or to death.

Page 2 of 2

10.3 The Customer must mitigate its loss.

11. Support

11.1 The Supplier answers calls on business days from nine to five.
Signed for the Supplier: ______________
"""


@pytest.mark.parametrize(
    ("question", "asked", "shown", "not_shown"),
    [
        (
            "What is the supplier's liability limited to?",
            "limited to $500,000",
            "The limit does not apply to clause 8.3 or to death.",
            "Page 2",
        ),
        ("On which days does the supplier answer calls?", "answers calls", "from nine to five.", "Signed"),
    ],
)
async def test_a_short_clause_is_shown_whole_and_nothing_behind_it(
    services: Services,
    ada: Caller,
    matter: dict[str, Any],
    add_file: Add,
    question: str,
    asked: str,
    shown: str,
    not_shown: str,
) -> None:
    await add_file("software.txt", LIMITS)
    answer = await ask(graph, services, ada, question, context=RunContext(matter_id=matter["id"]))
    (clause,) = (c["text"] for c in answer.citations if asked in c["text"])
    assert clause.endswith(shown)
    assert not_shown not in clause
