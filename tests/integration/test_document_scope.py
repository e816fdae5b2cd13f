"""A run that is restricted to documents reads no others, whatever is asked."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

import pytest

from integration.graph_runs import Put
from integration.test_ask_documents import DEED, LEASE
from orderly.agent.middleware.run_context import RunContext
from orderly.agent.run import Conversation, ask
from orderly.errors import Invalid
from orderly.graph import graph
from orderly.models import Caller
from orderly.services.library import put_question
from orderly.services.search.keyword_queries import KeywordQuery
from orderly.wiring.services import Services
from orderly_evaluation.model_script.costs import one_agent
from support.scripted_model import texts

Add = Callable[..., Awaitable[str]]


@pytest.fixture
async def files(matter: dict[str, Any], add_file: Add) -> list[str]:
    return [await add_file("Shop.txt", LEASE), await add_file("Guarantee.txt", DEED)]


async def test_an_answer_comes_from_the_chosen_documents_only_and_says_how_many_there_are(
    services: Services, ada: Caller, matter: dict[str, Any], files: list[str]
) -> None:
    conversation = Conversation()

    async def put(question: str, *documents: str) -> Any:
        context = RunContext(matter_id=matter["id"], document_ids=list(documents) or None)
        return await ask(graph, services, ada, question, context=context, conversation=conversation)

    kept = await put("Which law governs the agreements?", files[1])
    assert {c["document_name"] for c in kept.citations} == {"Guarantee.txt"}
    assert "New South Wales" not in kept.text
    assert "Shop.txt" not in (await put("Which documents are in this matter?", files[1])).text
    named = await put("What insurance must the tenant of the Kurrajong lease maintain?", files[1])
    assert "$20,000,000" not in named.text
    both = await put("Which law governs the agreements?")
    assert {c["document_name"] for c in both.citations} == {"Guarantee.txt", "Shop.txt"}


async def test_the_name_of_another_document_is_no_subject_of_the_chosen_ones(
    services: Services, ada: Caller, matter: dict[str, Any], files: list[str]
) -> None:
    kept = replace(ada, documents=(files[1],))
    result = await put_question(services.library, kept, "Which law governs the Kurrajong lease?", matter["id"])
    assert result.asked.question == "Which law governs the agreement?"
    assert [(a.document_id, a.presence) for a in result.answers] == [(files[1], "answer")]


async def test_services_refuse_documents_outside_the_restriction(
    services: Services, ada: Caller, matter: dict[str, Any], files: list[str]
) -> None:
    kept = replace(ada, documents=(files[1],))
    for work in (
        services.library.extract(kept, files[0], "Which law governs?"),
        services.library.text(kept, files[0]),
        services.library.resolve(kept, files[0], "the laws of New South Wales"),
        put_question(services.library, kept, "Which law governs?", None, [files[0]]),
    ):
        with pytest.raises(Invalid, match="kept to chosen documents"):
            await work
    for within in (None, [files[0]], files):
        found = await services.library.search(kept, matter["id"], "laws", 10, within)
        assert {p.document_id for p in found.passages} == {files[1]}
    counted = await services.keywords.search(kept, matter["id"], KeywordQuery("laws"))
    assert {d["id"] for d in counted.documents} == {files[1]}


async def test_a_run_is_kept_to_matters_and_documents_that_are_named(
    put: Put, matter: dict[str, Any], add_file: Callable[..., Awaitable[str]]) -> None:  # fmt: skip
    await add_file("Kurrajong_Lease.txt", "1. Rent\nThe Lessee pays a rent of $1,000 a month.\n")
    await add_file("Wattle_Lease.txt", "1. Rent\nThe Lessee pays a rent of $2,000 a month.\n")
    script = one_agent([[("isaacus_search", {"query": "rent a month"})]], "Done.")
    for named in (
        RunContext(matter_id=matter["title"].upper(), document_ids=["Kurrajong lease"]),
        RunContext(matter_ids=[matter["slug"]], document_ids=["kurrajong_lease.txt"]),
        RunContext(matter_ids=[matter["number"]], document_ids=["Kurrajong"]),
    ):
        _, model = await put(script, "What is the rent?", named)
        found = texts(model.requests[-1], "tool")[0]
        assert "$1,000" in found and "$2,000" not in found
    for wrong in (RunContext(matter_ids=["Jones"]), RunContext(matter_id=matter["id"], document_ids=["Banksia deed"])):
        _, model = await put(script, "What is the rent?", wrong)
        error = texts(model.requests[-1], "tool")[0]
        assert "not found or you don't have access" in error and (matter["number"] in error or "Kurrajong_Lease.txt" in error)
