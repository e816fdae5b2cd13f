"""Isaacus in a private deployment: its API behind the /invocations route of Amazon SageMaker endpoints."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import cycle

import httpx

from orderly.errors import Misconfigured
from orderly.services.engines.isaacus.sigv4 import SigV4

NO_KEY = "private-deployment"
"""Placeholder API key. The transport removes the authorization header."""

_NAME = re.compile(r"[A-Za-z0-9](?:-?[A-Za-z0-9]){0,62}")
_REGION = re.compile(r"[a-z]{2,4}(?:-[a-z]+)+-\d")

_DROPPED = frozenset({
    "authorization", "host", "connection", "keep-alive", "proxy-authenticate", "proxy-authorization", "te", "trailer",
    "transfer-encoding", "upgrade", "content-length", "accept-encoding", "user-agent",
})  # fmt: skip
"""Credential and hop-by-hop headers, which are not forwarded to Isaacus."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    name: str
    models: frozenset[str] = frozenset()
    """Models that the endpoint serves; empty: all."""


def parse_endpoints(text: str) -> list[Endpoint]:
    """Parses "NAME NAME:MODEL,MODEL". Raises Misconfigured."""
    found = []
    for item in text.split():
        name, _, models = item.partition(":")
        if not _NAME.fullmatch(name):
            raise Misconfigured("ISAACUS_SAGEMAKER_ENDPOINTS holds a name that no SageMaker endpoint can have.")
        found.append(Endpoint(name, frozenset(filter(None, models.split(",")))))
    return found


class SageMakerTransport(httpx.AsyncBaseTransport):
    """Sends Isaacus requests as endpoint invocations, round-robin over the endpoints that serve the model."""

    def __init__(
        self, endpoints: Sequence[Endpoint], region: str, auth: SigV4, *, client: httpx.AsyncClient | None = None
    ) -> None:
        if not _REGION.fullmatch(region):
            raise Misconfigured("The SageMaker endpoints need AWS_REGION, such as ap-southeast-2.")
        self._endpoints = list(endpoints)
        self._host = f"https://runtime.sagemaker.{region}.amazonaws.com"
        self._auth = auth
        self._client = client or httpx.AsyncClient()
        self._rotations: dict[str, Iterator[Endpoint]] = {}

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        data = json.loads(await request.aread())
        inner = {name: value for name, value in request.headers.items() if name not in _DROPPED}
        envelope = {"path": request.url.path, "method": request.method, "headers": inner, "data": data}
        outer = self._client.build_request(
            "POST",
            f"{self._host}/endpoints/{self._next_endpoint(str(data.get('model'))).name}/invocations",
            json=envelope,
            extensions={"timeout": request.extensions.get("timeout", {})},
        )
        self._auth.sign(outer)
        return _unwrap(await self._client.send(outer))

    def _next_endpoint(self, model: str) -> Endpoint:
        if model not in self._rotations:
            serving = [endpoint for endpoint in self._endpoints if not endpoint.models or model in endpoint.models]
            if not serving:
                raise Misconfigured(f"None of ISAACUS_SAGEMAKER_ENDPOINTS serves the model {model}.")
            self._rotations[model] = cycle(serving)
        return next(self._rotations[model])

    async def aclose(self) -> None:
        await self._client.aclose()


def _unwrap(response: httpx.Response) -> httpx.Response:
    """Isaacus' reply inside an invocation's response. SageMaker errors (throttling, unknown endpoint) are unchanged."""
    headers = {name: value for name, value in response.headers.items() if name in ("content-type", "retry-after")}
    error = _model_error(response)
    if error is None:
        return httpx.Response(response.status_code, headers=headers, content=response.content)
    status, message = error.get("OriginalStatusCode"), error.get("OriginalMessage")
    if type(status) is not int or not 400 <= status <= 599:
        return httpx.Response(response.status_code, headers=headers, content=response.content)
    return httpx.Response(status, headers={"content-type": "application/problem+json"}, content=str(message or "").encode())


def _model_error(response: httpx.Response) -> Mapping[str, object] | None:
    if response.status_code < 400:
        return None
    try:
        body = response.json()
    except ValueError:
        return None
    return body if isinstance(body, dict) and "OriginalStatusCode" in body else None
