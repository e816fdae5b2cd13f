"""Limits on the rate and size of requests."""

from __future__ import annotations

import json
from collections.abc import Mapping

from fastapi import FastAPI

from orderly.api.app import create_app
from orderly.services.policy.rate_limits import RateLimiter
from security.installed import installed
from security.routes import send_request
from security.undone import Desk
from security.world import World


async def ask(app: FastAPI, method: str, path: str, body: bytes = b"", **headers: str) -> tuple[int, Mapping[str, str], bytes]:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return await send_request(app, method, path, "", {"content-type": "application/json", **named}, body)


async def test_the_rate_limit_of_one_user_gives_retry_after_and_affects_no_other_user(desk: Desk, world: World) -> None:
    async with installed(desk, world, requests_per_minute=3):
        app = create_app()
        owner, viewer = (f"Bearer {world.tokens[name]}" for name in ("owner", "viewer"))
        answers = [await ask(app, "GET", "/api/session", authorization=owner) for _ in range(5)]
        assert [status for status, _, _ in answers] == [200, 200, 200, 200, 429], (
            "the first request counts for the address, before the token is known"
        )
        _, headers, body = answers[-1]
        assert headers["content-type"] == "application/problem+json"
        assert 1 <= int(headers["retry-after"]) <= 20
        assert json.loads(body)["status"] == 429
        assert (await ask(app, "GET", "/api/session", authorization=viewer))[0] == 200
        assert (await ask(app, "GET", "/health"))[0] == 200


async def test_unknown_tokens_share_the_limit_of_their_address(desk: Desk, world: World) -> None:
    async with installed(desk, world, requests_per_minute=3):
        app = create_app()
        statuses = [(await ask(app, "GET", "/api/session", authorization=f"Bearer ord_{n}"))[0] for n in range(5)]
        assert statuses == [401, 401, 401, 429, 429]


async def test_signing_in_is_limited_by_address(desk: Desk, world: World) -> None:
    async with installed(desk, world, sign_ins_per_minute=2):
        app = create_app()
        statuses = [(await ask(app, "POST", "/api/session", json.dumps({"token": f"ord_{n}"}).encode()))[0] for n in range(3)]
        assert statuses == [401, 401, 429]


async def test_an_oversized_request_is_refused_with_and_without_content_length(desk: Desk, world: World) -> None:
    async with installed(desk, world, max_request_kb=64):
        app = create_app()
        token = f"Bearer {world.tokens['owner']}"
        body = json.dumps({"query": "x" * 70_000}).encode()
        path = f"/api/matters/{world.places['main']['matter']}/search"
        status, headers, said = await ask(app, "POST", path, body, authorization=token)
        assert (status, headers["content-type"]) == (413, "application/problem+json"), said
        status, headers, said = await ask(app, "POST", path, body, authorization=token, content_length="")
        assert (status, headers["content-type"]) == (413, "application/problem+json"), said
        body = json.dumps({"model": "orderly", "input": "x" * 70_000}).encode()
        for length in ({}, {"content_length": ""}):
            status, headers, said = await ask(app, "POST", "/v1/responses", body, authorization=token, **length)
            assert (status, headers["content-type"]) == (413, "application/json"), said
            assert set(json.loads(said)["error"]) == {"message", "type", "param", "code"}


def test_the_rate_limiter_refills_evenly() -> None:
    now = 0.0
    limiter = RateLimiter(60, clock=lambda: now)
    assert [limiter.wait("a") for _ in range(61)] == [0] * 60 + [1]
    now = 2.5
    assert [limiter.wait("a") for _ in range(3)] == [0, 0, 1]
    assert limiter.wait("b") == 0


def test_the_rate_limiter_drops_idle_callers() -> None:
    now = 0.0
    limiter = RateLimiter(60, clock=lambda: now)
    for n in range(10_000):
        limiter.wait(str(n))
    now = 120.0
    limiter.wait("one more")
    assert len(limiter._buckets) < 100
