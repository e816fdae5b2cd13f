"""Search in a matter of several documents, through `Library`."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from orderly.errors import NotFound
from orderly.models import Caller
from orderly.wiring.services import Services

Add = Callable[..., Awaitable[str]]

CONTRACT = """\
{title}

This {title} is made on 1 March 2024 between {one} and {other}.

1. Delivery

1.1 The goods are delivered to the buyer's warehouse within {days} days of each order, at the seller's risk.

2. Termination

2.1 Either party may terminate this agreement without cause by giving {days} days' written notice to the other.

3. Law

3.1 This agreement is governed by the laws of {state}.
"""


@pytest.fixture
async def two_contracts(add_file: Add) -> dict[str, str]:
    return {
        "wattle": await add_file(
            "one.txt",
            CONTRACT.format(
                title="Distribution Agreement",
                one="Wattle Mining Pty Ltd",
                other="Banksia Tools Pty Ltd",
                days=30,
                state="Victoria",
            ),
        ),
        "grevillea": await add_file(
            "two.txt",
            CONTRACT.format(
                title="Supply Agreement",
                one="Grevillea Foods Pty Ltd",
                other="Quandong Cafes Pty Ltd",
                days=90,
                state="Tasmania",
            ),
        ),
    }


async def test_a_query_that_names_a_party_searches_that_partys_contract(
    services: Services, ada: Caller, matter: dict[str, Any], two_contracts: dict[str, str]
) -> None:
    query = "Which law governs the agreement with Quandong Cafes?"
    found = await services.library.search(ada, matter["id"], query, 10)
    assert {p.document_id for p in found.passages} == {two_contracts["grevillea"]}
    assert found.named == ("two.txt",)
    assert "Tasmania" in found.passages[0].text


@pytest.mark.parametrize(
    ("query", "named"),
    [
        ("notice in the employment contract", {"Employment_Contract.txt"}),
        ("What notice does the lease require?", {"Lease 2024.txt"}),
        ("notice in the lease and the employment contract", {"Lease 2024.txt", "Employment_Contract.txt"}),
        ("notice of a lease", set()),
    ],
)
async def test_a_query_that_names_a_kind_of_document_searches_it_and_says_so(
    services: Services, ada: Caller, matter: dict[str, Any], add_file: Add, query: str, named: set[str]
) -> None:
    files = {"Employment_Contract.txt": "four weeks", "Lease 2024.txt": "sixty days", "Terms.txt": "ten days"}
    for name, days in files.items():
        await add_file(name, f"3. Notice\n\nEither party may terminate this agreement by notice of {days}.")
    found = await services.library.search(ada, matter["id"], query, 10)
    assert set(found.named) == named
    assert {p.document_name for p in found.passages} == (named or set(files))


async def test_a_query_that_names_no_document_searches_all(
    services: Services, ada: Caller, matter: dict[str, Any], two_contracts: dict[str, str]
) -> None:
    found = await services.library.search(ada, matter["id"], "Can a party terminate without a reason?", 10)
    assert {p.document_id for p in found.passages[:2]} == set(two_contracts.values())
    assert found.named == ()
    assert set(found.stages) >= {"vectors", "full text", "reranking"}


async def test_within_restricts_the_search_to_the_given_documents(
    services: Services, ada: Caller, matter: dict[str, Any], two_contracts: dict[str, str]
) -> None:
    query = "Which law governs the agreement with Quandong Cafes?"
    found = await services.library.search(ada, matter["id"], query, 10, within=[two_contracts["wattle"]])
    assert {p.document_id for p in found.passages} == {two_contracts["wattle"]}


async def test_the_order_of_results_is_deterministic(
    services: Services, ada: Caller, matter: dict[str, Any], two_contracts: dict[str, str]
) -> None:
    runs = [await services.library.search(ada, matter["id"], "notice of termination", 10) for _ in range(2)]
    assert runs[0].passages and runs[0].passages == runs[1].passages


async def test_a_defined_term_of_every_contract_selects_no_document(
    services: Services, ada: Caller, matter: dict[str, Any], two_contracts: dict[str, str]
) -> None:
    found = await services.library.search(ada, matter["id"], "What does the Agreement say about Termination?", 10)
    assert found.named == ()


async def test_document_names_are_not_revealed_to_non_members(
    services: Services, stranger: Caller, matter: dict[str, Any], two_contracts: dict[str, str]
) -> None:
    with pytest.raises(NotFound):
        await services.store.rpc(stranger, "named_documents", {"matter_id": matter["id"], "words": "Quandong"})


async def test_passages_found_only_by_keywords_are_reranked_too(
    services: Services, ada: Caller, matter: dict[str, Any], add_file: Add
) -> None:
    """More passages are near the question than the vector search returns, and the passage with its keyword is not among them."""
    near = [f"{n}. Either party may terminate this agreement by notice number {n}." for n in range(1, 60)]
    await add_file("long.txt", "\n\n".join([*near, "60. Shelf mark zyzzyva."]))
    result = await services.library.search(ada, matter["id"], "How can the contract be ended, zyzzyva?", 20)
    assert len(result.passages) > 1
    [found] = [p for p in result.passages if "zyzzyva" in p.text]
    similarities = [p.similarity for p in result.passages if p.similarity is not None]
    assert len(similarities) == len(result.passages)
    assert found.similarity == min(similarities)


async def test_words_that_describe_a_named_contract_are_not_what_is_searched_for(
    services: Services, ada: Caller, matter: dict[str, Any], add_file: Add
) -> None:
    property_clauses = "\n\n".join(
        f"{n}.1 Intellectual property in design {n} is assigned, and all property in its documents is retained."
        for n in range(2, 30)
    )
    text = (
        "INTELLECTUAL PROPERTY AGREEMENT\n\nMade between Hertz Ltd and Others Ltd.\n\n"
        f"{property_clauses}\n\n30. Law\n\n30.1 This agreement is governed by the laws of Delaware."
    )
    await add_file("HERTZ_2016-INTELLECTUAL_PROPERTY_AGREEMENT.txt", text)
    query = "Which law governs the Hertz intellectual property agreement?"
    found = await services.library.search(ada, matter["id"], query, 8)
    assert "laws of Delaware" in found.passages[0].text


async def test_relevance_is_low_where_nothing_is_about_the_query(
    services: Services, ada: Caller, matter: dict[str, Any], two_contracts: dict[str, str]
) -> None:
    """The best of passages that are all beside the point is not relevant because it is the best."""
    absent = await services.library.search(ada, matter["id"], "obligation to plant trees or offset carbon emissions", 8)
    present = await services.library.search(ada, matter["id"], "which law governs the agreement", 8)
    assert all(p.score is not None and p.score < 0.4 for p in absent.passages)
    scores = [p.score for p in present.passages if p.score is not None]
    assert scores[0] > 0.8 and scores == sorted(scores, reverse=True)
