"""Whole answers of the offline planner to questions about documents that resemble each other."""

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

EMPLOYMENT = """\
EMPLOYMENT CONTRACT

This contract of employment is made on 3 March 2024 between Banksia Tools Pty Ltd (the Company) and Jane Citizen (the Employee).

1. Salary

1.1 The Company pays the Employee a salary of $96,000 a year, in monthly instalments.

2. Ending the employment

2.1 Either party may end the employment by giving the other four weeks' notice in writing.

3. Governing law

3.1 This contract is governed by the law of Victoria.
"""
SERVICES = """\
SERVICES AGREEMENT

This services agreement is made on 1 July 2023 between Grevillea Foods Pty Ltd (the Client) and Banksia Tools Pty Ltd (the Supplier).

1. Indemnity

1.1 The Supplier shall indemnify the Client against all claims of third parties that arise from the Supplier's negligence.

2. Termination

2.1 Either party may terminate this Agreement by providing ninety (90) days' written notice to the other party.

3. Governing law

3.1 This Agreement is governed by the laws of New South Wales.
"""


HAULAGE = """\
HAULAGE AGREEMENT

This haulage agreement is made on 4 May 2024 between Boronia Freight Pty Ltd (the Carrier) and Wattle Mills Pty Ltd (the Shipper).

1. Carriage

1.1 The Carrier moves the Goods on the days that the Shipper chooses, unless the Goods are

found to be dangerous. The Carrier shall indemnify and hold harmless the Shipper against all claims, losses and damages that arise
from the carriage of the Goods.

2. Indemnity

2.1 The Carrier shall indemnify and hold harmless the Shipper against all claims, losses and damages that arise from the carriage of
the Goods.

3. Disputes and waiting

3.1 The parties first meet to talk about what divides them.

4. Governing law

4.1 This Agreement is governed by the laws of Queensland.
"""


@pytest.fixture
async def answer(services: Services, ada: Caller, matter: dict[str, Any], add_file: Add) -> Ask:
    await add_file("Employment_Contract.txt", EMPLOYMENT)
    await add_file("Service_Agreement.txt", SERVICES)

    async def put(question: str) -> str:
        return (await ask(graph, services, ada, question, context=RunContext(matter_id=matter["id"]))).text

    return put


async def test_a_question_about_the_employment_is_not_answered_from_another_agreement(answer: Ask) -> None:
    text = await answer("What notice must be given to end the employment?")
    assert "four weeks' notice in writing" in text and "ninety (90) days" not in text
    assert "No answer was found in: Employment_Contract.txt" not in text


async def test_the_document_that_is_meant_answers_first(answer: Ask) -> None:
    text = await answer("Which law governs the service?")
    assert text.index("the laws of New South Wales") < text.index("the law of Victoria"), text


async def test_a_clause_type_is_read_from_the_question(answer: Ask) -> None:
    text = await answer("Which clauses on indemnity does the service agreement contain?")
    assert "**Indemnity**" in text and "The Supplier shall indemnify the Client" in text


async def test_a_summary_lists_the_main_headings_and_quotes_whole_sentences_once(
    services: Services, ada: Caller, matter: dict[str, Any], add_file: Add
) -> None:
    await add_file("Haulage.txt", HAULAGE)
    text = (await ask(graph, services, ada, "Summarise the haulage agreement", context=RunContext(matter_id=matter["id"]))).text
    headings = [
        text.index(f"- {h}") for h in ("Section 1 (Carriage)", "Section 2 (Indemnity)", "Section 3 (Disputes and waiting)")
    ]
    assert headings == sorted(headings)
    assert text.count("indemnify and hold harmless") == 1 and "“found" not in text
    assert "**Dispute resolution**" in text and "dispute resolution" not in text.partition("Not found: ")[2]


async def test_a_document_named_in_small_letters_is_summarised_and_no_other(
    services: Services, ada: Caller, matter: dict[str, Any], add_file: Add
) -> None:
    await add_file("Haulage.txt", HAULAGE)
    await add_file("letter_of_credit.txt", EMPLOYMENT)
    text = (await ask(graph, services, ada, "Summarise the letter of credit.", context=RunContext(matter_id=matter["id"]))).text
    assert "of **letter_of_credit.txt**" in text and "Haulage.txt" not in text


async def test_a_summary_of_a_document_named_in_passing_is_of_no_other_of_several(
    services: Services, ada: Caller, matter: dict[str, Any], add_file: Add
) -> None:
    await add_file("Agency.txt", HAULAGE)
    await add_file("Haulage.txt", HAULAGE)
    await add_file("power_of_attorney_template.txt", EMPLOYMENT)
    text = (
        await ask(graph, services, ada, "Summarise the power of attorney.", context=RunContext(matter_id=matter["id"]))
    ).text
    assert "of **power_of_attorney_template.txt**" in text and "Haulage.txt" not in text and "Agency.txt" not in text


OPENING = """\
SUPPLY AGREEMENT

This Agreement is made between Boronia Pty Ltd (the "Maker") and Wattle Pty Ltd (the "Buyer"). In consideration of the mutual
promises herein the parties agree as follows:"""


async def test_a_summary_of_a_contract_without_titles_quotes_its_clauses_in_order(
    services: Services, ada: Caller, matter: dict[str, Any], add_file: Add
) -> None:
    clauses = (
        "The Maker acknowledges that the marks on the mugs belong to Wattle Pty Ltd.",
        "The Maker shall begin no work until both parties have signed this Agreement.",
        "The Maker shall hand the moulds to the Buyer when it asks for them.",
    )
    numbered = "\n\n".join(f"{n}. {clause}" for n, clause in enumerate(clauses, 1))
    await add_file("Makers.txt", f"{OPENING}\n\n{numbered}\n")
    text = (await ask(graph, services, ada, "Summarise the contract", context=RunContext(matter_id=matter["id"]))).text
    assert "“…”" not in text and "Not found" not in text
    assert [text.index(clause) for clause in clauses] == sorted(text.index(clause) for clause in clauses)


async def test_a_chronology_quotes_what_is_dated_in_the_order_of_the_days(
    services: Services, ada: Caller, matter: dict[str, Any], add_file: Add
) -> None:
    told = "The tenant moved out of the shop on 3 May 2019. The lease was signed by the parties on 12 March 2017."
    await add_file("Reasons.txt", f"REASONS FOR JUDGMENT\n\n1. {told}\n\n2. The rent of that year was never paid.\n")
    text = (await ask(graph, services, ada, "Give me a chronology.", context=RunContext(matter_id=matter["id"]))).text
    assert text.index("signed by the parties on 12 March 2017") < text.index("moved out of the shop on 3 May 2019")
    assert "never paid" not in text


async def test_a_summary_of_an_act_lists_its_main_headings(
    services: Services, ada: Caller, matter: dict[str, Any], add_file: Add
) -> None:
    sections = "\n\n".join(
        f"{n}. {title}\n\nA keeper registers the bees." for n, title in ((1, "Short title"), (2, "Registration"))
    )
    await add_file("Bees_Act.txt", f"BEES ACT 1990\n\nAn Act about the keeping of bees\n\n{sections}\n")
    text = (await ask(graph, services, ada, "Summarise the Bees Act", context=RunContext(matter_id=matter["id"]))).text
    assert "- Section 1 (Short title)" in text and "- Section 2 (Registration)" in text


async def test_a_summary_lists_the_headings_below_a_documents_only_title(
    services: Services, ada: Caller, matter: dict[str, Any], add_file: Add
) -> None:
    parts = "\n\n".join(f"## {title}\n\nThe keeper looks after the bees." for title in ("Hives", "Honey", "Winter"))
    await add_file("Bee_Charter.md", f"# Charter of the bees\n\nMade in spring.\n\n{parts}\n")
    text = (await ask(graph, services, ada, "Summarise the Bee Charter", context=RunContext(matter_id=matter["id"]))).text
    assert text.index("- Hives") < text.index("- Honey") < text.index("- Winter")


async def test_a_quotation_with_a_link_of_the_document_is_verified_with_it(
    services: Services, ada: Caller, matter: dict[str, Any], add_file: Add
) -> None:
    clause = 'The policy covers theft of [valuable items](# "opens the editor") up to $10,000 a year.'
    await add_file("policy.md", f"# Cover\n\n{clause}\n\n# Law\n\nThis policy is governed by the law of Victoria.\n")
    text = (
        await ask(graph, services, ada, "What does the policy cover for theft?", context=RunContext(matter_id=matter["id"]))
    ).text
    assert clause in text


async def test_a_summary_quotes_a_clause_with_the_list_that_it_introduces(
    services: Services, ada: Caller, matter: dict[str, Any], add_file: Add
) -> None:
    ends = "5. Termination\n\nThis agreement shall terminate upon:\n\n- written notice of the Carrier\n- an order of a court\n"
    await add_file("Haulage.txt", HAULAGE + ends)
    text = (await ask(graph, services, ada, "Summarise the haulage agreement", context=RunContext(matter_id=matter["id"]))).text
    assert "terminate upon: - written notice of the Carrier - an order of a court” [" in text, text
