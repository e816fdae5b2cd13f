"""A private deployment: signatures against Amazon's published test suite, envelopes and errors against a peer."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from datetime import UTC, datetime

import httpx
import pytest
import respx
from pydantic import SecretStr

from orderly.errors import EngineKeyRejected, EngineRefused, EngineUnavailable, Misconfigured
from orderly.services.engines.isaacus.sagemaker import Endpoint, SageMakerTransport, parse_endpoints
from orderly.services.engines.isaacus.sigv4 import Credentials, SigV4
from orderly.services.isaacus_client import IsaacusClient
from orderly.settings import Settings
from orderly.wiring.engines import isaacus
from support.isaacus_peer import IsaacusPeer, Problem

NOW = datetime(2015, 8, 30, 12, 36, 0, tzinfo=UTC)
SECRET = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"
SUITE = Credentials("AKIDEXAMPLE", SECRET)
HOST = "https://runtime.sagemaker.ap-southeast-2.amazonaws.com"

# Case name in the AWS Signature Version 4 test suite: method, path, headers, body, signature.
VECTORS: dict[str, tuple[str, str, dict[str, str], str, str]] = {
    "get-vanilla": ("GET", "/", {}, "", "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"),
    "get-vanilla-query-order-key-case": (
        "GET", "/?Param2=value2&Param1=value1", {}, "", "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500",
    ),
    "post-vanilla": ("POST", "/", {}, "", "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"),
    "post-header-key-sort": (
        "POST", "/", {"My-Header1": "value1"}, "", "c5410059b04c1ee005303aed430f6e6645f61f4dc9e1461ec8f8916fdf18852c",
    ),
    "post-x-www-form-urlencoded": (
        "POST", "/", {"Content-Type": "application/x-www-form-urlencoded"}, "Param1=value1",
        "ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", VECTORS)
def test_signatures_match_amazons_test_suite(name: str) -> None:
    method, path, headers, body, signature = VECTORS[name]
    request = httpx.Request(method, f"https://example.amazonaws.com{path}", headers=headers, content=body)
    SigV4(SUITE, "us-east-1", "service", now=lambda: NOW).sign(request)
    assert request.headers["authorization"].rpartition("Signature=")[2] == signature
    assert "Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request" in request.headers["authorization"]


def test_the_session_token_of_a_temporary_key_is_sent_and_signed() -> None:
    request = httpx.Request("POST", "https://example.amazonaws.com/")
    SigV4(Credentials("AKIDEXAMPLE", SECRET, "token-of-the-session"), "us-east-1", "service", now=lambda: NOW).sign(request)
    assert request.headers["x-amz-security-token"] == "token-of-the-session"
    assert "SignedHeaders=host;x-amz-date;x-amz-security-token" in request.headers["authorization"]
    assert SECRET not in repr(SUITE) and "token-of" not in repr(Credentials("a", "b", "token-of-the-session"))


class SageMaker:
    """Unwraps the envelope for the Isaacus peer and wraps the peer's errors as SageMaker does."""

    def __init__(self) -> None:
        self.peer = IsaacusPeer()
        self.requests: list[httpx.Request] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        envelope = json.loads(request.content)
        try:
            return self.peer.answer(envelope["path"].removeprefix("/v1"), envelope["data"])
        except Problem as error:
            problem = json.dumps({"title": error.title, "status": error.status, "detail": None})
            body = {"ErrorCode": "CLIENT_ERROR_FROM_MODEL", "OriginalStatusCode": error.status, "OriginalMessage": problem}
            return httpx.Response(424, json=body)


@pytest.fixture
def sagemaker(respx_mock: respx.MockRouter) -> SageMaker:
    made = SageMaker()
    respx_mock.route(host="runtime.sagemaker.ap-southeast-2.amazonaws.com").mock(side_effect=made)
    return made


SETTINGS = {
    "ISAACUS_SAGEMAKER_ENDPOINTS": "legal-a:kanon-2-embedder legal-b legal-c:kanon-2-reranker",
    "AWS_REGION": "ap-southeast-2",
    "AWS_ACCESS_KEY_ID": "AKIDEXAMPLE",
    "AWS_SECRET_ACCESS_KEY": SECRET,
}


@pytest.fixture
async def client(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[IsaacusClient]:
    for name, value in SETTINGS.items():
        monkeypatch.setenv(name, value)
    opened = isaacus(Settings(_env_file=None))
    yield opened
    await opened.close()


async def test_a_request_is_sent_in_a_signed_envelope_without_the_key(client: IsaacusClient, sagemaker: SageMaker) -> None:
    vectors = await client.embed(["text one", "text two"])
    assert len(vectors) == 2
    [request] = sagemaker.requests
    assert str(request.url) == f"{HOST}/endpoints/legal-a/invocations"
    envelope = json.loads(request.content)
    assert (envelope["path"], envelope["method"]) == ("/v1/embeddings", "POST")
    assert envelope["headers"] == {"accept": "application/json", "content-type": "application/json"}
    assert envelope["data"]["texts"] == ["text one", "text two"]
    assert "/ap-southeast-2/sagemaker/aws4_request" in request.headers["authorization"]
    assert "private-deployment" not in request.content.decode() + str(request.headers)
    assert SECRET not in request.content.decode() + str(request.headers)


async def test_requests_rotate_over_the_endpoints_that_serve_a_model(client: IsaacusClient, sagemaker: SageMaker) -> None:
    for _ in range(3):
        await client.rerank("fee", ["a fee"])
    await client.extract("fee?", "A fee.")
    assert [request.url.path.split("/")[2] for request in sagemaker.requests] == ["legal-b", "legal-c", "legal-b", "legal-b"]


async def test_an_error_of_the_model_is_unwrapped_and_named(client: IsaacusClient, sagemaker: SageMaker) -> None:
    sagemaker.peer.largest = 10
    with pytest.raises(EngineRefused, match="too large"):
        await client.embed(["longer than ten characters"])
    assert len(await client.embed(["short", "shorter"])) == 2, "a 413 splits the batch as it does over the public API"


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        (httpx.Response(403, json={"message": "The security token is invalid."}), EngineKeyRejected),
        (httpx.Response(503, text="no capacity"), EngineUnavailable),
        (httpx.Response(424, json={"OriginalStatusCode": 503, "OriginalMessage": "<html>"}), EngineUnavailable),
        (httpx.Response(424, json={"OriginalStatusCode": "odd", "OriginalMessage": ""}), EngineRefused),
    ],
)
async def test_errors_of_sagemaker_are_named_by_their_status(
    respx_mock: respx.MockRouter, reply: httpx.Response, expected: type[Exception]
) -> None:
    respx_mock.route(host="runtime.sagemaker.ap-southeast-2.amazonaws.com").mock(return_value=reply)
    transport = SageMakerTransport([Endpoint("legal")], "ap-southeast-2", SigV4(SUITE, "ap-southeast-2", "sagemaker"))
    with pytest.raises(expected):
        await IsaacusClient("none", max_retries=0, transport=transport).embed(["a"])


async def test_a_model_without_an_endpoint_is_misconfigured() -> None:
    transport = SageMakerTransport(parse_endpoints("a:kanon-2-embedder"), "us-east-1", SigV4(SUITE, "us-east-1", "sagemaker"))
    with pytest.raises(Misconfigured, match="kanon-answer-extractor"):
        await IsaacusClient("none", transport=transport).extract("fee?", "A fee.")


@pytest.mark.parametrize("missing", ["AWS_REGION", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"])
def test_a_missing_setting_of_a_private_deployment_is_named(monkeypatch: pytest.MonkeyPatch, missing: str) -> None:
    for name, value in SETTINGS.items():
        if name != missing:
            monkeypatch.setenv(name, value)
    with pytest.raises(Misconfigured, match=missing) as caught:
        isaacus(Settings(_env_file=None))
    assert SECRET not in caught.value.message


def test_an_endpoint_name_that_changes_the_path_is_refused() -> None:
    with pytest.raises(Misconfigured):
        parse_endpoints("../../evil")


def test_the_settings_default_to_the_models_of_the_client() -> None:
    models = isaacus(Settings(isaacus_api_key=SecretStr("iuak_v1"), _env_file=None))._models
    assert models == type(models)()
