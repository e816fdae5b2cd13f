"""The main path on Supabase: the database through supabase-py, files in Storage, sign-in through Auth."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import json
import os
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import jwt
import pytest
import respx
from langchain_core.messages import HumanMessage
from pydantic import SecretStr

from orderly.agent.middleware.run_context import RunContext
from orderly.api.app import create_app
from orderly.api.callers import provide_services
from orderly.errors import Misconfigured
from orderly.graph import build_graph
from orderly.models import Caller
from orderly.services.files.spool import open_spool
from orderly.services.ingestion import Choice
from orderly.settings import Settings
from orderly.sign_in.identity import USER_KEY, seal
from orderly.wiring.services import Services, open_operator, open_services
from support.lease import LEASE
from support.postgrest_peer import JWT_SECRET, key_of, serving
from support.storage_peer import StoragePeer

STORAGE = StoragePeer(key_of("service_role"), anon_key=key_of("anon"), jwt_secret=JWT_SECRET)

HERE = "https://test"
OWN = {"sec-fetch-site": "same-origin"}

AUTH: dict[str, Callable[[httpx.Request], httpx.Response]] = {}
"""Replies of Supabase Auth by path, set by a test."""


def answered(request: httpx.Request) -> httpx.Response:
    return AUTH["answers"](request)


@pytest.fixture
async def on_supabase(database_url: str, tmp_path: Path) -> AsyncIterator[Services]:
    async with serving(database_url) as url:
        settings = Settings(
            home=tmp_path,
            supabase_url=url,
            supabase_anon_key=key_of("anon"),
            supabase_service_key=key_of("service_role"),
            supabase_jwt_secret=JWT_SECRET,
            secret=SecretStr("s" * 32),
            public_url=HERE,
            _env_file=None,
        )
        with respx.mock(assert_all_called=False) as mock:
            mock.route(path__startswith="/storage/v1/").mock(side_effect=STORAGE)
            mock.post(path__startswith="/auth/v1/").mock(side_effect=answered)
            mock.route(path__startswith="/rest/v1/").pass_through()
            async with open_services(settings) as services:
                yield services


async def test_a_file_is_ingested_and_a_question_about_it_answered(
    on_supabase: Services, make_user: Callable[..., Awaitable[Caller]], tmp_path: Path
) -> None:
    ada = await make_user("ada@firm.example")
    matter = await on_supabase.store.rpc(ada, "create_matter", {"title": "Lease"})
    (tmp_path / "lease.txt").write_text(LEASE)
    async with open_operator(on_supabase) as operator:
        report = await operator.file_ingestor.add(ada, matter["id"], tmp_path / "lease.txt")
    assert report.status == "ready"
    assert list(STORAGE.files.values()) == [LEASE.encode()]
    config = {"configurable": {USER_KEY: seal(ada.user_id, on_supabase.secret)}}
    question = {"messages": [HumanMessage("Which law governs the lease?")]}
    state = await build_graph(on_supabase.settings).ainvoke(question, config, context=RunContext(matter_id=matter["number"]))
    assert "laws of New South Wales" in state["messages"][-1].text
    assert state["citations"] and all(LEASE[c["start"] : c["end"]] == c["text"] for c in state["citations"])


async def test_the_agent_works_without_the_service_key_and_opens_files_as_its_user(
    on_supabase: Services, make_user: Callable[..., Awaitable[Caller]]
) -> None:
    settings = on_supabase.settings.model_copy(update={"supabase_service_key": None})
    ada = await make_user("ada@firm.example")
    matter = await on_supabase.store.rpc(ada, "create_matter", {"title": "Lease"})
    STORAGE.callers.clear()
    async with open_services(settings) as services:
        async with open_spool("lease.txt", 1) as kept:
            kept.write(LEASE.encode())
            kept.finish()
            received = await services.registrar.register(ada, matter["id"], kept, Choice("skip"))
        assert received.document["status"] == "queued"
        text = await services.library.text(ada, received.document["id"])
        assert text.parts[0].text.strip() == LEASE.strip()
        with pytest.raises(Misconfigured, match="SUPABASE_SERVICE_ROLE_KEY"):
            async with open_operator(services):
                pass
    assert STORAGE.callers == [("POST", ada.user_id), ("GET", ada.user_id)]


async def test_there_is_no_local_user_on_supabase(on_supabase: Services) -> None:
    assert on_supabase.local_user is None


async def test_a_user_signs_in_with_a_password_and_refreshes_the_session(
    on_supabase: Services, make_user: Callable[..., Awaitable[Caller]]
) -> None:
    """Tokens are stored in HttpOnly cookies; the refresh token is limited to the session routes."""
    ada = await make_user("ada@firm.example")
    asked: list[tuple[str, dict[str, str]]] = []

    def auth(request: httpx.Request) -> httpx.Response:
        grant, body = request.url.params["grant_type"], json.loads(request.content)
        asked.append((grant, body))
        if body.get("password", "right") != "right" or body.get("refresh_token", "r1") != "r1":
            return httpx.Response(400, json={"error_code": "invalid_credentials", "msg": "Invalid login credentials"})
        token = supabase_token(on_supabase, ada)
        return httpx.Response(200, json={"access_token": token, "refresh_token": "r1", "expires_in": 3600})

    AUTH["answers"] = auth
    app = create_app()
    app.dependency_overrides = {provide_services: lambda: on_supabase}
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url=HERE, headers=OWN) as page:
        assert (await page.get("/api/sign-in")).json() == {"password": True, "link": True, "provider": False}
        person = {"email": "ada@firm.example", "password": "wrong"}
        refused = await page.post("/api/session/password", json=person)
        assert (refused.status_code, refused.json()["detail"]) == (401, "E-mail address or password is not right.")
        assert not refused.headers.get_list("set-cookie")
        assert (await page.post("/api/session/refresh")).status_code == 401

        person["password"] = "right"
        assert (
            await page.post(
                "/api/session/password", json=person, headers={"origin": "https://evil.example", "sec-fetch-site": "cross-site"}
            )
        ).status_code == 403
        signed_in = await page.post("/api/session/password", json=person)
        assert (signed_in.json()["email"], signed_in.json()["expires_in"]) == ("ada@firm.example", 3600)
        session, refreshing = signed_in.headers.get_list("set-cookie")
        assert {"HttpOnly", "SameSite=strict", "Secure", "Path=/"} <= set(session.split("; "))
        assert {"HttpOnly", "SameSite=strict", "Secure", "Path=/api/session"} <= set(refreshing.split("; "))
        assert "r1" not in signed_in.text
        assert (await page.get("/api/session")).json()["user_id"] == ada.user_id
        assert (await page.post("/api/session/refresh")).json()["expires_in"] == 3600
        assert asked[-1] == ("refresh_token", {"refresh_token": "r1"})
        await page.delete("/api/session")
        assert (await page.get("/api/session")).status_code == 401
        assert (await page.post("/api/session/refresh")).status_code == 401

    for failure in (429, 500, None):
        AUTH["answers"] = lambda request, status=failure: httpx.Response(status) if status else away(request)
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url=HERE, headers=OWN) as page:
            assert (await page.post("/api/session/password", json=person)).status_code == 503


async def test_a_sign_in_link_works_only_in_the_browser_that_requested_it(
    on_supabase: Services, make_user: Callable[..., Awaitable[Caller]]
) -> None:
    ada = await make_user("ada@firm.example")
    sent: dict[str, Any] = {}

    def auth(request: httpx.Request) -> httpx.Response:
        body = json.loads(request.content)
        if request.url.path.endswith("/otp"):
            if body["email"] != "ada@firm.example":
                return httpx.Response(422, json={"error_code": "otp_disabled", "msg": "Signups not allowed for otp"})
            sent.update(body, redirect_to=request.url.params["redirect_to"])
            return httpx.Response(200, json={})
        challenge = (
            base64.urlsafe_b64encode(hashlib.sha256(body.get("code_verifier", "").encode()).digest()).rstrip(b"=").decode()
        )
        if request.url.params["grant_type"] != "pkce" or body["auth_code"] != "c1" or challenge != sent.get("code_challenge"):
            return httpx.Response(404, json={"error_code": "flow_state_not_found", "msg": "invalid flow state"})
        return httpx.Response(
            200, json={"access_token": supabase_token(on_supabase, ada), "refresh_token": "r1", "expires_in": 3600}
        )

    AUTH["answers"] = auth
    app = create_app()
    app.dependency_overrides = {provide_services: lambda: on_supabase}

    def browser() -> httpx.AsyncClient:
        return httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url=HERE, headers=OWN)

    async with browser() as page, browser() as other, browser() as third:
        elsewhere = {"origin": "https://evil.example", "sec-fetch-site": "cross-site"}
        asked = {"email": "ada@firm.example"}
        assert (await page.post("/api/session/link", json=asked, headers=elsewhere)).status_code == 403
        unknown = await other.post("/api/session/link", json={"email": "nobody@firm.example"})
        known = await page.post("/api/session/link", json=asked)
        assert (known.status_code, known.text) == (unknown.status_code, unknown.text) == (202, "null")
        assert (sent["create_user"], sent["redirect_to"]) == (False, "https://test/api/session/link")
        [kept] = known.headers.get_list("set-cookie")
        assert {"HttpOnly", "SameSite=lax", "Secure", "Path=/api/session/link"} <= set(kept.split("; "))

        for client, query in ((other, "?code=c1"), (third, "?code=c1"), (other, "?error=access_denied")):
            refused = await client.get(f"/api/session/link{query}")
            assert refused.headers["location"] == "/app?refused=link", "a missing verifier or another browser's must be refused"
        followed = await page.get("/api/session/link?code=c1")
        assert (followed.status_code, followed.headers["location"]) == (303, "/app")
        assert (await page.get("/api/session")).json()["user_id"] == ada.user_id
        assert (await page.post("/api/session/refresh")).status_code == 401, "this Auth peer has no refresh"
        assert (await page.get("/api/session/link?code=c1")).headers["location"] == "/app?refused=link", (
            "a link must work once only"
        )


UNKNOWN = 422, "otp_disabled"
ASKED_LATELY = 429, "over_email_send_rate_limit"


@pytest.mark.parametrize(
    ("answer", "status"),
    [
        (UNKNOWN, 202), (ASKED_LATELY, 202), ((422, "user_not_found"), 202), ((422, "signup_disabled"), 202),
        ((400, "validation_failed"), 422), ((400, "email_address_not_authorized"), 503), ((401, None), 503), ((403, None), 503),
        ((404, None), 503), ((422, "captcha_failed"), 503), ((422, None), 503), ((429, "over_request_rate_limit"), 503),
        ((500, None), 503), ((302, None), 503),
    ],
)  # fmt: skip
async def test_a_request_for_a_link_reports_mail_failures_and_reveals_no_known_users(
    on_supabase: Services, caplog: pytest.LogCaptureFixture, answer: tuple[int, str | None], status: int
) -> None:
    AUTH["answers"] = lambda request: httpx.Response(answer[0], json={"error_code": answer[1]} if answer[1] else ["no object"])
    async with visiting(on_supabase) as page:
        answered = await page.post("/api/session/link", json={"email": "ada@firm.example"})
    assert answered.status_code == status
    assert bool(answered.headers.get("set-cookie")) == (status == 202), "a cookie for known users only would reveal them"
    logged = [record.getMessage() for record in caplog.records if record.name == "orderly.sign_in.supabase"]
    assert len(logged) == (status == 503 or answer == ASKED_LATELY)
    assert not any("ada" in line for line in logged)


@pytest.mark.parametrize(
    ("bound_to", "asked_at", "sends"),
    [("127.0.0.1", "http://localhost:2024", True), ("0.0.0.0", "http://localhost", False), ("", "https://evil.example", False),
     ("127.0.0.1", "https://evil.example", False)],
)  # fmt: skip
async def test_a_link_never_uses_a_public_host_from_the_request(
    on_supabase: Services, bound_to: str, asked_at: str, sends: bool
) -> None:
    """A server bound to localhost gets requests of other machines when it is behind a proxy."""
    led_to: list[str] = []

    def auth(request: httpx.Request) -> httpx.Response:
        led_to.append(request.url.params["redirect_to"])
        return httpx.Response(200, json={})

    AUTH["answers"] = auth
    settings = on_supabase.settings.model_copy(update={"public_url": "", "bind_host": bound_to})
    async with visiting(replace(on_supabase, settings=settings), asked_at) as page:
        assert (await page.get("/api/sign-in")).json() == {"password": True, "link": sends, "provider": False}
        answered = await page.post("/api/session/link", json={"email": "ada@firm.example"})
    assert answered.status_code == (202 if sends else 503)
    assert sends or "ORDERLY_PUBLIC_URL" in answered.json()["detail"]
    assert led_to == ([f"{asked_at}/api/session/link"] if sends else [])


async def test_cookies_are_secure_when_the_public_url_is_https(
    on_supabase: Services, make_user: Callable[..., Awaitable[Caller]]
) -> None:
    token = supabase_token(on_supabase, await make_user("ada@firm.example"))
    plain = replace(on_supabase, settings=on_supabase.settings.model_copy(update={"public_url": "http://test"}))
    for held, at, secure in ((on_supabase, "http://test", True), (plain, "https://test", True), (plain, "http://test", False)):
        async with visiting(held, at) as page:
            answered = await page.post("/api/session", json={"token": token})
            assert ("Secure" in answered.headers["set-cookie"].split("; ")) == secure


def visiting(held: Services, at: str = HERE) -> httpx.AsyncClient:
    """Returns a client that sends the headers of the installation's own page."""
    app = create_app()
    app.dependency_overrides = {provide_services: lambda: held}
    return httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url=at, headers=OWN)


def supabase_token(services: Services, caller: Caller) -> str:
    claims = {"sub": caller.user_id, "role": "authenticated", "aud": "authenticated", "exp": time.time() + 3600}
    return jwt.encode({**claims, "iss": f"{services.settings.supabase_url}/auth/v1"}, JWT_SECRET, "HS256")


def away(request: httpx.Request) -> httpx.Response:
    raise httpx.ConnectError("away", request=request)


async def test_the_operators_commands_need_no_user(on_supabase: Services, make_user: Callable[..., Awaitable[Caller]]) -> None:
    settings = on_supabase.settings
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith(("ORDERLY_", "SUPABASE_", "DATABASE_"))},
        "ORDERLY_HOME": str(settings.home),
        "SUPABASE_URL": str(settings.supabase_url),
        "SUPABASE_ANON_KEY": key_of("anon"),
        "SUPABASE_SERVICE_ROLE_KEY": key_of("service_role"),
        "SUPABASE_JWT_SECRET": JWT_SECRET,
    }

    async def orderly(*arguments: str, **more: str) -> tuple[int | None, str, str]:
        process = await asyncio.create_subprocess_exec(
            Path(sys.executable).parent / "orderly", *arguments, env={**environment, **more}, stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )  # fmt: skip
        output, errors = await process.communicate()
        return process.returncode, output.decode(), errors.decode()

    added, output, errors = await orderly("user", "add", "first@firm.example", "--firm", "Firm LLP")
    assert (added, errors) == (0, ""), output
    code, output, errors = await orderly("doctor")
    assert (code, errors) == (0, "")
    assert output.startswith("✓ store: Supabase; 0 matters, 0 documents, 0 chunks\n")
    for check in ("queue", "engine", "chat model", "files", "scans", "sign-in"):
        assert f"✓ {check}: " in output
    code, output, errors = await orderly("doctor", SUPABASE_URL="http://127.0.0.1:9")
    assert (code, errors) == (1, "")
    assert output.startswith("✗ store: Supabase does not answer: ") and "✓ engine: " in output
    code, _, errors = await orderly("matters", "list")
    assert (code, errors) == (5, "Error: Say who is asking: set ORDERLY_TOKEN, or give --as EMAIL.\n")
