"""Answers over Isaacus: the cited place, the answer's scores, an Isaacus that does not answer, a rejected key."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Awaitable, Callable
from typing import Any

import httpx
import pytest
import respx
from pydantic import SecretStr

from orderly.agent import tools
from orderly.errors import EngineUnavailable
from orderly.models import Caller
from orderly.services.engines.isaacus.request_limiter import RequestLimiter
from orderly.services.engines.local import LocalEngine
from orderly.settings import Settings
from orderly.wiring.services import Services
from support.isaacus_peer import KEY, IsaacusPeer, problem
from support.lease import LEASE

Add = Callable[..., Awaitable[str]]
Acting = Callable[[Caller], dict[str, Any]]
ENGINE_SECONDS = 1.0
UUID = r"[0-9a-f-]{36}"


@pytest.fixture
def peer(respx_mock: respx.MockRouter) -> IsaacusPeer:
    return IsaacusPeer().mount(respx_mock)


@pytest.fixture
def settings(settings: Settings) -> Settings:
    return settings.model_copy(update={"isaacus_api_key": SecretStr(KEY), "isaacus_seconds": ENGINE_SECONDS})


SERVICES = "\n\n".join((
    "MASTER SERVICES AGREEMENT",
    "1. Insurance\n1.1 The Supplier shall hold public liability cover of ten million dollars. " + "Cover is kept up. " * 30,
    "2. Fees\n2.1 The Customer shall pay the invoiced amounts within thirty days of receipt. " + "Invoices are itemised. " * 20,
    "3. Termination\n3.1 Either party may terminate this agreement by giving ninety days' written notice.\n"
    "3.2 On termination the Supplier shall return all papers.",
    "4. Notices\n4.1 A notice is in writing and is sent to the address of the other party.",
))  # fmt: skip


def chunked(peer: IsaacusPeer, size: int) -> None:
    """Chunks of a fixed size, as the classification model's window makes them."""
    real = peer.answer

    def answer(path: str, body: dict[str, Any]) -> httpx.Response:
        if path != "/classifications/universal":
            return real(path, body)
        real(path, body)
        items = []
        for index, text in enumerate(body["texts"]):
            spans = [(start, min(start + size, len(text))) for start in range(0, len(text), size)]
            stripped = [(a + len(text[a:b]) - len(text[a:b].lstrip()), b) for a, b in spans if text[a:b].strip()]
            chunks = [
                {"index": n, "start": a, "end": b, "text": text[a:b], "score": 0.9 if "terminat" in text[a:b].lower() else 0.1}
                for n, (a, b) in enumerate(stripped)
            ]
            score = max(c["score"] for c in chunks)
            if "contract" in body["query"]:
                score = 0.9
            items.append({"index": index, "score": score, "chunks": chunks})
        return httpx.Response(200, json={"classifications": items, "usage": {"input_tokens": 1}})

    peer.answer = answer  # type: ignore[method-assign]


async def test_a_clause_is_cited_where_it_stands_not_where_its_chunk_begins(
    peer: IsaacusPeer, services: Services, ada: Caller, add_file: Add, acting: Acting
) -> None:
    chunked(peer, 2_000)
    document = await add_file("services.txt", SERVICES)
    text = await tools.isaacus_classify.ainvoke({"document_id": document, "clause_types": ["termination"]}, acting(ada))
    assert re.search(r'  • Section 3[^\n]*: "(3\. )?(Termination )?3?\.?1? ?Either party may terminate', text), text
    assert "Insurance" not in text and "public liability" not in text and "A notice is in writing" not in text


async def test_a_clause_of_a_text_without_sections_is_cited_by_its_paragraph(
    peer: IsaacusPeer, services: Services, ada: Caller, add_file: Add, acting: Acting
) -> None:
    chunked(peer, 2_000)
    letter = "\n\n".join((
        "We agree to keep the boat insured against loss at sea for as long as it is hired out to you.",
        "Either of us may terminate the hire on a week's notice to the other.",
        "The boat is to be returned clean.",
    ))  # fmt: skip
    document = await add_file("letter.txt", letter)
    report = await services.library.classify(ada, document, ["termination"])
    assert [p.text for p in report.found["termination"]] == [letter.split("\n\n")[1]]


SPANS = (
    ("ninety (90) days' written notice", 0.1146),
    ("five (5) years from the commencement date", 0.0703),
    ("eight percent (8%) per annum", 0.0312),
    ("at once if the Lessee becomes insolvent", 0.0290),
)


def extracting(peer: IsaacusPeer, inextractability: float) -> None:
    real = peer.answer

    def answer(path: str, body: dict[str, Any]) -> httpx.Response:
        if path != "/extractions/qa":
            return real(path, body)
        [text] = body["texts"]
        answers = [
            {"text": span, "start": text.index(span), "end": text.index(span) + len(span), "score": score}
            for span, score in SPANS
        ]
        extraction = {"index": 0, "answers": answers, "inextractability_score": inextractability}
        return httpx.Response(200, json={"extractions": [extraction], "usage": {"input_tokens": 1}})

    peer.answer = answer  # type: ignore[method-assign]


QUESTION = "What is the termination notice period?"


async def test_the_best_span_is_the_answer_and_near_ones_are_further_candidates(
    peer: IsaacusPeer, services: Services, ada: Caller, add_file: Add, acting: Acting
) -> None:
    extracting(peer, 0.0027)
    document = await add_file("lease.txt", LEASE)
    text = await tools.isaacus_extract.ainvoke({"document_id": document, "question": QUESTION}, acting(ada))
    assert re.match(
        r"Answer found in \[lease\.txt\]:\n\n"
        rf'Question: "{re.escape(QUESTION)}"\n\n'
        rf'Answer: "{re.escape(SPANS[0][0])}"\n\n'
        r"Source: Section 3\.1[^\n]*\n"
        r"Confidence: 0\.11\n"
        r"Inextractability score: 0\.0027\n"
        rf"ID: {UUID}[^\n]*\n",
        text,
    ), text
    assert text.count("\nAnswer: ") == 1
    _, _, further = text.partition("\nFurther candidates, less sure:\n")
    assert SPANS[1][0] in further, "at least half of the best score"
    assert SPANS[2][0] not in text and SPANS[3][0] not in text


async def test_without_an_answer_both_scores_are_shown(
    peer: IsaacusPeer, services: Services, ada: Caller, add_file: Add, acting: Acting
) -> None:
    extracting(peer, 0.2)
    document = await add_file("lease.txt", LEASE)
    text = await tools.isaacus_extract.ainvoke({"document_id": document, "question": QUESTION}, acting(ada))
    assert text.startswith(f"No answer found for: '{QUESTION}'. The document may not contain this information.\n")
    assert "Best score: 0.1146; inextractability score: 0.2000." in text
    _, _, nearest = text.partition("Nearest passages, not confirmed as an answer:\n")
    assert SPANS[0][0] in nearest and SPANS[1][0] not in text


def hang(peer: IsaacusPeer, router: respx.MockRouter, path: str) -> None:
    """Isaacus accepts the request and never answers."""

    async def never(request: httpx.Request) -> httpx.Response:
        if request.url.path.endswith(path):
            await asyncio.sleep(600)
        return peer(request)

    router.route(host="api.isaacus.com").mock(side_effect=never)


@pytest.mark.parametrize("path", ["/embeddings", "/rerankings"])
@pytest.mark.parametrize("matter_ref", ["own", "all"])
async def test_a_search_gives_its_keyword_results_in_time_when_isaacus_hangs(
    peer: IsaacusPeer, respx_mock: respx.MockRouter, ada: Caller, matter: dict[str, Any], add_file: Add, acting: Acting,
    path: str, matter_ref: str,
) -> None:  # fmt: skip
    await add_file("lease.txt", LEASE)
    hang(peer, respx_mock, path)
    asked = {"matter_id": "all" if matter_ref == "all" else matter["number"], "query": "written notice"}
    started = time.monotonic()
    text = await tools.isaacus_search.ainvoke(asked, acting(ada))
    assert time.monotonic() - started < ENGINE_SECONDS + 5
    assert text.startswith("Search temporarily unavailable. Falling back to keyword search...\n")
    assert "ninety (90) days' written notice" in text
    footer = text.splitlines()[-1]
    assert footer.startswith("Engine: keyword search") and footer.endswith("Isaacus did not answer in time.")
    assert "Kanon" not in text


@pytest.mark.parametrize("tool", ["isaacus_extract", "isaacus_classify"])
async def test_extract_and_classify_say_in_time_that_isaacus_hangs(
    peer: IsaacusPeer, respx_mock: respx.MockRouter, services: Services, ada: Caller, add_file: Add, acting: Acting, tool: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    async def never(*_: Any, **__: Any) -> Any:
        raise AssertionError("the offline engine was asked")

    monkeypatch.setattr(LocalEngine, "extract", never)
    document = await add_file("lease.txt", LEASE)
    hang(peer, respx_mock, "")
    asked = {"document_id": document, **({"question": QUESTION} if tool == "isaacus_extract" else {})}
    started = time.monotonic()
    text = await getattr(tools, tool).ainvoke(asked, acting(ada))
    assert time.monotonic() - started < ENGINE_SECONDS + 5
    assert text == "Error: The legal engine gave no answer. Isaacus did not answer in time."


async def test_the_limit_counts_retries_and_the_wait_for_a_slot_together(
    peer: IsaacusPeer, services: Services, ada: Caller, add_file: Add, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = await add_file("lease.txt", LEASE)
    peer.failing["/extractions/qa"] = httpx.Response(503, headers={"retry-after": "30"})
    started = time.monotonic()
    with pytest.raises(EngineUnavailable):
        await services.library.extract(ada, document, QUESTION)
    assert time.monotonic() - started < ENGINE_SECONDS + 5

    async def no_slot(_: RequestLimiter) -> None:
        await asyncio.sleep(60)

    monkeypatch.setattr(RequestLimiter, "_enter", no_slot)
    started = time.monotonic()
    with pytest.raises(EngineUnavailable, match="did not answer in time"):
        await services.library.extract(ada, document, QUESTION)
    assert time.monotonic() - started < ENGINE_SECONDS + 5


@pytest.mark.parametrize(
    ("status", "title", "said"),
    [
        (401, "Incorrect API key error", "Isaacus rejected the API key. Check ISAACUS_API_KEY."),
        (403, "Access forbidden error", "The Isaacus API key is not allowed to do this."),
        (402, "Overdue account error", "The Isaacus account is overdue."),
        (403, "No subscription error", "The Isaacus account has no subscription."),
    ],
)
async def test_a_rejected_key_and_a_blocked_account_are_called_that(
    peer: IsaacusPeer, ada: Caller, matter: dict[str, Any], add_file: Add, acting: Acting, status: int, title: str, said: str
) -> None:  # fmt: skip
    document = await add_file("lease.txt", LEASE)
    for path in ("/embeddings", "/rerankings", "/extractions/qa", "/classifications/universal"):
        peer.failing[path] = problem(status, title)
    text = await tools.isaacus_search.ainvoke({"matter_id": matter["id"], "query": "written notice"}, acting(ada))
    assert text.startswith(f"{said} Falling back to keyword search...\n") and "temporarily" not in text
    assert "ninety (90) days' written notice" in text
    for tool, more in ((tools.isaacus_extract, {"question": QUESTION}), (tools.isaacus_classify, {})):
        text = await tool.ainvoke({"document_id": document, **more}, acting(ada))
        assert text == f"Error: The legal engine gave no answer. {said}"


async def test_isaacus_is_asked_in_the_users_words_and_its_answer_stands(
    peer: IsaacusPeer, services: Services, ada: Caller, matter: dict[str, Any], add_file: Add, acting: Acting
) -> None:
    """An answer without a word in common with the question is the answer; names narrow the documents and stay in the words."""
    extracting(peer, 0.0027)
    await add_file("Marigold lease.txt", LEASE)
    question = "In the Marigold lease, who gets kicked out if they go broke?"
    asked = {"question": question, "matter_id": matter["number"]}
    text = await tools.ask_documents.ainvoke(asked, acting(ada))
    assert f'Question: "{question}"' in text and "Asked: Marigold lease.txt." in text and SPANS[0][0] in text, text
    assert {body["query"] for path, body in peer.requests if path == "/extractions/qa"} <= {question}
    bodies = [body for path, body in peer.requests if path == "/embeddings"]
    await tools.isaacus_search.ainvoke({"matter_id": matter["number"], "query": question}, acting(ada))
    sent = [body for path, body in peer.requests if path == "/embeddings"][len(bodies) :]
    assert [body["texts"] for body in sent] == [[question]]
    assert [body["query"] for path, body in peer.requests if path == "/rerankings"] == [question]
