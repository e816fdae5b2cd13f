"""Isaacus, a model that is named for it, or the model that writes reads an answer again: whether quotations support it."""

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
from orderly.services.citations.second_readers import NO_SCORES
from orderly.services.completions.endpoint import Completions
from orderly.services.support import Evidence
from orderly.settings import Settings
from orderly.wiring.services import Services
from support.isaacus_peer import KEY, IsaacusPeer, problem
from support.lease import LEASE
from support.scripted_model import Failure, ScriptedModel, serve

Add = Callable[..., Awaitable[str]]
Acting = Callable[[Caller], dict[str, Any]]
Write = Callable[[str], Awaitable[Any]]
QUOTED = "“The Lessor may terminate this Lease at once if the Lessee becomes insolvent.” [lease.txt]"
WORDS = QUOTED.split("”", maxsplit=1)[0].strip("“")
SAID = ("Insolvency ends the lease", "The Lessor may terminate at once")
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
def write(settings: Settings, ada: Caller, acting: Acting, matter: dict[str, Any], add_file: Add) -> Write:
    """Runs a question that a model answers as given; returns the message of the answer."""

    async def written(answer: str) -> Any:
        document = await add_file("lease.txt", LEASE)
        research = once(("get_document_text", {"document_id": document}), then="Read.")
        script = delegating(lambda request: answer, research)
        state, _ = await run(settings, script, acting(ada), "How can the lease be ended?", RunContext(matter_id=matter["id"]))
        return state["messages"][-1]

    return written


@pytest.fixture
def ask(peer: IsaacusPeer, write: Write) -> Callable[[str], Awaitable[str]]:
    async def asked(answer: str) -> str:
        return str((await write(answer)).text)

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
    respx_mock: respx.MockRouter,
    peer: IsaacusPeer,
    services: Services,
    ask: Callable[[str], Awaitable[str]],
    monkeypatch: pytest.MonkeyPatch,
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
    text = await ask(ANSWER)
    assert asked and time.monotonic() - asked[0] < 20
    assert "Insolvency ends the lease: “" in text and "[unsupported" not in text
    assert "\n\nIsaacus could not check whether the quotations support the sentences: " in text


def listed_in(request: dict[str, Any]) -> list[dict[str, Any]]:
    """What a second reading is asked to read."""
    prompt = request["messages"][0]["content"]
    listed: list[dict[str, Any]] = json.loads(prompt[prompt.index("[\n{") : prompt.rindex("]\n[end of data") + 1])
    return listed


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

    with serve(reading, reads=reading) as scripted:
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
        listed = listed_in(request)
        assert [one["sentence"] for one in listed] == [f"{said}: “…”." for said in SAID]
        [quoted] = listed[0]["quotations"]
        assert quoted["words"] == WORDS and quoted["place"].startswith("lease")

    @pytest.mark.parametrize(
        "answer",
        [
            "It is untrue that {quoted}.",
            "Deleted: {quoted}.",
            "{quoted} was struck out by counsel.",
            "I checked clause 3.2, and it no longer applies: {quoted}.",
            "> {words}\n\n[lease.txt]\n\nThis sentence about the insolvent Lessee was deleted in the signed version.",
            "The Lessee may terminate at once if the Lessor becomes insolvent: {quoted}.",
            "Insolvency ended the lease? {quoted} is no longer in force.",
        ],
    )
    async def test_what_a_sentence_says_of_its_quotation_reaches_it_with_the_quotation(
        self, requests: list[dict[str, Any]], ask: Callable[[str], Awaitable[str]], answer: str
    ) -> None:
        text = await ask(answer.format(quoted=QUOTED, words=WORDS))
        [request] = requests
        [one] = listed_in(request)
        assert WORDS in [quoted["words"] for quoted in one["quotations"]]
        assert "“…”" in one["sentence"] or "deleted" in one["sentence"]
        assert "[unsupported]" in text.partition("reader-1, reading the answer again")[2]

    async def test_rules_leave_it_the_wording_and_mark_wrong_figures(
        self, requests: list[dict[str, Any]], ask: Callable[[str], Awaitable[str]]
    ) -> None:
        turned = f"The Lessee may terminate this Lease at once if the Lessor becomes insolvent: {QUOTED}."
        text = await ask(f"{turned} The Lessor must wait 90 days: {QUOTED}.")
        assert "[unsupported: 90 days]" in text
        assert "if the Lessor becomes insolvent: “" in text and text.count("[unsupported]") == 1
        [request] = requests
        assert "90 days" not in request["messages"][0]["content"]


MODEL = "writer-1"
MANY = "\n\n".join(f"Insolvency ends the lease in case {n}: {QUOTED}." for n in "abcdef")


def numbers_of(request: dict[str, Any]) -> dict[str, int]:
    """The number of each sentence of a second reading, without its quotation."""
    return {one["sentence"].replace(": “…”", ""): one["number"] for one in listed_in(request)}


class TestModelThatWrites:
    """By default, without Isaacus: the writer's own endpoint gets the second reading."""

    @pytest.fixture
    def settings(self, settings: Settings, reader: ScriptedModel) -> Settings:
        changes = {
            "isaacus_api_key": None,
            "openai_api_key": SecretStr("key"),
            "openai_base_url": reader.base_url,
            "model": MODEL,
        }
        return settings.model_copy(update=changes)

    async def test_all_of_its_marks_stand_below_the_answer_and_no_others(self, reader: ScriptedModel, write: Write) -> None:
        wrong = {f"Insolvency ends the lease in case {n}." for n in "bcf"}

        def reads(request: dict[str, Any]) -> str:
            found = [number for sentence, number in numbers_of(request).items() if sentence in wrong]
            return json.dumps({"unsupported": found})

        reader.reads = reads
        message = await write(MANY)
        marked = [line for line in message.text.split("\n") if "[unsupported" in line]
        assert marked == [f"- {sentence[:-1]} [unsupported]" for sentence in sorted(wrong)]
        asked = [sentence for request in reader.readings for sentence in numbers_of(request)]
        assert asked == [f"Insolvency ends the lease in case {n}." for n in "abcdef"]
        assert len(reader.readings) > 1 and {request["model"] for request in reader.readings} == {MODEL}

    async def test_its_tokens_count_with_those_of_the_answer(self, reader: ScriptedModel, write: Write) -> None:
        reader.reads = None  # replies without usage
        without = (await write(MANY)).usage_metadata
        reader.readings.clear()
        reader.reads = lambda request: SUPPORTED
        with_second = (await write(MANY)).usage_metadata
        assert reader.readings
        for key in ("input_tokens", "output_tokens"):
            assert with_second[key] == without[key] + len(reader.readings)

    async def test_paragraphs_whose_reading_fails_are_counted_and_the_marks_of_the_others_stand(
        self, reader: ScriptedModel, write: Write
    ) -> None:
        def reads(request: dict[str, Any]) -> str:
            return "No." if any("case a" in sentence for sentence in numbers_of(request)) else '{"unsupported": [1]}'

        reader.reads = reads
        message = await write(MANY)
        first = next(len(numbers_of(request)) for request in reader.readings if "case a" in str(request))
        failed = f"{MODEL} could not check whether the quotations support {first} of 6 sentences: its reply could not be read."
        assert failed in message.text
        assert message.text.count("[unsupported]") == len(reader.readings) - 1 > 0

    async def test_rules_leave_free_wording_to_it(self, reader: ScriptedModel, write: Write) -> None:
        reader.reads = None
        message = await write(f"The lease can never be ended early by anybody: {QUOTED}.")
        assert reader.readings and "[unsupported" not in message.text


class TestOff:
    @pytest.fixture
    def settings(self, settings: Settings, reader: ScriptedModel) -> Settings:
        return settings.model_copy(update={**READING, "second_model": "off", "openai_base_url": reader.base_url})

    async def test_nobody_reads_again(self, reader: ScriptedModel, write: Write) -> None:
        message = await write(MANY)
        assert not reader.readings and "unsupported" not in message.text


async def test_a_reader_that_hangs_does_not_hold_the_answer_up() -> None:
    with serve(lambda request: "", reads=lambda request: time.sleep(1) or SUPPORTED) as model:
        completions = Completions("key", base_url=model.base_url, model="reader-1", seconds=20)
        second = SecondReading(ModelReader(completions, seconds=0.2))
        second.add("Insolvency ends the lease", [Evidence("The Lessor may terminate.", document_id="d")])
        assert await second.note() == f"{FAILED}no reply in 0.2 seconds."
        await completions.close()


async def test_a_paragraph_is_read_while_the_next_is_written_and_an_abandoned_answer_ends_the_request() -> None:
    begun, ended = asyncio.Event(), asyncio.Event()

    class Hanging(EngineReader):
        async def read(self, stated: Sequence[Any]) -> Any:
            begun.set()
            try:
                await asyncio.sleep(60)
            finally:
                ended.set()

    second = SecondReading(Hanging(no_score, seconds=30))
    second.add("Insolvency ends the lease", [Evidence("The Lessor may terminate. " * 20, document_id="d")])
    second.end_paragraph()
    await asyncio.wait_for(begun.wait(), 1)
    second.stop()
    await asyncio.wait_for(ended.wait(), 1)


async def test_an_engine_without_scores_is_said() -> None:
    second = SecondReading(ISAACUS)
    second.add("Insolvency ends the lease", [Evidence("The Lessor may terminate.", document_id="d")])
    assert (await second.note()).endswith(f"the sentences: {NO_SCORES}")


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
    with serve(lambda request: reply, reads=lambda request: reply) as model:
        completions = Completions("key", base_url=model.base_url, model="reader-1", seconds=20)
        second = SecondReading(ModelReader(completions))
        second.add("Insolvency ends the lease", [Evidence("The Lessor may terminate.", document_id="d")])
        assert await second.note() == note
        await completions.close()
