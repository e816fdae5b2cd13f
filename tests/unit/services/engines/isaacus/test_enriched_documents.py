"""Validation of the replies of Isaacus' enricher, and the document that enrichment makes of them."""

from __future__ import annotations

import json
from typing import Any

import httpx
import pytest
import respx

from orderly.errors import EngineMisbehaved, EngineRefused, EngineUnavailable
from orderly.models import Extracted, Heading, Page
from orderly.services.ingestion.document_enrichment import enrich
from orderly.services.isaacus_client import IsaacusClient
from orderly.services.text.sections import find_sections
from support.isaacus_peer import BASE, KEY, IsaacusPeer, document, span

TEXT = (
    "The parties agree as follows. “Goods” means whatever is sold. 𝔘𝔫𝔦.\n\n"
    "Clause Alpha: Delivery\nThe seller delivers the Goods.\n\n"
    "Clause Beta: Price\nThe price is paid on delivery.\n\n"
    "Clause Gamma: Law\nThe law of Ohio governs."
)


def extracted(text: str = TEXT, headings: tuple[Heading, ...] = ()) -> Extracted:
    return Extracted(text, (Page(1, 0, len(text)),), False, "test", headings=headings)


@pytest.fixture
def peer(respx_mock: respx.MockRouter) -> IsaacusPeer:
    return IsaacusPeer().mount(respx_mock)


@pytest.fixture
def client() -> IsaacusClient:
    return IsaacusClient(KEY, max_retries=0)


async def test_structure_terms_and_type_are_returned_as_spans_of_the_text(peer: IsaacusPeer, client: IsaacusClient) -> None:
    [found] = await client.enrich([TEXT])
    assert (found.type, found.jurisdiction) == ("contract", "AU-NSW")
    assert [TEXT[slice(*s.title)] for s in found.segments if s.title] == ["Delivery", "Price", "Law"]
    assert [TEXT[slice(*term.name)] for term in found.terms] == ["Goods"]
    [(path, body)] = peer.requests
    assert (path, body) == ("/enrichments", {"model": "kanon-2-enricher", "texts": [TEXT], "overflow_strategy": "auto"})


async def test_nine_texts_are_sent_as_batches_of_eight_and_one(peer: IsaacusPeer, client: IsaacusClient) -> None:
    texts = [f"Clause Alpha: Title {n}" for n in range(9)]
    found = await client.enrich(texts)
    assert sorted(len(body["texts"]) for _, body in peer.requests) == [1, 8]
    assert [text[slice(*one.segments[0].title)] for text, one in zip(texts, found, strict=True)] == [  # type: ignore[misc]
        f"Title {n}" for n in range(9)
    ]


async def test_a_text_too_large_for_one_request_is_enriched_in_parts(peer: IsaacusPeer, client: IsaacusClient) -> None:
    peer.largest = 120
    [found] = await client.enrich([TEXT])
    assert len(peer.requests) > 1
    assert [TEXT[slice(*s.title)] for s in found.segments if s.title] == ["Delivery", "Price", "Law"]


async def test_offsets_are_shifted_when_the_reply_lacks_surrounding_whitespace(client: IsaacusClient) -> None:
    with respx.mock:
        result = {"index": 0, "document": document(TEXT)}
        respx.post(f"{BASE}/enrichments").mock(return_value=httpx.Response(200, json={"results": [result]}))
        padded = f"\n\n {TEXT}\n"
        [found] = await client.enrich([padded])
    assert [padded[slice(*s.title)] for s in found.segments if s.title] == ["Delivery", "Price", "Law"]
    assert padded[slice(*found.terms[0].name)] == "Goods"


def broken(**changes: Any) -> dict[str, Any]:
    return {**document(TEXT), **changes}


SEGMENT = document(TEXT)["segments"][0]


@pytest.mark.parametrize(
    "results",
    [
        [],
        [{"index": 1, "document": document(TEXT)}],
        [{"index": 0, "document": None}],
        [{"index": 0, "document": broken(text="Another text.")}],
        [{"index": 0, "document": broken(type="novel")}],
        [{"index": 0, "document": broken(jurisdiction=7)}],
        [{"index": 0, "document": broken(segments=None)}],
        [{"index": 0, "document": broken(segments=[{**SEGMENT, "kind": "chapter"}])}],
        [{"index": 0, "document": broken(segments=[{**SEGMENT, "level": -1}])}],
        [{"index": 0, "document": broken(headings=[span(0, len(TEXT) + 1)])}],
        [{"index": 0, "document": broken(headings=[span(4, 4)])}],
        [{"index": 0, "document": broken(headings=[span(3, 8)])}],
        [{"index": 0, "document": broken(headings=[span(0, 11), span(4, 17)], segments=[])}],
    ],
)
@respx.mock
async def test_a_reply_outside_the_documented_format_is_refused(client: IsaacusClient, results: Any) -> None:
    respx.post(f"{BASE}/enrichments").mock(return_value=httpx.Response(200, content=json.dumps({"results": results})))
    with pytest.raises(EngineMisbehaved):
        await client.enrich([TEXT])


@respx.mock
async def test_a_blank_text_is_not_sent(client: IsaacusClient) -> None:
    route = respx.route().mock(return_value=httpx.Response(500))
    with pytest.raises(EngineRefused):
        await client.enrich([" \n"])
    assert (await enrich(client, extracted(" \n"))).details == {}
    assert not route.called


async def test_clauses_without_numbers_become_sections(peer: IsaacusPeer, client: IsaacusClient) -> None:
    assert len(find_sections(TEXT)) < 3, "the text must have no sections without enrichment"
    richer = await enrich(client, extracted())
    sections = find_sections(richer.text, richer.headings, richer.pages)
    assert [(s.label, s.title) for s in sections] == [("Alpha", "Delivery"), ("Beta", "Price"), ("Gamma", "Law")]
    assert TEXT[sections[1].start : sections[1].end] == "Clause Beta: Price\nThe price is paid on delivery."
    facts: Any = richer.details["enrichment"]
    assert (facts["type"], facts["outline"], facts["model"]) == ("contract", True, "kanon-2-enricher")
    [term] = facts["terms"]
    assert (TEXT[slice(*term["name"])], TEXT[slice(*term["meaning"])]) == ("Goods", "whatever is sold")
    json.dumps(richer.details)


async def test_headings_marked_in_the_file_are_kept(peer: IsaacusPeer, client: IsaacusClient) -> None:
    own = (Heading(0, 11, 1, None, "The parties"),)
    richer = await enrich(client, extracted(headings=own))
    assert richer.headings == own
    assert richer.details["enrichment"]["outline"] is False  # type: ignore[index]


async def test_an_outline_without_new_sections_is_ignored(client: IsaacusClient) -> None:
    text = "1. Delivery\n\nThe seller agrees to deliver.\n\n2. Price\n\nIt is paid.\n\n3. Law\n\nThe law of Ohio governs."
    at = text.index("2. Price")
    one = {**SEGMENT, "code": span(at, at + 1), "title": span(at + 3, at + 8), "span": span(at, at + 8)}
    found = {**document(text), "segments": [one]}
    with respx.mock:
        reply = httpx.Response(200, json={"results": [{"index": 0, "document": found}]})
        respx.post(f"{BASE}/enrichments").mock(return_value=reply)
        richer = await enrich(client, extracted(text))
    assert richer.headings == ()
    assert richer.details["enrichment"]["outline"] is False  # type: ignore[index]
    assert len(find_sections(text, richer.headings)) == 3


async def test_a_document_whose_enrichment_fails_is_unchanged_and_says_why(peer: IsaacusPeer, client: IsaacusClient) -> None:
    peer.failing["/enrichments"] = httpx.Response(402)
    plain = extracted()
    same = await enrich(client, plain)
    assert (same.text, same.headings, same.details) == (plain.text, plain.headings, plain.details)
    [reason] = same.incomplete
    assert "could not be enriched: The Isaacus account is overdue." in reason


async def test_a_temporary_failure_is_raised_until_the_last_attempt(peer: IsaacusPeer, client: IsaacusClient) -> None:
    peer.failing["/enrichments"] = httpx.Response(503)
    with pytest.raises(EngineUnavailable):
        await enrich(client, extracted(), last=False)
    assert (await enrich(client, extracted(), last=True)).incomplete
