"""The Isaacus client on failures of the network, of the account and of the reply."""

from __future__ import annotations

import asyncio
import inspect
import json
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import httpx
import pytest
import respx

from orderly import errors
from orderly.errors import (
    EngineAccountBlocked,
    EngineFailed,
    EngineKeyRejected,
    EngineMisbehaved,
    EngineRefused,
    EngineUnavailable,
)
from orderly.services.engines.isaacus import error_translation
from orderly.services.engines.isaacus.request_limiter import RequestLimiter
from orderly.services.isaacus_client import IsaacusClient

BASE = "https://api.isaacus.com/v1"
EMBEDDINGS = f"{BASE}/embeddings"
KEY = "iuak_v1_secret_checksum"
NOW = 1_800_000_000.0
GOOD = httpx.Response(200, json={"embeddings": [{"index": 0, "embedding": [3.0, 4.0]}], "usage": {"input_tokens": 1}})


class Waits:
    """Replaces sleep and records the seconds."""

    def __init__(self) -> None:
        self.seconds: list[float] = []

    async def __call__(self, seconds: float) -> None:
        self.seconds.append(seconds)


def client_with(waits: Waits, **options: Any) -> IsaacusClient:
    return IsaacusClient(KEY, sleep=waits, jitter=lambda: 0.0, now=lambda: NOW, **options)


def problem(status: int, title: str, detail: str = "said too much") -> httpx.Response:
    body = {"type": "about:blank", "title": title, "status": status, "detail": detail, "instance": None}
    return httpx.Response(status, content=json.dumps(body), headers={"content-type": "application/problem+json"})


@pytest.mark.parametrize("status", [408, 409, 429, 500, 502, 503])
@respx.mock
async def test_a_temporary_failure_is_retried_with_exponential_backoff(status: int) -> None:
    route = respx.post(EMBEDDINGS).mock(side_effect=[httpx.Response(status)] * 3 + [GOOD])
    waits = Waits()
    assert await client_with(waits).embed(["a"]) == [[0.6, 0.8]]
    assert route.call_count == 4
    assert waits.seconds == [0.5, 1.0, 2.0]


@respx.mock
async def test_backoff_has_jitter_and_never_exceeds_eight_seconds() -> None:
    respx.post(EMBEDDINGS).mock(return_value=httpx.Response(503))
    waits = Waits()
    client = IsaacusClient(KEY, max_retries=7, sleep=waits, jitter=lambda: 1.0)
    with pytest.raises(EngineUnavailable):
        await client.embed(["a"])
    assert waits.seconds == [0.375, 0.75, 1.5, 3.0, 6.0, 6.0, 6.0]


@respx.mock
async def test_after_the_last_retry_the_engine_is_unavailable() -> None:
    route = respx.post(EMBEDDINGS).mock(return_value=httpx.Response(429, text="<html>slow down</html>"))
    with pytest.raises(EngineUnavailable):
        await client_with(Waits(), max_retries=2).embed(["a"])
    assert route.call_count == 3


@pytest.mark.parametrize(
    ("status", "title", "expected"),
    [
        (400, "Validation error", EngineRefused),
        (400, "Query too long error", EngineRefused),
        (400, "Embedding input too large error", EngineRefused),
        (401, "Incorrect API key error", EngineKeyRejected),
        (402, "Account overdue error", EngineAccountBlocked),
        (403, "Access forbidden error", EngineKeyRejected),
        (403, "No subscription error", EngineAccountBlocked),
        (413, "Request too large error", EngineRefused),
        (404, "Not found", EngineRefused),
        (422, "Unprocessable", EngineRefused),
        (500, "Chunking timeout error", EngineRefused),
        (302, "", EngineMisbehaved),
        (204, "", EngineMisbehaved),
    ],
)
@respx.mock
async def test_a_permanent_failure_is_raised_without_a_retry(status: int, title: str, expected: type[EngineFailed]) -> None:
    reply = problem(status, title, detail=f"the key was {KEY}")
    reply.headers["x-should-retry"] = "true" if status in (400, 401, 402, 403, 413) else ""
    route = respx.post(EMBEDDINGS).mock(return_value=reply)
    with pytest.raises(EngineFailed) as caught:
        await client_with(Waits()).embed(["a"])
    assert route.call_count == 1
    assert isinstance(caught.value, expected)
    assert KEY not in str(caught.value)
    assert isinstance(caught.value, EngineUnavailable) is False


@pytest.mark.parametrize("body", [b"", b"<html>Bad gateway</html>", b'["a", "list"]', b'{"title": 7}'])
@respx.mock
async def test_an_error_without_a_problem_document_is_named_by_its_status(body: bytes) -> None:
    respx.post(EMBEDDINGS).mock(return_value=httpx.Response(402, content=body))
    with pytest.raises(EngineAccountBlocked):
        await client_with(Waits()).embed(["a"])


@pytest.mark.parametrize(
    ("headers", "waited"),
    [
        ({"retry-after": "7"}, 7.0),
        ({"retry-after": format_datetime(datetime.fromtimestamp(NOW, UTC) + timedelta(seconds=20), usegmt=True)}, 20.0),
        ({"retry-after-ms": "1500", "retry-after": "7"}, 1.5),
        ({"retry-after": "120"}, 0.5),
        ({"retry-after": "0"}, 0.5),
        ({"retry-after": "-3"}, 0.5),
        ({"retry-after": "nan"}, 0.5),
        ({"retry-after": "soon"}, 0.5),
    ],
)
@respx.mock
async def test_retry_after_is_respected_up_to_a_minute(headers: dict[str, str], waited: float) -> None:
    respx.post(EMBEDDINGS).mock(side_effect=[httpx.Response(429, headers=headers), GOOD])
    waits = Waits()
    await client_with(waits).embed(["a"])
    assert waits.seconds == [waited]


@respx.mock
async def test_the_server_can_forbid_and_request_a_retry() -> None:
    waits = Waits()
    respx.post(EMBEDDINGS).mock(return_value=httpx.Response(503, headers={"x-should-retry": "false"}))
    with pytest.raises(EngineUnavailable):
        await client_with(waits).embed(["a"])
    assert waits.seconds == []
    respx.post(EMBEDDINGS).mock(side_effect=[httpx.Response(404, headers={"x-should-retry": "true"}), GOOD])
    await client_with(waits).embed(["a"])
    assert waits.seconds == [0.5]


@pytest.mark.parametrize("error", [httpx.ConnectError, httpx.ReadTimeout, httpx.RemoteProtocolError, httpx.PoolTimeout])
@respx.mock
async def test_a_broken_connection_is_retried(error: type[httpx.TransportError]) -> None:
    route = respx.post(EMBEDDINGS).mock(side_effect=[error("broken"), GOOD])
    assert await client_with(Waits()).embed(["a"]) == [[0.6, 0.8]]
    assert route.call_count == 2


def _errors_of_httpx() -> list[type[Exception]]:
    """Every public exception except HTTPStatusError, which the client never asks httpx to raise."""
    found = [kind for _, kind in inspect.getmembers(httpx, inspect.isclass) if issubclass(kind, Exception)]
    return [kind for kind in found if kind is not httpx.HTTPStatusError]


@pytest.mark.parametrize("kind", _errors_of_httpx(), ids=lambda kind: kind.__name__)
@respx.mock
async def test_every_exception_of_httpx_is_translated(kind: type[Exception]) -> None:
    error = kind.__new__(kind)
    Exception.__init__(error, "inner text with details")
    respx.post(EMBEDDINGS).mock(side_effect=lambda request: (_ for _ in ()).throw(error))
    with pytest.raises(errors.OrderlyError) as caught:
        await client_with(Waits()).embed(["a"])
    assert caught.value.__cause__ is error
    assert "inner text" not in caught.value.message
    if issubclass(kind, httpx.TimeoutException | httpx.NetworkError):
        assert isinstance(caught.value, EngineUnavailable)


def test_no_entry_of_the_httpx_table_is_shadowed_by_an_earlier_one() -> None:
    kinds = [kind for kind, _, _ in error_translation.HTTPX_ERRORS]
    for position, kind in enumerate(kinds):
        assert not any(issubclass(kind, earlier) for earlier in kinds[:position])


@respx.mock
async def test_a_batch_that_is_too_large_is_halved_until_it_passes() -> None:
    def small_only(request: httpx.Request) -> httpx.Response:
        texts = json.loads(request.content)["texts"]
        if len(texts) > 2:
            return problem(413, "Request too large error")
        return httpx.Response(
            200, json={"embeddings": [{"index": i, "embedding": [float(t), 1.0]} for i, t in enumerate(texts)]}
        )

    respx.post(EMBEDDINGS).mock(side_effect=small_only)
    vectors = await client_with(Waits()).embed([str(i) for i in range(7)])
    assert [round(x / y) for x, y in vectors] == list(range(7))


@respx.mock
async def test_documents_too_large_together_are_reranked_in_halves() -> None:
    def single_only(request: httpx.Request) -> httpx.Response:
        texts = json.loads(request.content)["texts"]
        if len(texts) > 1:
            return problem(413, "Request too large error")
        return httpx.Response(200, json={"results": [{"index": 0, "score": float(texts[0])}]})

    respx.post(f"{BASE}/rerankings").mock(side_effect=single_only)
    ranked = await client_with(Waits()).rerank("q", ["0.1", "0.9", "0.5"])
    assert [item["index"] for item in ranked] == [1, 2, 0]


@respx.mock
async def test_a_single_text_that_is_too_large_is_refused() -> None:
    route = respx.post(EMBEDDINGS).mock(return_value=problem(413, "Request too large error"))
    with pytest.raises(EngineRefused):
        await client_with(Waits()).embed(["a"])
    assert route.call_count == 1


@pytest.mark.parametrize(
    "body",
    [
        "not json",
        "[]",
        "{}",
        '{"embeddings": 3}',
        '{"embeddings": [3]}',
        '{"embeddings": []}',
        '{"embeddings": [{"index": 0, "embedding": [1]}]}',
        '{"embeddings": [{"index": 0, "embedding": [1]}, {"index": 0, "embedding": [1]}]}',
        '{"embeddings": [{"index": 0, "embedding": [1]}, {"index": 2, "embedding": [1]}]}',
        '{"embeddings": [{"index": 0, "embedding": [1]}, {"index": 1, "embedding": [1, 2]}]}',
        '{"embeddings": [{"index": 0, "embedding": [1]}, {"index": 1, "embedding": [NaN]}]}',
        '{"embeddings": [{"index": 0, "embedding": [1]}, {"index": 1, "embedding": [0]}]}',
        '{"embeddings": [{"index": 0, "embedding": [1]}, {"index": 1, "embedding": ["1"]}]}',
        '{"embeddings": [{"index": 0, "embedding": [1]}, {"index": 1}]}',
    ],
)
@respx.mock
async def test_malformed_embeddings_are_refused(body: str) -> None:
    respx.post(EMBEDDINGS).mock(return_value=httpx.Response(200, text=body))
    with pytest.raises(EngineMisbehaved):
        await client_with(Waits()).embed(["a", "b"])


@pytest.mark.parametrize(
    "results",
    [
        '[{"index": 0, "score": 0.5}]',
        '[{"index": 0, "score": 0.5}, {"index": 1, "score": NaN}]',
        '[{"index": 0, "score": 0.5}, {"index": 1, "score": 1.5}]',
        '[{"index": 0, "score": 0.5}, {"index": 1, "score": null}]',
        '[{"index": 0, "score": 0.5}, {"index": "1", "score": 0.5}]',
        '[{"index": 0, "score": 0.5}, {"index": -1, "score": 0.5}]',
        '[{"index": 0, "score": 0.5}, {"index": 0, "score": 0.4}]',
    ],
)
@respx.mock
async def test_malformed_rankings_are_refused(results: str) -> None:
    respx.post(f"{BASE}/rerankings").mock(return_value=httpx.Response(200, text=f'{{"results": {results}}}'))
    with pytest.raises(EngineMisbehaved):
        await client_with(Waits()).rerank("q", ["a", "b"])


@pytest.mark.parametrize(
    "extractions",
    [
        "[]",
        '[{"index": 0, "answers": []}]',
        '[{"index": 0, "answers": [{"text": "b", "start": 0, "end": 1, "score": 0.1}], "inextractability_score": 0}]',
        '[{"index": 0, "answers": [{"text": "", "start": 1, "end": 1, "score": 0.1}], "inextractability_score": 0}]',
        '[{"index": 0, "answers": [{"text": "a", "start": 0, "end": 99, "score": 0.1}], "inextractability_score": 0}]',
        '[{"index": 0, "answers": [{"text": "c", "start": -1, "end": 3, "score": 0.1}], "inextractability_score": 0}]',
        '[{"index": 0, "answers": [{"text": "a", "start": 0, "end": 1}], "inextractability_score": 0}]',
    ],
)
@respx.mock
async def test_malformed_extractions_are_refused(extractions: str) -> None:
    reply = httpx.Response(200, text=f'{{"extractions": {extractions}}}')
    respx.post(f"{BASE}/extractions/qa").mock(return_value=reply)
    with pytest.raises(EngineMisbehaved):
        await client_with(Waits()).extract("q", "abc")


@pytest.mark.parametrize(
    "classifications",
    [
        "[]",
        '[{"index": 0, "score": 0.9}]',
        '[{"index": 0, "score": 2, "chunks": null}]',
        '[{"index": 0, "score": 0.9, "chunks": [{"start": 2, "end": 9, "score": 0.9, "text": "c"}]}]',
        '[{"index": 0, "score": 0.9, "chunks": [{"start": 0, "end": 1, "score": 0.9, "text": "b"}]}]',
    ],
)
@respx.mock
async def test_malformed_classifications_are_refused(classifications: str) -> None:
    reply = httpx.Response(200, text=f'{{"classifications": {classifications}}}')
    respx.post(f"{BASE}/classifications/universal").mock(return_value=reply)
    with pytest.raises(EngineMisbehaved):
        await client_with(Waits()).classify("abc", ["assignment"])


@respx.mock
async def test_concurrent_requests_stay_within_the_limit() -> None:
    running, most = 0, 0

    async def slow(request: httpx.Request) -> httpx.Response:
        nonlocal running, most
        running += 1
        most = max(most, running)
        await asyncio.sleep(0.01)
        running -= 1
        return httpx.Response(200, json={"classifications": [{"index": 0, "score": 0.1, "chunks": None}]})

    respx.post(f"{BASE}/classifications/universal").mock(side_effect=slow)
    client = client_with(Waits(), limiter=RequestLimiter(3))
    await client.classify("text", [f"label {i}" for i in range(9)])
    assert most == 3
