"""The tool ask_documents: one question to many documents, as the caller."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from integration.graph_runs import Put
from orderly.agent.middleware.run_context import RunContext
from orderly.agent.run import Conversation, ask
from orderly.agent.tools import ask_documents
from orderly.graph import graph
from orderly.models import Caller
from orderly.wiring.services import Operator, Services
from support.revisions import republish, revision_of
from support.scripted_model import Reply, Stream, texts

Add = Callable[..., Awaitable[str]]
Acting = Callable[[Caller], dict[str, Any]]
Call = Callable[..., Awaitable[str]]

LEASE = """\
LEASE

This lease is made on 1 July 2023 between Kurrajong Property Ltd and Wattle Stores Ltd.

1. Governing law

1.1 This lease is governed by the laws of New South Wales.

2. Insurance

2.1 The tenant shall maintain public liability insurance of not less than $20,000,000.
"""
DEED = """\
DEED OF GUARANTEE

This deed is made on 4 July 2023 between Acacia Bank Ltd and Jane Citizen.

1. Governing law

1.1 This Agreement is governed by the laws of Victoria.
"""
EMPLOYMENT = """\
EMPLOYMENT AGREEMENT

1. Ending your employment

1.1 Either of us may end your employment by giving the other four weeks' written notice.

1.2 We may dismiss you at once for fraud or theft, and then you are paid up to that day only.

2. Equipment

2.1 We lend you a telephone. It may be used in public, and you give it back when your employment ends.
"""


@pytest.fixture
async def files(matter: dict[str, Any], add_file: Add) -> list[str]:
    return [await add_file("Shop.txt", LEASE), await add_file("Guarantee.txt", DEED)]


@pytest.fixture
def call(ada: Caller, acting: Acting) -> Call:
    async def invoke(**arguments: Any) -> str:
        text: str = await ask_documents.ainvoke(arguments, acting(ada))
        return text

    return invoke


async def test_values_stand_in_words_and_a_calculated_date_is_called_so(
    call: Call, matter: dict[str, Any], add_file: Add
) -> None:
    for years in (2, 4):
        await add_file(
            f"Supply {years}.txt",
            f"SUPPLY AGREEMENT\n\n1. Term\n\n1.1 This Agreement starts on 1 March 2024 and continues for {years} years.",
        )
    text = await call(question="How long is the term of each agreement?", matter_id=matter["id"])
    assert "Value: 2 years\n" in text and "Value: 4 years\n" in text
    text = await call(question="When does each agreement end?", matter_id=matter["id"])
    assert "Value: calculated: 1 March 2026\n" in text


async def test_every_document_of_a_matter_answers_in_one_call(call: Call, matter: dict[str, Any], files: list[str]) -> None:
    text = await call(question="Which law governs the agreement?", matter_id=matter["id"])
    assert "Asked: 2 of 2 documents; answered in 2, likely in 0." in text
    assert "[Guarantee.txt, Section 1.1" in text and "the laws of Victoria" in text
    assert "the laws of New South Wales" in text
    text = await call(question="Which agreements are governed by the law of Victoria?", matter_id=matter["id"])
    assert (
        "answered in 1" in text and "Searched: clauses on governing law (Victoria, Australia); none found in: Shop.txt." in text
    )
    text = await call(question="Which agreements are not governed by the law of Victoria?", matter_id=matter["id"])
    assert "Searched: clauses on governing law (other than Victoria, Australia); none found in: Guarantee.txt." in text
    text = await call(question="What insurance must be maintained?", matter_id=matter["id"])
    assert "$20,000,000" in text and "Searched: clauses on insurance; none found in: Guarantee.txt." in text


async def test_a_document_that_cannot_be_read_does_not_count_as_asked(
    call: Call, matter: dict[str, Any], files: list[str], add_file: Add
) -> None:
    await add_file("Deed.pdf", b"%PDF-1.7\n" + bytes(400))
    text = await call(question="Which law governs the agreement?", matter_id=matter["id"])
    assert "Asked: 2 of 3 documents; answered in 2, likely in 0." in text
    assert "Not read: Deed.pdf (" in text


async def test_documents_are_chosen_by_id_or_by_name_and_pages_go_on(
    call: Call, matter: dict[str, Any], files: list[str]
) -> None:
    law = "Which law governs the agreement?"
    by_id = await call(question=law, document_ids=[files[1]])
    assert "Asked: Guarantee.txt." in by_id and "New South Wales" not in by_id
    by_name = await call(question="Which law governs the Acacia deed?", matter_id=matter["id"])
    assert "Asked: Guarantee.txt." in by_name and "New South Wales" not in by_name
    second = await call(question=law, document_ids=files, first=1)
    assert "Victoria" in second and "New South Wales" not in second
    assert "Name the matter" in await call(question=law)


async def test_documents_that_a_name_fits_alike_are_listed(
    call: Call, matter: dict[str, Any], add_file: Add, files: list[str]
) -> None:
    await add_file("Barn.txt", LEASE.replace("Wattle Stores", "Myrtle Mills").replace("New South Wales", "Queensland"))
    text = await call(question="Which law governs the Kurrajong lease?", matter_id=matter["id"])
    assert "The name fits 2 documents alike; all of them were asked: " in text and "Queensland" in text
    listed = text.partition("asked: ")[2].partition("\n")[0]
    assert "Barn.txt" in listed and "Shop.txt" in listed and "Guarantee.txt" not in listed


async def test_a_name_that_fits_more_than_three_documents_is_asked_back(
    call: Call, matter: dict[str, Any], add_file: Add
) -> None:
    for n in range(4):
        await add_file(f"Unit_{n}.txt", LEASE.replace("Wattle Stores", f"Tenant {n}"))
    for n in range(23):
        await add_file(f"Note_{n}.txt", f"A note on matter {n} of the seaside village.")
    law = "Which law governs the Kurrajong lease?"
    text = await call(question=law, matter_id=matter["id"])
    assert "The name fits 4 documents:" in text and text.count("- Unit_") == 4 and "Note_" not in text
    assert "New South Wales" in await call(question=f"{law}\nUnit_2", matter_id=matter["id"])
    assert "answered in 4" in await call(question=f"{law}\nAll of them, please.", matter_id=matter["id"])


async def test_a_term_that_gives_no_date_is_likely_in_many_documents_and_an_unknown_subject_shows_what_is_near(
    call: Call, matter: dict[str, Any], add_file: Add
) -> None:
    await add_file(
        "Build.txt", "AGREEMENT\n\n10. Duration\n\nThis Agreement shall terminate 5 (five) years after the Completion Date.\n"
    )
    for n in range(4):
        await add_file(f"Note_{n}.txt", f"NOTE {n}\n\nThe gardener of lot {n} keeps the hedges low and waters the lawn.\n")
    text = await call(question="Which of these agreements end after a fixed number of years?", matter_id=matter["id"])
    assert "answered in 0, likely in 1" in text and "shall terminate 5 (five) years" in text
    assert "Searched: clauses on term and expiry; none found in: Note_0.txt, " in text
    text = await call(question="Where is the helicopter refuelled?", matter_id=matter["id"])
    assert "Nearest passages, not confirmed as an answer:" in text and "Searched: the words of the question; no clear" in text


async def test_a_misspelt_word_finds_its_clause(call: Call, matter: dict[str, Any], files: list[str]) -> None:
    text = await call(question="What insuranse must be maintained?", matter_id=matter["id"])
    assert "Read as: insurance for insuranse." in text and "answered in 1" in text and "$20,000,000" in text
    assert "Read as" not in await call(question="Is there a tenant of the Kurrajong lease?", matter_id=matter["id"])


async def test_a_follow_up_keeps_the_question_and_then_the_document(
    services: Services, ada: Caller, matter: dict[str, Any], files: list[str]
) -> None:
    conversation = Conversation()

    async def put(question: str) -> Any:
        context = RunContext(matter_id=matter["id"])
        return await ask(graph, services, ada, question, context=context, conversation=conversation)

    assert "New South Wales" in (await put("Which law governs the Kurrajong lease?")).text
    other = await put("And in the Acacia deed?")
    assert "the laws of Victoria" in other.text and "New South Wales" not in other.text
    assert [(c["document_name"], c["standing"]) for c in other.citations] == [("Guarantee.txt", "answer")]
    insured = await put("And insurance in the Kurrajong lease?")
    assert "$20,000,000" in insured.text
    assert "Victoria" not in insured.text and {c["document_name"] for c in insured.citations} == {"Shop.txt"}


@pytest.mark.parametrize("follow_up", ["And on public holidays?", "And in winter?"])
async def test_a_follow_up_with_a_new_circumstance_does_not_repeat_the_answer_as_one(
    services: Services, ada: Caller, matter: dict[str, Any], add_file: Add, follow_up: str
) -> None:
    """Nothing answers where no sentence says the circumstance; what was found before is likely or the nearest."""
    await add_file("Employment - Lee Doyle.txt", EMPLOYMENT)
    turns = Conversation()
    context = RunContext(matter_id=matter["id"])
    notice = "the other four weeks' written notice"
    answer = await ask(
        graph, services, ada, "How much notice ends Lee Doyle's employment?", context=context, conversation=turns
    )
    assert notice in answer.text
    answer = await ask(graph, services, ada, follow_up, context=context, conversation=turns)
    assert answer.text.startswith(("I found no answer", "Likely, not confirmed")) and notice in answer.text
    assert "answer" not in {citation["standing"] for citation in answer.citations}


async def test_a_new_version_is_named_by_its_own_parties(
    call: Call, files: list[str], services: Services, operator: Operator, ada: Caller, matter: dict[str, Any]
) -> None:
    law = "Which law governs the {} lease?"
    assert "Asked: Shop.txt." in await call(question=law.format("Wattle"), matter_id=matter["id"])
    await republish(
        services.store, ada, operator.worker, revision_of(files[0], LEASE.replace("Wattle Stores", "Zanthorpe Mills"))
    )
    assert "Asked: Shop.txt." in await call(question=law.format("Zanthorpe"), matter_id=matter["id"])


async def test_one_of_many_leases_answers_in_its_own_clause_whether_the_tenant_can_be_moved(
    call: Call, matter: dict[str, Any], add_file: Add
) -> None:
    works = "The Landlord may renovate the Building and close parts of it for ten days."
    moves = "The Landlord may require the Tenant to move to other premises in the Building on three months' notice."
    assigns = "The Tenant must not assign this lease without the consent of the Landlord."
    for n in range(6):
        clause = moves if n == 0 else works
        await add_file(f"Lease_{n}.txt", f"LEASE {n}\n\n3. {assigns}\n\n4. {clause}\n\n5. The Tenant pays the outgoings.\n")
    for question in (
        "May the landlord make us move to other premises?",
        "Can we be made to move to another shop in the building?",
    ):
        text = await call(question=question, matter_id=matter["id"])
        assert "answered in 1, likely in 0" in text and f'"{moves}"' in text, text


async def test_a_standard_clause_is_found_in_each_of_many_documents_by_its_kind(
    call: Call, matter: dict[str, Any], files: list[str], add_file: Add
) -> None:
    secret = "5. Confidentiality\n\n5.1 Each party shall keep the other party's trade secrets in strict confidence.\n"
    hushed = "3. Trade secrets\n\n3.1 The recipient shall not disclose any Confidential Information of the discloser.\n"
    await add_file("Supply.txt", LEASE.replace("LEASE", "SUPPLY AGREEMENT") + secret)
    await add_file("Agency.txt", LEASE.replace("LEASE", "AGENCY AGREEMENT") + hushed)
    await add_file("Loan.txt", DEED.replace("DEED OF GUARANTEE", "LOAN AGREEMENT"))
    text = await call(question="Which documents have a confidentiality clause?", matter_id=matter["id"])
    assert "Asked: 5 of 5 documents; answered in 2, likely in 0." in text
    assert "strict confidence" in text and "shall not disclose" in text
    assert "Searched: clauses on confidentiality; none found in: " in text


async def test_what_was_asked_is_counted_against_a_claim_of_absence_in_the_answer_and_not_beside_a_call(
    put: Put, matter: dict[str, Any], files: list[str]
) -> None:
    claim = (
        "“This lease is governed by the laws of New South Wales.” [Shop.txt]\n\nNeither document names the law that governs."
    )
    listing = {"index": 0, "id": "c", "type": "function", "function": {"name": "list_matters", "arguments": "{}"}}
    asked = [("ask_documents", {"question": "Which law governs?", "document_ids": files[:2]})]

    def script(request: dict[str, Any]) -> Reply:
        beside = Stream([{"content": claim}, {"tool_calls": [listing]}], finish="tool_calls")
        return (asked, beside, claim)[len(texts(request, "tool"))]

    state, _ = await put(script, "Which law is it?", RunContext(matter_id=matter["id"]))
    beside, answer = (message for message in state["messages"] if message.type == "ai" and message.text)
    assert "names the law that governs (1)" not in beside.text and "Check before" not in beside.text
    assert not {"checks", "body", "source_ids"} & {*beside.additional_kwargs}
    [told] = [check for check in answer.additional_kwargs["checks"] if check["reason"]]
    assert told["reason"] == "It was asked of 2 of 2 documents, and found in 2."
    assert f"- Neither document names the law that governs — {told['reason']}" in answer.text
