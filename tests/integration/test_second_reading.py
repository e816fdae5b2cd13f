"""Isaacus, a model that is named for it, or the model that writes reads an answer again, with the provisions that it rests on."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Awaitable, Callable, Iterator
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
from orderly.settings import Settings
from orderly.wiring.services import Services
from support.gated import gate_over, stream
from support.isaacus_peer import KEY, IsaacusPeer, problem
from support.lease import LEASE
from support.scripted_model import Failure, ScriptedModel, serve

Add = Callable[..., Awaitable[str]]
Acting = Callable[[Caller], dict[str, Any]]
Write = Callable[[str], Awaitable[Any]]
SAID = ("Insolvency ends the lease", "The Lessor may terminate at once")
ANSWER = ". ".join(f"{said} [lease.txt, Section 3.2]" for said in SAID) + "."
NOTHING = '{"against": []}'
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
        if path != PATH or not body["query"].startswith(SAID):
            return real(path, body)
        real(path, body)
        bodies.append(body)
        return reply(body)

    peer.answer = answer  # type: ignore[method-assign]
    return bodies


def scored(body: dict[str, Any]) -> httpx.Response:
    score = 0.07 if body["query"].startswith("Insolvency") else 0.93
    found = [{"index": 0, "score": score, "chunks": None}]
    return httpx.Response(200, json={"classifications": found, "usage": {"input_tokens": 1}})


@pytest.fixture
def write(settings: Settings, ada: Caller, acting: Acting, matter: dict[str, Any], add_file: Add) -> Write:
    """Runs a question that a model answers as given; returns the message of the answer."""

    async def written(answer: str) -> Any:
        document = await add_file("lease.txt", LEASE)
        research = once(("get_document_text", {"document_id": document}), then="Read.")
        script = delegating(lambda request: answer, research)
        state, _ = await run(settings, script, acting(ada), "How can the lease be ended?", RunContext(matter_id=matter["id"]))
        return state["messages"][-1]

    return written


def told_in(message: Any) -> list[tuple[str, str]]:
    return [(message.text[c["start"] :][:9], c["reason"]) for c in message.additional_kwargs["checks"] if c["reason"]]


UNFOUND = "{}, reading it again, does not find this in lease.txt, Section 3.2."


async def test_what_isaacus_scores_low_is_told_and_the_number_of_requests_is_bounded(peer: IsaacusPeer, write: Write) -> None:
    bodies = scoring(peer, scored)
    message = await write(f"{ANSWER} {(SAID[1] + ' [lease.txt, Section 3.2]. ') * 12}")
    assert told_in(message) == [("Insolvenc", UNFOUND.format("Isaacus"))]
    assert (
        f"- Insolvency ends the lease — {UNFOUND.format('Isaacus')}\n- Isaacus checked 12 of 14 statements, the first ones.\n"
        in message.text
    )
    assert [body["query"] for body in bodies] == [f"{SAID[0]}.", *[f"{SAID[1]}."] * 11]
    assert all("The Lessor may terminate this Lease at once if the Lessee" in body["texts"][0] for body in bodies)
    assert not any(body["is_iql"] for body in bodies)


async def test_an_isaacus_that_fails_is_said_and_the_answer_stands(peer: IsaacusPeer, write: Write) -> None:
    scoring(peer, lambda body: problem(400, "Validation error"))
    message = await write(ANSWER)
    assert message.text.startswith("Insolvency ends the lease [1]. The Lessor may terminate at once [1].\n\nCheck before")
    assert "\n- Isaacus could not check 2 of 2 statements: " in message.text.partition("Sources:")[0]


async def test_an_isaacus_that_hangs_does_not_hold_the_answer_up(
    respx_mock: respx.MockRouter, peer: IsaacusPeer, services: Services, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    object.__setattr__(services.library, "engine_seconds", 60.0)  # the reader's own limit is to end the wait
    asked: list[float] = []

    async def hanging(request: httpx.Request) -> httpx.Response:
        if b"Insolvency ends the lease." in request.content and request.url.path.endswith(PATH):
            asked.append(time.monotonic())
            await asyncio.sleep(60)
        return peer(request)

    monkeypatch.setattr(citation_gate, "EngineReader", partial(EngineReader, seconds=0.3))
    respx_mock.route(host="api.isaacus.com").mock(side_effect=hanging)
    message = await write(ANSWER)
    assert asked and time.monotonic() - asked[0] < 20
    assert "\n- Isaacus could not check 2 of 2 statements: " in message.text


def rows_of(request: dict[str, Any]) -> list[dict[str, Any]]:
    """What a second reading is asked to read."""
    return [json.loads(line) for line in request["messages"][0]["content"].splitlines() if line.startswith('{"')]


@pytest.fixture
def reader() -> Iterator[ScriptedModel]:
    def reading(request: dict[str, Any]) -> str:
        numbers = [row["statement"] for row in rows_of(request) if row.get("text", "").startswith(SAID[0])]
        return json.dumps({"against": [{"statement": n, "verdict": "absent"} for n in numbers]})

    with serve(reading, reads=reading) as scripted:
        yield scripted


@pytest.fixture(params=["named", "writer", "off"])
def second(request: pytest.FixtureRequest) -> str:
    return str(request.param)


class TestModels:
    @pytest.fixture
    def settings(self, settings: Settings, reader: ScriptedModel, second: str) -> Settings:
        changes: dict[str, Any] = {"openai_api_key": SecretStr("key"), "openai_base_url": reader.base_url, "model": "writer-1"}
        changes |= {"isaacus_api_key": None} if second == "writer" else {}
        changes |= {"second_model": {"named": "reader-1", "off": "off"}[second]} if second != "writer" else {}
        return settings.model_copy(update=changes)

    async def test_a_model_reads_instead_of_isaacus_and_its_tokens_count(
        self, reader: ScriptedModel, peer: IsaacusPeer, write: Write, second: str
    ) -> None:
        by_isaacus = scoring(peer, scored)
        message = await write(ANSWER)
        name = {"named": "reader-1", "writer": "writer-1"}.get(second)
        assert told_in(message) == ([("Insolvenc", UNFOUND.format(name))] if name else [])
        assert {request["model"] for request in reader.readings} == ({name} if name else set())
        assert not by_isaacus
        if name:
            [rows] = map(rows_of, reader.readings)
            assert [row["place"] for row in rows if "provision" in row] == ["lease.txt, Section 3.2"]
            assert [row["text"] for row in rows if "statement" in row] == [f"{said}." for said in SAID]
            reader.reads = None  # replies without usage
            without = (await write(ANSWER)).usage_metadata
            assert message.usage_metadata["input_tokens"] > without["input_tokens"]


FAILED = "\n- reader-1 could not check 1 of 1 statements: "
UNREADABLE = f"{FAILED}its reply could not be read."


@pytest.mark.parametrize(
    ("reply", "note"),
    [
        (NOTHING, ""),
        (f"<think>Perhaps {{1}}?</think>{NOTHING}", ""),
        (Failure(200, body=json.dumps({"choices": [{"message": {"content": [{"type": "text", "text": NOTHING}]}}]})), ""),
        (Failure(200, body="<html>Sign in</html>"), UNREADABLE),
        (Failure(200, body="{", headers={"content-type": "application/json"}), UNREADABLE),
        (Failure(200, body="[]"), UNREADABLE),
        (Failure(200, body='{"choices": [null]}'), UNREADABLE),
        (Failure(200, body='{"error": {"code": 500}}'), f"{FAILED}its reply was empty."),
        (Failure(401), f"{FAILED}it did not accept this installation's key."),
        (Failure(400), f"{FAILED}it did not answer."),
    ],
)
async def test_what_a_second_reading_says_of_each_reply_of_an_endpoint(reply: Any, note: str) -> None:
    with serve(lambda request: reply, reads=lambda request: reply) as model:
        completions = Completions("key", base_url=model.base_url, model="reader-1", seconds=20)
        gate = gate_over(second=SecondReading(ModelReader(completions)))
        ending = (await stream(f"{SAID[0]} [lease.txt, Section 3.2].", gate))[-1]
        assert ending.partition("\n\nSources:")[0].removeprefix("\n\nCheck before you rely on it:") == note
        await completions.close()
