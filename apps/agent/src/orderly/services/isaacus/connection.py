"""One HTTP connection pool to Isaacus, with its retries."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

import httpx

from orderly.errors import EngineMisbehaved
from orderly.services.isaacus import failures
from orderly.services.retrying import RetryPolicy

log = logging.getLogger(__name__)

Json = Mapping[str, object]


@dataclass(slots=True)
class Usage:
    requests: int = 0
    """Answered with 200."""
    input_tokens: int = 0


class Connection:
    """Sends a JSON body to a path and gives back the JSON object of a 200."""

    def __init__(
        self,
        client: httpx.AsyncClient,
        policy: RetryPolicy,
        *,
        max_concurrency: int,
        sleep: Callable[[float], Awaitable[None]],
    ) -> None:
        self._client = client
        self._policy = policy
        self._slots = asyncio.Semaphore(max_concurrency)
        self._sleep = sleep
        self.usage: dict[str, Usage] = {}

    async def post(self, path: str, body: Json) -> Json:
        async with self._slots:
            response = await self._with_retries(path, body)
        reply = _json_object(response)
        self._count(path, reply)
        return reply

    async def _with_retries(self, path: str, body: Json) -> httpx.Response:
        attempt = 0
        while True:
            last = attempt >= self._policy.max_retries
            headers: Mapping[str, str] = {}
            try:
                response = await self._client.post(path, json=body)
            except (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError, httpx.CookieConflict) as exc:
                failure = failures.of_httpx(exc)
                if last or not _worth_retrying(exc):
                    raise failure from exc
            else:
                if response.status_code == 200:
                    return response
                refusal, headers = failures.of_response(response), response.headers
                final = isinstance(refusal, failures.ChunkingTimeout)
                if last or final or not self._policy.retries(response.status_code, headers):
                    raise refusal
            wait = self._policy.wait(attempt, headers)
            log.warning("isaacus %s: try %d failed, waiting %.2f s", path, attempt + 1, wait)
            await self._sleep(wait)
            attempt += 1

    def _count(self, path: str, reply: Json) -> None:
        usage = reply.get("usage")
        tokens = usage.get("input_tokens") if isinstance(usage, dict) else None
        counted = self.usage.setdefault(path, Usage())
        counted.requests += 1
        counted.input_tokens += tokens if isinstance(tokens, int) else 0

    async def close(self) -> None:
        await self._client.aclose()


def _worth_retrying(error: Exception) -> bool:
    """Whether the network failed, as against an address or request that can never work."""
    return isinstance(error, httpx.TransportError) and not isinstance(
        error, httpx.UnsupportedProtocol | httpx.LocalProtocolError
    )


def _json_object(response: httpx.Response) -> Json:
    try:
        reply = response.json()
    except ValueError as exc:
        raise EngineMisbehaved("Isaacus sent a reply that is not JSON.") from exc
    if not isinstance(reply, dict):
        raise EngineMisbehaved("Isaacus sent a reply that is not a JSON object.")
    return reply
