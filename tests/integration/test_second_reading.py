"""Isaacus, or a model that is named for it, reads an answer again: whether quotations support its sentences."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from functools import partial
from typing import Any

import httpx
import pytest
import respx
from pydantic import SecretStr

from integration.graph_runs import delegating, once, run
from orderly.agent.middleware import citation_gate
from orderly.agent.middleware.run_context import RunContext
from orderly.models import Caller
from orderly.services.citations import EngineReader, ModelReader, SecondReading
from orderly.services.completions.endpoint import Completions
from orderly.services.support import Evidence
from orderly.settings import Settings
from support.isaacus_peer import KEY, IsaacusPeer, problem
from support.lease import LEASE
from support.scripted_model import Failure, ScriptedModel, serve

Add = Callable[..., Awaitable[str]]
Acting = Callable[[Caller], dict[str, Any]]
QUOTED = "“The Lessor may terminate this Lease at once if the Lessee becomes insolvent.” [lease.txt]"
ANSWER = f"Insolvency ends the lease: {QUOTED}. The Lessor may terminate at once: {QUOTED}."
SUPPORTED = '{"unsupported": []}'
PATH = "/classifications/universal"


async def no_score(document_id: str, statement: str, quotations: Sequence[str]) -> None: ...


ISAACUS = EngineReader(no_score)


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
    assert f"{ISAACUS.finding}\n- Insolvency ends the lease [unsupported: score 0.07]\n\nSources:" in text
    assert text.count("[unsupported") == 1
    assert [body["query"] for body in bodies] == ["Insolvency ends the lease.", "The Lessor may terminate at once."]
    assert not any(body["is_iql"] for body in bodies)


async def test_an_answer_costs_a_bounded_number_of_requests_and_says_what_was_not_scored(
    peer: IsaacusPeer, ask: Callable[[str], Awaitable[str]]
) -> None:
    bodies = scoring(peer, scored)
    text = await ask(" ".join([f"The Lessor may terminate at once: {QUOTED}."] * (ISAACUS.most + 3)))
    assert len(bodies) == ISAACUS.most
    assert f"Isaacus checked the first {ISAACUS.most} of {ISAACUS.most + 3} sentences with a quotation." in text


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

    monkeypatch.setattr(citation_gate, "EngineReader", partial(EngineReader, seconds=0.3))
    respx_mock.route(host="api.isaacus.com").mock(side_effect=hanging)
    text = await ask(ANSWER)
    assert asked and time.monotonic() - asked[0] < 20
    assert "Insolvency ends the lease: “" in text and "[unsupported" not in text
    assert "\n\nIsaacus could not check whether the quotations support the sentences: " in text


READING = {"openai_api_key": SecretStr("key"), "second_model": "reader-1"}
FAILED = "\n\nreader-1 could not check whether the quotations support the sentences: "


@pytest.fixture
def requests() -> list[dict[str, Any]]:
    return []


@pytest.fixture
def reader(requests: list[dict[str, Any]]) -> Iterator[ScriptedModel]:
    def reading(request: dict[str, Any]) -> str:
        requests.append(request)
        return '```json\n{"unsupported": [1]}\n```'

    with serve(reading) as scripted:
        yield scripted


class TestNamedModel:
    @pytest.fixture
    def settings(self, settings: Settings, reader: ScriptedModel) -> Settings:
        return settings.model_copy(update={**READING, "openai_base_url": reader.base_url})

    async def test_it_reads_instead_of_isaacus_and_its_findings_stand_below_the_answer(
        self, requests: list[dict[str, Any]], peer: IsaacusPeer, ask: Callable[[str], Awaitable[str]]
    ) -> None:
        by_isaacus = scoring(peer, scored)
        text = await ask(ANSWER)
        finding = "reader-1, reading the answer again, finds these sentences not supported by their quotations:"
        assert f"\n\n{finding}\n- Insolvency ends the lease [unsupported]\n\nSources:" in text
        assert text.count("[unsupported") == 1 and not by_isaacus
        [request] = requests
        assert request["model"] == "reader-1"
        prompt = request["messages"][0]["content"]
        listed = json.loads(prompt[prompt.index("[\n{") : prompt.rindex("]\n[end of data") + 1])
        assert [one["sentence"] for one in listed] == ["Insolvency ends the lease.", "The Lessor may terminate at once."]
        assert listed[0]["quotations"] == [QUOTED.split("”", maxsplit=1)[0].strip("“")]

    async def test_rules_leave_it_the_wording_and_mark_wrong_figures(
        self, requests: list[dict[str, Any]], ask: Callable[[str], Awaitable[str]]
    ) -> None:
        turned = f"The Lessee may terminate this Lease at once if the Lessor becomes insolvent: {QUOTED}."
        text = await ask(f"{turned} The Lessor must wait 90 days: {QUOTED}.")
        assert "[unsupported: 90 days]" in text
        assert "if the Lessor becomes insolvent: “" in text and text.count("[unsupported]") == 1
        [request] = requests
        assert "90 days" not in request["messages"][0]["content"]


@pytest.mark.parametrize(
    ("reply", "note"),
    [
        (SUPPORTED, ""),
        ("All of them are supported.", f"{FAILED}its reply could not be read."),
        ('{"unsupported": [7]}', f"{FAILED}its reply could not be read."),
        ('{"unsupported": [true]}', f"{FAILED}its reply could not be read."),
        ('{"unsupported": "none"}', f"{FAILED}its reply could not be read."),
        ('{"sentences": []}', f"{FAILED}its reply could not be read."),
        ("[]", f"{FAILED}its reply could not be read."),
        ('{"unsupported": [1', f"{FAILED}its reply could not be read."),
        ('<think>Perhaps {1}?</think>{"unsupported": []}', ""),
        (Failure(200, body=json.dumps({"choices": [{"message": {"content": [{"type": "text", "text": SUPPORTED}]}}]})), ""),
        (Failure(200, body="<html>Sign in</html>"), f"{FAILED}its reply could not be read."),
        (Failure(200, body="{", headers={"content-type": "application/json"}), f"{FAILED}its reply could not be read."),
        (Failure(200, body="[]"), f"{FAILED}its reply could not be read."),
        (Failure(200, body='{"choices": [null]}'), f"{FAILED}its reply could not be read."),
        (Failure(200, body='{"error": {"code": 500}}'), f"{FAILED}its reply was empty."),
        (Failure(401), f"{FAILED}it did not accept this installation's key."),
        (Failure(400), f"{FAILED}it did not answer."),
    ],
)
async def test_what_a_second_reading_says_of_each_reply(reply: Any, note: str) -> None:
    with serve(lambda request: reply) as model:
        completions = Completions("key", base_url=model.base_url, model="reader-1", seconds=20)
        second = SecondReading(ModelReader(completions))
        second.add("Insolvency ends the lease", [Evidence("The Lessor may terminate.", document_id="d")])
        assert await second.note() == note
        await completions.close()
