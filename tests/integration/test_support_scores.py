"""Isaacus scores whether quotations support the sentences that stand with them."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Any

import httpx
import pytest
import respx
from pydantic import SecretStr

from integration.graph_runs import delegating, once, run
from orderly.agent.middleware.briefing import RunContext
from orderly.models import Caller
from orderly.services.citations import support_scores
from orderly.services.citations.support_scores import LOW, MAX_SENTENCES
from orderly.settings import Settings
from support.isaacus_peer import KEY, IsaacusPeer, problem
from support.lease import LEASE

Add = Callable[..., Awaitable[str]]
Acting = Callable[[Caller], dict[str, Any]]
QUOTED = "“The Lessor may terminate this Lease at once if the Lessee becomes insolvent.” [lease.txt]"
ANSWER = f"Insolvency ends the lease: {QUOTED}. The Lessor may terminate at once: {QUOTED}."
PATH = "/classifications/universal"


@pytest.fixture
def peer(respx_mock: respx.MockRouter) -> IsaacusPeer:
    respx_mock.route(host="127.0.0.1").pass_through()
    return IsaacusPeer().mount(respx_mock)


@pytest.fixture
def settings(settings: Settings) -> Settings:
    return settings.model_copy(update={"isaacus_api_key": SecretStr(KEY), "isaacus_seconds": 1.0})


def scoring(peer: IsaacusPeer, reply: Callable[[dict[str, Any]], httpx.Response]) -> list[dict[str, Any]]:
    """Replies to the requests that score a statement; returns their bodies."""
    real, bodies = peer.answer, []

    def answer(path: str, body: dict[str, Any]) -> httpx.Response:
        if path != PATH or body["texts"] != [QUOTED.split("”", maxsplit=1)[0].strip("“")]:
            return real(path, body)
        real(path, body)
        bodies.append(body)
        return reply(body)

    peer.answer = answer  # type: ignore[method-assign]
    return bodies


def scored(body: dict[str, Any]) -> httpx.Response:
    score = 0.07 if body["query"].startswith("Insolvency") else 0.93
    return httpx.Response(
        200, json={"classifications": [{"index": 0, "score": score, "chunks": None}], "usage": {"input_tokens": 1}}
    )


@pytest.fixture
def ask(
    peer: IsaacusPeer, settings: Settings, ada: Caller, acting: Acting, matter: dict[str, Any], add_file: Add
) -> Callable[[str], Awaitable[str]]:
    async def asked(answer: str) -> str:
        document = await add_file("lease.txt", LEASE)
        research = once(("get_document_text", {"document_id": document}), then="Read.")
        script = delegating(lambda request: answer, research)
        state, _ = await run(settings, script, acting(ada), "How can the lease be ended?", RunContext(matter_id=matter["id"]))
        return str(state["messages"][-1].text)

    return asked


async def test_a_sentence_below_the_threshold_is_marked_after_the_answer(
    peer: IsaacusPeer, ask: Callable[[str], Awaitable[str]]
) -> None:
    bodies = scoring(peer, scored)
    text = await ask(ANSWER)
    assert f"{LOW}\n- Insolvency ends the lease [unsupported: score 0.07]\n\nSources:" in text
    assert text.count("[unsupported") == 1
    assert [body["query"] for body in bodies] == ["Insolvency ends the lease.", "The Lessor may terminate at once."]
    assert not any(body["is_iql"] for body in bodies)


async def test_an_answer_costs_a_bounded_number_of_requests_and_says_what_was_not_scored(
    peer: IsaacusPeer, ask: Callable[[str], Awaitable[str]]
) -> None:
    bodies = scoring(peer, scored)
    text = await ask(" ".join([f"The Lessor may terminate at once: {QUOTED}."] * (MAX_SENTENCES + 3)))
    assert len(bodies) == MAX_SENTENCES
    assert f"Isaacus scored the first {MAX_SENTENCES} of {MAX_SENTENCES + 3} sentences with a quotation." in text


async def test_an_isaacus_that_fails_is_said_and_the_answer_stands(
    peer: IsaacusPeer, ask: Callable[[str], Awaitable[str]]
) -> None:
    scoring(peer, lambda body: problem(400, "Validation error"))
    text = await ask(ANSWER)
    assert "Insolvency ends the lease: “" in text
    assert "\n\nIsaacus could not check whether the quotations support the sentences: " in text
    assert text.index("could not check") < text.index("Sources:")


async def test_an_isaacus_that_hangs_does_not_hold_the_answer_up(
    respx_mock: respx.MockRouter, peer: IsaacusPeer, ask: Callable[[str], Awaitable[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[float] = []

    async def hanging(request: httpx.Request) -> httpx.Response:
        if b"Insolvency ends the lease." in request.content and request.url.path.endswith(PATH):
            asked.append(time.monotonic())
            await asyncio.sleep(60)
        return peer(request)

    monkeypatch.setattr(support_scores, "SECONDS", 0.3)
    respx_mock.route(host="api.isaacus.com").mock(side_effect=hanging)
    text = await ask(ANSWER)
    assert asked and time.monotonic() - asked[0] < 20
    assert "Insolvency ends the lease: “" in text and "[unsupported" not in text
    assert "\n\nIsaacus could not check whether the quotations support the sentences: " in text
