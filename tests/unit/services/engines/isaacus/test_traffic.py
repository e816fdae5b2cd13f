"""Limits, splitting, metering and logging of requests to Isaacus."""

from __future__ import annotations

import asyncio
import json
import threading
from pathlib import Path
from typing import Any

import httpx
import pytest
import respx

from orderly.errors import EngineRefused, EngineUnavailable
from orderly.services.engines.isaacus.call_log import CallLog
from orderly.services.engines.isaacus.request_limiter import RequestLimiter
from orderly.services.isaacus_client import IsaacusClient
from orderly.services.policy.call_meter import metering
from support.isaacus_peer import BASE, KEY, IsaacusPeer, problem

CLASSIFICATIONS = f"{BASE}/classifications/universal"
NOTHING = httpx.Response(200, json={"classifications": [{"index": 0, "score": 0.1, "chunks": None}]})


class Network:
    """Answers after 10 ms; records the highest number of concurrent requests."""

    def __init__(self) -> None:
        self.running = self.most = self.total = 0

    async def __call__(self, request: httpx.Request) -> httpx.Response:
        self.running, self.total = self.running + 1, self.total + 1
        self.most = max(self.most, self.running)
        try:
            await asyncio.sleep(0.01)
        finally:
            self.running -= 1
        return httpx.Response(200, json={"classifications": [{"index": 0, "score": 0.1, "chunks": None}]})


@respx.mock
async def test_clients_that_share_a_limiter_share_its_slots() -> None:
    network, limiter = Network(), RequestLimiter(3)
    respx.post(CLASSIFICATIONS).mock(side_effect=network)
    first, second = IsaacusClient(KEY, limiter=limiter), IsaacusClient(KEY, limiter=limiter)
    labels = [f"label {i}" for i in range(9)]
    await asyncio.gather(first.classify("text", labels), second.classify("text", labels))
    assert (network.most, network.total) == (3, 18)


@respx.mock
async def test_a_request_beyond_the_queue_is_refused_and_says_so() -> None:
    network = Network()
    respx.post(CLASSIFICATIONS).mock(side_effect=network)
    client = IsaacusClient(KEY, limiter=RequestLimiter(2, queue=3))
    results = await asyncio.gather(*(client.classify("text", ["a"]) for _ in range(8)), return_exceptions=True)
    refused = [result for result in results if isinstance(result, EngineUnavailable)]
    assert len(refused) == 3 and "Too many requests" in refused[0].message
    assert network.total == 5
    await client.classify("text", ["b"])


@respx.mock
async def test_cancelled_callers_release_their_slots() -> None:
    network, limiter = Network(), RequestLimiter(1)
    respx.post(CLASSIFICATIONS).mock(side_effect=network)
    client = IsaacusClient(KEY, limiter=limiter)
    tasks = [asyncio.create_task(client.classify("text", ["a"])) for _ in range(6)]
    await asyncio.sleep(0.005)
    for task in tasks[:4]:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    await asyncio.wait_for(client.classify("text", ["a"]), 1)
    assert network.most == 1


@respx.mock
async def test_a_slot_passes_from_one_event_loop_to_another() -> None:
    network, limiter = Network(), RequestLimiter(1)
    respx.post(CLASSIFICATIONS).mock(side_effect=network)

    async def ask() -> None:
        client = IsaacusClient(KEY, limiter=limiter)
        await client.classify("text", ["a", "b", "c"])
        await client.close()

    others = [threading.Thread(target=asyncio.run, args=(ask(),)) for _ in range(3)]
    for thread in others:
        thread.start()
    await ask()
    await asyncio.to_thread(lambda: [thread.join(5) for thread in others])
    assert (network.total, network.most) == (12, 1)


@respx.mock
async def test_a_retry_after_delays_all_callers() -> None:
    sent: list[str] = []
    slept = asyncio.Event()
    woken = asyncio.Event()

    def reply(request: httpx.Request) -> httpx.Response:
        query = json.loads(request.content)["query"]
        sent.append(query)
        limited = "first" in query and sent.count(query) == 1
        return httpx.Response(429, headers={"retry-after": "9"}) if limited else NOTHING

    async def sleep(seconds: float) -> None:
        assert seconds == 9
        slept.set()
        await woken.wait()

    respx.post(CLASSIFICATIONS).mock(side_effect=reply)
    client = IsaacusClient(KEY, sleep=sleep)
    first = asyncio.create_task(client.classify("text", ["first"]))
    await slept.wait()
    other = asyncio.create_task(client.classify("text", ["other"]))
    await asyncio.sleep(0.02)
    assert len(sent) == 1
    woken.set()
    await asyncio.gather(first, other)
    assert len(sent) == 3


@pytest.mark.parametrize(("status", "headers"), [(500, {}), (503, {})])
@respx.mock
async def test_a_server_error_delays_only_its_own_caller(status: int, headers: dict[str, str]) -> None:
    woken = asyncio.Event()

    def reply(request: httpx.Request) -> httpx.Response:
        return httpx.Response(status, headers=headers) if "first" in request.content.decode() else NOTHING

    async def sleep(seconds: float) -> None:
        await woken.wait()

    respx.post(CLASSIFICATIONS).mock(side_effect=reply)
    client = IsaacusClient(KEY, sleep=sleep)
    first = asyncio.create_task(client.classify("text", ["first"]))
    assert await asyncio.wait_for(client.classify("text", ["other"]), 1) == []
    assert not first.done(), "the failing call must still wait for its retry"
    first.cancel()
    await asyncio.gather(first, return_exceptions=True)


TEXT = "\n\n".join(f"{n}. The fee for item {n} is {n} dollars." for n in range(1, 41))


async def test_a_text_too_large_for_one_request_is_read_in_parts_with_its_own_offsets(respx_mock: respx.MockRouter) -> None:
    peer = IsaacusPeer(largest=500).mount(respx_mock)
    client = IsaacusClient(KEY)
    text = TEXT.replace("item 37 is", "carriage by airship is")
    found = await client.extract("What is the fee for carriage by airship?", text)
    best = found["answers"][0]
    assert found["answered"] and "airship" in best["text"]
    assert all(text[a["start"] : a["end"]] == a["text"] for a in found["answers"])
    clauses = await client.classify(text, ["airship"])
    assert ["airship" in text[c["start"] : c["end"]] for c in clauses] == [True]
    assert max(len(body["texts"][0]) for _, body in peer.requests) <= 500


@respx.mock
async def test_a_part_with_an_answer_precedes_a_part_without_one() -> None:
    """The part without an answer has the higher answer score and a still higher inextractability score."""

    def reply(request: httpx.Request) -> httpx.Response:
        [text] = json.loads(request.content)["texts"]
        if len(text) > 30:
            return problem(413, "Request too large error")
        word, score, none = ("right", 0.1, 0.01) if "right" in text else ("wrong", 0.3, 0.9)
        answer = {"text": word, "start": text.index(word), "end": text.index(word) + 5, "score": score}
        return httpx.Response(200, json={"extractions": [{"index": 0, "answers": [answer], "inextractability_score": none}]})

    respx.post(f"{BASE}/extractions/qa").mock(side_effect=reply)
    text = "This one is wrong indeed.\n\nAnd this is right indeed."
    found = await IsaacusClient(KEY).extract("Which?", text)
    assert found["answered"] and [a["text"] for a in found["answers"]] == ["right"]
    assert text[found["answers"][0]["start"] : found["answers"][0]["end"]] == "right"


@respx.mock
async def test_a_text_that_cannot_be_split_is_refused() -> None:
    route = respx.post(f"{BASE}/extractions/qa").mock(return_value=problem(413, "Request too large error"))
    with pytest.raises(EngineRefused):
        await IsaacusClient(KEY).extract("Which?", "x" * 1000)
    assert route.call_count == 1


async def test_chunking_options_can_be_omitted_null_or_given(respx_mock: respx.MockRouter) -> None:
    peer = IsaacusPeer().mount(respx_mock)
    client = IsaacusClient(KEY)
    for options in ({}, {"chunking_options": None}, {"chunking_options": {"size": 64, "overlap_ratio": 0.1}}):
        await client.rerank("fee", ["a fee"], **options)  # type: ignore[arg-type]
        await client.extract("fee?", "A fee.", **options)  # type: ignore[arg-type]
        await client.classify("A fee.", ["fee"], **options)  # type: ignore[arg-type]
    sent = [body.get("chunking_options", "omitted") for _, body in peer.requests]
    assert sent == ["omitted"] * 3 + [None] * 3 + [{"size": 64, "overlap_ratio": 0.1}] * 3


@pytest.mark.parametrize(
    "options", [{"size": 0}, {"overlap_ratio": 1.0}, {"overlap_tokens": -1}, {"overlap_ratio": 0.5, "overlap_tokens": 5}]
)
@respx.mock
async def test_chunking_that_isaacus_would_refuse_is_not_sent(options: Any) -> None:
    route = respx.route().mock(return_value=httpx.Response(500))
    with pytest.raises(EngineRefused):
        await IsaacusClient(KEY).rerank("fee", ["a fee"], chunking_options=options)
    assert not route.called


async def test_a_meter_counts_only_the_calls_of_its_own_context(respx_mock: respx.MockRouter) -> None:
    peer = IsaacusPeer().mount(respx_mock)
    client = IsaacusClient(KEY)
    await client.embed(["outside"])

    async def one(question: str) -> list[dict[str, Any]]:
        with metering() as meter:
            await asyncio.gather(client.rerank(question, ["a", "b"]), client.embed([question]))
        return meter.entries()

    short, long = await asyncio.gather(one("fees"), one("f" * 400))
    assert [(e["endpoint"], e["requests"], e["input_tokens"]) for e in short] == [("/embeddings", 1, 1), ("/rerankings", 1, 4)]
    assert [(e["endpoint"], e["input_tokens"]) for e in long] == [("/embeddings", 100), ("/rerankings", 202)]
    assert {e["model"] for e in short} == {"kanon-2-embedder", "kanon-2-reranker"}
    assert peer.tokens == 2 + 1 + 4 + 100 + 202


@respx.mock
async def test_the_call_log_has_every_attempt_and_no_content(tmp_path: Path) -> None:
    peer, path = IsaacusPeer(), tmp_path / "logs" / "calls.jsonl"
    replies = iter([httpx.Response(503), None, None])
    respx.route(host="api.isaacus.com").mock(side_effect=lambda request: next(replies) or peer(request))

    async def sleep(seconds: float) -> None:
        pass

    client = IsaacusClient(KEY, observer=CallLog(path), sleep=sleep)
    await client.embed(["the secret merger"])
    await client.extract("who merges?", "The secret merger is of North and South.")
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert [(line["endpoint"], line["status"], line["texts"]) for line in lines] == [
        ("/embeddings", 503, 1), ("/embeddings", 200, 1), ("/extractions/qa", 200, 1),
    ]  # fmt: skip
    assert [line["input_tokens"] for line in lines] == [0, 5, 13]
    assert lines[2]["characters"] == len("who merges?" + "The secret merger is of North and South.")
    assert not {"secret", "merger", KEY} & set(path.read_text().replace('"', " ").split())
