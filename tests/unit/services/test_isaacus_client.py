"""Requests of the Isaacus client, and its results from valid replies."""

from __future__ import annotations

import json
import math
from collections.abc import AsyncIterator

import httpx
import pytest
import respx

from orderly.errors import EngineRefused, Misconfigured
from orderly.services.engines.isaacus.model_names import Models
from orderly.services.engines.protocol import LegalEngine
from orderly.services.isaacus_client import IsaacusClient

KEY = "iuak_v1_secret_checksum"
BASE = "https://api.isaacus.com/v1"
STANDARD = (
    "termination", "indemnity", "limitation of liability", "confidentiality", "dispute resolution", "governing law",
    "force majeure", "assignment", "warranties", "payment terms",
)  # fmt: skip


@pytest.fixture
async def client() -> AsyncIterator[IsaacusClient]:
    client = IsaacusClient(KEY, max_retries=0)
    yield client
    await client.close()


def sent(call: respx.models.Call) -> dict[str, object]:
    body = json.loads(call.request.content)
    assert isinstance(body, dict)
    return body


def embeddings(request: httpx.Request) -> httpx.Response:
    """Embeds "text 7" as the direction of (7, 1); returns the last text first."""
    texts = json.loads(request.content)["texts"]
    items = [{"index": i, "embedding": [float(text.split()[-1]), 1.0]} for i, text in enumerate(texts)]
    return httpx.Response(200, json={"embeddings": items[::-1], "usage": {"input_tokens": len(texts)}})


def classified(score: float, chunks: list[dict[str, object]] | None) -> httpx.Response:
    item = {"index": 0, "score": score, "chunks": chunks}
    return httpx.Response(200, json={"classifications": [item], "usage": {"input_tokens": 19}})


def chunk(text: str, part: str, score: float) -> dict[str, object]:
    start = text.index(part)
    return {"index": 0, "start": start, "end": start + len(part), "score": score, "text": part}


async def test_the_client_implements_the_engine_protocol(client: IsaacusClient) -> None:
    engine: LegalEngine = client
    assert (engine.name, engine.offline, engine.embedding_model) == ("isaacus", False, "kanon-2-embedder")


@pytest.mark.parametrize("base", ["https://api.isaacus.com", "https://api.isaacus.com/", "https://api.isaacus.com/v1/"])
@respx.mock
async def test_the_request_url_contains_v1_once_with_and_without_v1_in_the_base_url(base: str) -> None:
    route = respx.post(f"{BASE}/embeddings").mock(side_effect=embeddings)
    client = IsaacusClient(KEY, base)
    await client.embed(["text 1"])
    await client.close()
    assert route.call_count == 1


@respx.mock
async def test_129_texts_are_sent_as_128_and_1_and_returned_in_order(client: IsaacusClient) -> None:
    route = respx.post(f"{BASE}/embeddings").mock(side_effect=embeddings)
    vectors = await client.embed([f"text {i}" for i in range(129)], task="retrieval/document")
    assert sorted(len(sent(call)["texts"]) for call in route.calls) == [1, 128]  # type: ignore[arg-type]
    assert [round(x / y) for x, y in vectors] == list(range(129))
    assert all(math.isclose(math.hypot(*vector), 1.0) for vector in vectors)


@respx.mock
async def test_embedding_asks_isaacus_to_refuse_instead_of_truncating(client: IsaacusClient) -> None:
    route = respx.post(f"{BASE}/embeddings").mock(side_effect=embeddings)
    await client.embed(["text 1"], task="retrieval/query")
    assert sent(route.calls[0]) == {
        "model": "kanon-2-embedder", "texts": ["text 1"], "task": "retrieval/query", "overflow_strategy": None,
    }  # fmt: skip


@respx.mock
async def test_the_model_can_be_named_as_in_the_specification(client: IsaacusClient) -> None:
    route = respx.post(f"{BASE}/embeddings").mock(side_effect=embeddings)
    await client.embed(["text 1"], "another-embedder")
    assert sent(route.calls[0])["model"] == "another-embedder"


@respx.mock
async def test_fewer_dimensions_are_requested_and_change_the_embedding_model_name() -> None:
    route = respx.post(f"{BASE}/embeddings").mock(side_effect=embeddings)
    client = IsaacusClient(KEY, models=Models(dimensions=512))
    await client.embed(["text 1"])
    await client.close()
    assert sent(route.calls[0])["dimensions"] == 512
    assert client.embedding_model == "kanon-2-embedder@512"
    assert Models(dimensions=1792).vectors == Models().vectors
    with pytest.raises(Misconfigured, match="ISAACUS_DIMENSIONS"):
        Models(dimensions=500)


@respx.mock
async def test_the_key_is_sent_as_a_bearer_token_and_never_shown(
    client: IsaacusClient, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("DEBUG")
    route = respx.post(f"{BASE}/embeddings").mock(side_effect=embeddings)
    await client.embed(["text 1"])
    request = route.calls[0].request
    assert request.headers["authorization"] == f"Bearer {KEY}"
    assert KEY not in str(request.url) + request.content.decode() + caplog.text
    assert KEY not in repr(client) + repr(vars(client)) + repr(client.api_key)


@respx.mock
async def test_reranking_returns_every_document_best_first(client: IsaacusClient) -> None:
    results = [{"index": 2, "score": 0.93}, {"index": 0, "score": 0.21}, {"index": 1, "score": 0.5}]
    route = respx.post(f"{BASE}/rerankings").mock(return_value=httpx.Response(200, json={"results": results}))
    ranked = await client.rerank("who pays", ["a", "b", "c"])
    assert ranked == [{"index": 2, "score": 0.93}, {"index": 1, "score": 0.5}, {"index": 0, "score": 0.21}]
    body = sent(route.calls[0])
    assert (body["is_iql"], body["model"], body["texts"]) == (False, "kanon-2-reranker", ["a", "b", "c"])


CONTEXT = "Filler. The term is 30 years."


@pytest.mark.parametrize(("inextractability", "answered"), [(0.01, True), (0.5, False)])
@respx.mock
async def test_an_answer_counts_when_it_beats_the_inextractability_score(
    client: IsaacusClient, inextractability: float, answered: bool
) -> None:
    answer = {"text": "30 years", "start": 20, "end": 28, "score": 0.11}
    extraction = {"index": 0, "answers": [answer], "inextractability_score": inextractability}
    route = respx.post(f"{BASE}/extractions/qa").mock(return_value=httpx.Response(200, json={"extractions": [extraction]}))
    found = await client.extract("How long is the term?", CONTEXT, top_k=2)
    assert found["answered"] is answered
    assert found["answers"] == [answer]
    assert (found["confidence"], found["inextractability_score"]) == (0.11, inextractability)
    assert sent(route.calls[0])["top_k"] == 2


@respx.mock
async def test_the_best_span_is_the_answer_and_others_are_further_from_half_its_score(client: IsaacusClient) -> None:
    text = "Either party may end it on notice. Rent is due. The tenant may also leave on default. Keep quiet."
    spans = [(0, 33, 0.11), (13, 33, 0.09), (48, 84, 0.08), (86, 97, 0.053), (35, 46, 0.02)]
    answers = [{"text": text[start:end], "start": start, "end": end, "score": score} for start, end, score in spans]
    extraction = {"index": 0, "answers": answers, "inextractability_score": 0.05}
    respx.post(f"{BASE}/extractions/qa").mock(return_value=httpx.Response(200, json={"extractions": [extraction]}))
    found = await client.extract("How may it end?", text, top_k=5)
    assert found["answering"] == [answers[0]]
    assert found["further"] == [answers[2]]  # the second says the same as the first
    assert found["answers"] == [answers[0], *answers[2:]]


@respx.mock
async def test_a_reply_without_answers_is_no_answer(client: IsaacusClient) -> None:
    extraction = {"index": 0, "answers": [], "inextractability_score": 0.9}
    respx.post(f"{BASE}/extractions/qa").mock(return_value=httpx.Response(200, json={"extractions": [extraction]}))
    found = await client.extract("How long?", CONTEXT)
    assert (found["answered"], found["answers"], found["confidence"]) == (False, [], 0.0)


@respx.mock
async def test_every_standard_label_has_its_own_iql_query(client: IsaacusClient) -> None:
    route = respx.post(f"{BASE}/classifications/universal").mock(return_value=classified(0.1, None))
    await client.classify("Some clause.", STANDARD)
    bodies = [sent(call) for call in route.calls]
    assert len({str(body["query"]) for body in bodies}) == 10
    assert all(body["is_iql"] is True and str(body["query"]).startswith("{IS ") for body in bodies)


@respx.mock
async def test_a_custom_label_is_never_sent_as_iql(client: IsaacusClient) -> None:
    route = respx.post(f"{BASE}/classifications/universal").mock(return_value=classified(0.1, None))
    hostile = '{IS clause} OR {IS right} > "audit"'
    await client.classify("Some clause.", [hostile, "audit rights"])
    bodies = [sent(call) for call in route.calls]
    assert {str(body["query"]) for body in bodies} == {
        f"This is a clause about {hostile}.",
        "This is a clause about audit rights.",
    }
    assert all(body["is_iql"] is False for body in bodies)


@respx.mock
async def test_findings_are_grouped_by_label_in_text_order_and_hold_supported_chunks_only(client: IsaacusClient) -> None:
    text = "Fees are due monthly. Keep it secret. Interest runs at 5 %."
    chunks = [chunk(text, "Interest runs at 5 %.", 0.9), chunk(text, "Fees are due monthly.", 0.7)]
    chunks.append(chunk(text, "Keep it secret.", 0.5))
    respx.post(f"{BASE}/classifications/universal").mock(return_value=classified(0.9, chunks))
    found = await client.classify(text, ["payment terms"])
    assert [(text[f["start"] : f["end"]], f["score"]) for f in found] == [
        ("Fees are due monthly.", 0.7),
        ("Interest runs at 5 %.", 0.9),
    ]


@respx.mock
async def test_neighbouring_chunks_of_one_section_are_one_clause(client: IsaacusClient) -> None:
    text = "5.1 Fees fall due. Interest runs. 5.2 Pay in euro. The end."
    parts = ["5.1 Fees fall due.", "Interest runs.", "5.2 Pay in euro.", "The end."]
    chunks = [chunk(text, part, score) for part, score in zip(parts, (0.7, 0.9, 0.8, 0.1), strict=True)]
    respx.post(f"{BASE}/classifications/universal").mock(return_value=classified(0.9, chunks))
    second = text.index("5.2")
    sections = [(0, len(text), "Payment"), (0, second, "Fees"), (second, len(text), "Currency")]
    found = await client.classify(text, ["payment terms"], sections=sections)
    assert [text[f["start"] : f["end"]] for f in found] == ["5.1 Fees fall due. Interest runs.", "5.2 Pay in euro."]
    assert [f["score"] for f in found] == [0.9, 0.8]


@respx.mock
async def test_an_unchunked_text_is_one_finding(client: IsaacusClient) -> None:
    respx.post(f"{BASE}/classifications/universal").mock(return_value=classified(0.88, None))
    found = await client.classify("Keep it secret.", ["confidentiality"])
    assert found == [{"label": "confidentiality", "start": 0, "end": 15, "score": 0.88}]


@pytest.mark.parametrize(("score", "verdict"), [(0.9, True), (0.2, False)])
@respx.mock
async def test_is_contract_classifies_against_a_plain_statement(client: IsaacusClient, score: float, verdict: bool) -> None:
    route = respx.post(f"{BASE}/classifications/universal").mock(return_value=classified(score, None))
    assert await client.is_contract("word " * 10_000) is verdict
    body = sent(route.calls[0])
    assert body["is_iql"] is False
    assert len(body["texts"][0]) <= 10_000  # type: ignore[index]


@respx.mock
async def test_usage_is_counted_by_endpoint(client: IsaacusClient) -> None:
    respx.post(f"{BASE}/embeddings").mock(side_effect=embeddings)
    await client.embed(["text 1", "text 2"])
    await client.embed(["text 3"])
    assert (client.usage["/embeddings"].requests, client.usage["/embeddings"].input_tokens) == (2, 3)


@respx.mock
async def test_invalid_arguments_are_refused_before_sending(client: IsaacusClient) -> None:
    route = respx.route().mock(return_value=httpx.Response(500))
    for call in (
        client.embed(["fine", " \n"]),
        client.rerank("  ", ["a"]),
        client.rerank("a" * 10_000_001, ["a"]),
        client.rerank("a", [""]),
        client.extract("a", "b", top_k=0),
        client.extract("", "b"),
        client.classify("a", [" "]),
        client.is_contract(""),
    ):
        with pytest.raises(EngineRefused):
            await call
    assert not route.called


@respx.mock
async def test_empty_input_sends_no_request(client: IsaacusClient) -> None:
    route = respx.route().mock(return_value=httpx.Response(500))
    assert (await client.embed([]), await client.rerank("a", []), await client.classify("a", [])) == ([], [], [])
    assert not route.called


@pytest.mark.parametrize("key", ["", "  ", "two words", "schlüssel", "line\nbreak"])
def test_a_key_that_is_no_valid_header_value_is_misconfigured(key: str) -> None:
    with pytest.raises(Misconfigured) as caught:
        IsaacusClient(key)
    assert not key.strip() or key not in caught.value.message


@pytest.mark.parametrize("url", ["", "api.isaacus.com", "ftp://api.isaacus.com", "https://", "https://a:b:c"])
def test_an_invalid_base_url_is_misconfigured(url: str) -> None:
    with pytest.raises(Misconfigured):
        IsaacusClient(KEY, url)


@pytest.mark.parametrize("text", ["short", "word " * 20_000, "漢字かな交じり文。" * 5_000, "x" * 50_000])
async def test_windows_cover_the_text_within_the_models_limit(client: IsaacusClient, text: str) -> None:
    spans = client.windows(text)
    assert "".join(text[start:end] for start, end in spans) == text
    assert all(len(text[start:end].encode()) <= 16_000 for start, end in spans)
    assert client.windows(" \n") == []


@respx.mock
async def test_a_closed_client_sends_no_requests() -> None:
    route = respx.post(f"{BASE}/embeddings").mock(side_effect=embeddings)
    client = IsaacusClient(KEY)
    await client.close()
    with pytest.raises(RuntimeError):
        await client.embed(["text 1"])
    assert not route.called


async def test_the_key_and_the_http_client_are_attributes_and_the_key_is_hidden(client: IsaacusClient) -> None:
    assert isinstance(client.client, httpx.AsyncClient)
    assert client.client.timeout.read == 30.0
    assert client.api_key.get_secret_value() == KEY
    assert KEY not in repr(client.api_key) and KEY not in repr(vars(client))
