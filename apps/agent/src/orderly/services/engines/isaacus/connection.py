"""HTTP connection pool to Isaacus with retries, rate limits and usage counts."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Mapping, Sized
from dataclasses import dataclass
from typing import TypeVar

import httpx

from orderly.errors import EngineMisbehaved
from orderly.services.engines import RetryPolicy, before_deadline
from orderly.services.engines.isaacus import error_translation
from orderly.services.engines.isaacus.request_limiter import RequestLimiter
from orderly.services.policy import Call, call_meter

log = logging.getLogger(__name__)

T = TypeVar("T")
Json = Mapping[str, object]
Observer = Callable[[Call], Awaitable[None]]


@dataclass(slots=True)
class Usage:
    requests: int = 0
    """Requests answered with status 200."""
    input_tokens: int = 0


class Connection:
    """Posts a JSON body to a path and returns the JSON object of the 200 reply."""

    def __init__(
        self,
        client: httpx.AsyncClient,
        policy: RetryPolicy,
        *,
        limiter: RequestLimiter,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        observer: Observer | None = None,
    ) -> None:
        self._client = client
        self._policy = policy
        self._limiter = limiter
        self._sleep = sleep
        self._observer = observer
        self.usage: dict[str, Usage] = {}

    async def post(self, path: str, body: Json) -> Json:
        async with before_deadline("Isaacus did not answer in time."), self._limiter.slot():
            response = await self._with_retries(path, body)
        return _json_object(response)

    async def _with_retries(self, path: str, body: Json) -> httpx.Response:
        attempt = 0
        while True:
            await self._limiter.ready()
            last = attempt >= self._policy.max_retries
            status, headers = 0, httpx.Headers()
            try:
                response = await self._send(path, body)
            except (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError, httpx.CookieConflict) as exc:
                failure = error_translation.translate_exception(exc)
                if last or not _is_transient(exc):
                    raise failure from exc
            else:
                status, headers = response.status_code, response.headers
                if status == 200:
                    return response
                refusal = error_translation.translate_response(response)
                final = isinstance(refusal, error_translation.ChunkingTimeout)
                if last or final or not self._policy.retries(status, headers):
                    raise refusal
            wait = self._policy.wait(attempt, headers)
            log.warning("isaacus %s: attempt %d failed, retrying in %.2f s", path, attempt + 1, wait)
            await self._pause(wait, for_all=self._policy.pauses_all(status, headers))
            attempt += 1

    async def _pause(self, seconds: float, *, for_all: bool) -> None:
        if for_all:
            with self._limiter.paused():
                await self._sleep(seconds)
        else:
            await self._sleep(seconds)

    async def _send(self, path: str, body: Json) -> httpx.Response:
        started, response = time.monotonic(), None
        try:
            response = await self._client.post(path, json=body)
        finally:
            await self._report(path, body, response, time.monotonic() - started)
        return response

    async def _report(self, path: str, body: Json, response: httpx.Response | None, seconds: float) -> None:
        texts, query = body.get("texts"), body.get("query")
        call = Call(
            engine="isaacus",
            endpoint=path,
            model=str(body.get("model")),
            texts=len(texts) if isinstance(texts, Sized) else 0,
            characters=sum(map(len, texts)) + len(str(query or "")) if isinstance(texts, list) else 0,
            seconds=seconds,
            status=None if response is None else response.status_code,
            input_tokens=_input_tokens(response),
        )
        if call.answered:
            counted = self.usage.setdefault(path, Usage())
            counted.requests += 1
            counted.input_tokens += call.input_tokens
        call_meter.count(call)
        if self._observer is not None:
            await self._observer(call)

    async def close(self) -> None:
        await self._client.aclose()


def _input_tokens(response: httpx.Response | None) -> int:
    """Input tokens of the reply, 0 if the reply does not state them."""
    if response is None or response.status_code != 200:
        return 0
    try:
        reply = response.json()
    except ValueError:
        return 0
    usage = reply.get("usage") if isinstance(reply, dict) else None
    tokens = usage.get("input_tokens") if isinstance(usage, dict) else None
    return tokens if type(tokens) is int and tokens > 0 else 0


def _is_transient(error: Exception) -> bool:
    """Whether the failure is transient: a network error, not an invalid address or request."""
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


async def gather_calls(calls: Iterable[Coroutine[object, object, T]]) -> list[T]:
    """Results in order. Cancels the remaining calls when one call fails."""
    tasks = [asyncio.ensure_future(call) for call in calls]
    try:
        return await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
