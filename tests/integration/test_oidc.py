"""Single sign-on with OpenID Connect, against a standard provider on loopback."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import psycopg
import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from fastapi import FastAPI
from pydantic import SecretStr

from orderly.api.errors import register_error_handlers
from orderly.api.routes import oidc, session
from orderly.errors import Misconfigured
from orderly.settings import Settings
from orderly.sign_in.oidc import openid_provider, roles_by_group
from orderly.store.functions.firm import create_user
from orderly.store.functions.tokens import reinstate_user, revoke_user
from orderly.wiring.services import current_services, open_operator, open_services
from support.oidc_peer import CLIENT_ID, CLIENT_SECRET, Peer, peer

HERE = "https://orderly.firm.example"
BACK = f"{HERE}/api/oidc/callback"
ADA: dict[str, Any] = {
    "sub": "ada-1", "email": "Ada@firm.example", "email_verified": True, "name": "Ada", "groups": ["Lawyers", "Cyclists"],
}  # fmt: skip


@pytest.fixture(scope="module")
def provider() -> Iterator[Peer]:
    with peer() as running:
        running.redirect_uri = BACK
        yield running


@dataclass
class Browser:
    """Follows the provider's redirects as a browser does; Orderly's application runs in this process."""

    http: httpx.AsyncClient
    url: str

    def sql(self, query: str) -> list[tuple[Any, ...]]:
        with psycopg.connect(self.url, autocommit=True) as admin:
            cursor = admin.execute(query)  # type: ignore[call-overload]
            return cursor.fetchall() if cursor.description else []

    async def leave(self) -> str:
        """Starts the sign-in; returns the provider's URL."""
        there = await self.http.get("/api/oidc/login")
        assert there.status_code == 303, there.text
        return there.headers["location"]

    async def back(self, address: str) -> str:
        """Returns the callback URL that the provider redirects to."""
        async with httpx.AsyncClient() as outside:
            return str((await outside.get(address)).headers["location"])

    async def sign_in(self) -> httpx.Response:
        return await self.http.get(await self.back(await self.leave()))


@pytest.fixture
async def browser(database_url: str, provider: Peer, tmp_path: Path) -> AsyncIterator[Browser]:
    provider.person, provider.tampering = dict(ADA), {}
    settings = Settings(
        home=tmp_path, database_url=SecretStr(database_url), public_url=HERE, firm="Firm", oidc_issuer=provider.issuer,
        oidc_client_id=CLIENT_ID, oidc_client_secret=SecretStr(CLIENT_SECRET),
        oidc_roles="Partners=admin; Lawyers=member; Risk=conflicts_officer",
    )  # fmt: skip
    app = FastAPI()
    app.include_router(oidc.router)
    app.include_router(session.router)
    register_error_handlers(app)
    async with open_services(settings) as services:
        async with open_operator(services) as operator:
            await operator.worker.rpc("create_tenant", {"name": "Firm"})
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url=HERE) as http:
            yield Browser(http, database_url)


async def test_a_user_signs_in_with_the_providers_name_and_email(browser: Browser) -> None:
    done = await browser.sign_in()
    assert (done.status_code, done.headers["location"]) == (303, "/app")
    assert all(flag in done.headers["set-cookie"] for flag in ("HttpOnly", "Secure", "SameSite=strict"))
    me = (await browser.http.get("/api/session")).json()
    assert (me["email"], me["is_admin"], me["is_conflicts_officer"]) == ("ada@firm.example", False, False)


async def test_every_sign_in_updates_roles_by_group(browser: Browser, provider: Peer) -> None:
    provider.person["groups"] = ["Partners", "Risk"]
    await browser.sign_in()
    assert browser.sql("select is_admin, is_conflicts_officer from profiles") == [(True, True)]
    provider.person["groups"] = "Lawyers"
    await browser.sign_in()
    assert browser.sql("select is_admin, is_conflicts_officer from profiles") == [(False, False)]
    provider.person["groups"] = ["Partners", "Risk"]
    await browser.sign_in()
    provider.person["groups"] = ["Cyclists"]
    refused = await browser.sign_in()
    assert (refused.status_code, "group" in refused.text) == (401, True)
    assert (await browser.http.get("/api/session")).status_code == 401, "the sessions of a user without groups must end"
    assert browser.sql("select is_admin, is_conflicts_officer from profiles") == [(False, False)]
    at_the_page = await browser.http.get(await browser.back(await browser.leave()), headers={"Accept": "text/html"})
    assert at_the_page.headers["location"] == "/app?refused=group"
    assert "session=" not in at_the_page.headers.get("set-cookie", "")


async def test_the_same_subject_is_the_same_user_with_another_email(browser: Browser, provider: Peer) -> None:
    await browser.sign_in()
    provider.person["email"] = "ada.lovelace@firm.example"
    await browser.sign_in()
    assert browser.sql("select count(*) from profiles") == [(1,)]


@pytest.mark.parametrize("said", [None, False, "false", 1, "yes"])
async def test_an_unverified_email_opens_no_account_and_claims_none(browser: Browser, provider: Peer, said: Any) -> None:
    provider.person = {**ADA, "sub": "eve-1", "email_verified": said}
    refused = await browser.sign_in()
    assert (refused.status_code, "not verified" in refused.text) == (403, True)
    assert browser.sql("select count(*) from auth.users") == [(0,)], "the address must stay free for its owner"
    at_the_page = await browser.http.get(await browser.back(await browser.leave()), headers={"Accept": "text/html"})
    assert at_the_page.headers["location"] == "/app?refused=account"
    provider.person = dict(ADA)
    assert (await browser.sign_in()).status_code == 303
    provider.person = {**ADA, "sub": "eve-1", "email_verified": said}
    assert (await browser.sign_in()).status_code == 403
    assert browser.sql("select subject from private.provider_identities") == [("ada-1",)]


async def test_a_verified_email_as_a_string_counts(browser: Browser, provider: Peer) -> None:
    """As some providers send it."""
    provider.person["email_verified"] = "true"
    assert (await browser.sign_in()).status_code == 303


async def test_another_subject_of_the_provider_with_the_same_address_is_another_person(
    browser: Browser, provider: Peer
) -> None:
    """A leaver's address may be given to somebody new, who must not get the leaver's account."""
    await browser.sign_in()
    provider.person = {**ADA, "sub": "ada-2"}
    refused = await browser.sign_in()
    assert (refused.status_code, "another account" in refused.text) == (403, True)
    provider.person = {**ADA, "email": "ada.lovelace@firm.example"}
    assert (await browser.sign_in()).status_code == 303, "a linked subject keeps its account under another address"
    provider.person = {**ADA, "sub": "ada-2"}
    assert (await browser.sign_in()).status_code == 403


async def test_an_invited_user_is_linked_by_the_verified_address_alone(browser: Browser, provider: Peer) -> None:
    services = await current_services()
    async with open_operator(services) as operator:
        ada = await create_user(operator.worker, "ada@firm.example", display_name="Ada", tenant="Firm")
    provider.person["email_verified"] = None
    assert (await browser.sign_in()).status_code == 403
    provider.person["email_verified"] = True
    assert (await browser.sign_in()).status_code == 303
    assert (await browser.http.get("/api/session")).json()["user_id"] == ada["user_id"]


async def test_the_account_is_linked_once_by_each_provider(browser: Browser, provider: Peer) -> None:
    await browser.sign_in()
    browser.sql("update private.provider_identities set issuer = 'https://earlier.example'")
    assert (await browser.sign_in()).status_code == 303
    assert browser.sql("select count(distinct user_id), count(*) from private.provider_identities") == [(1, 2)]


@pytest.mark.parametrize(("said", "status"), [(None, 303), (False, 403)])
async def test_an_operator_may_trust_addresses_of_which_the_provider_says_nothing(
    browser: Browser, provider: Peer, said: bool | None, status: int
) -> None:
    services = await current_services()
    services.oidc._trust_email = True  # type: ignore[union-attr]
    provider.person["email_verified"] = said
    assert (await browser.sign_in()).status_code == status


async def test_a_user_whose_access_is_revoked_cannot_sign_in_until_reinstated(browser: Browser, provider: Peer) -> None:
    await browser.sign_in()
    services = await current_services()
    async with open_operator(services) as operator:
        assert await revoke_user(operator.worker, "ada@firm.example") == 1
        assert (await browser.http.get("/api/session")).status_code == 401
        refused = await browser.sign_in()
        assert (refused.status_code, "has ended" in refused.text) == (403, True)
        await reinstate_user(operator.worker, "ada@firm.example")
    provider.person["sub"] = "ada-2"
    assert (await browser.sign_in()).status_code == 303, "the provider's accounts are linked anew"


@pytest.mark.parametrize(
    "change",
    [
        {"nonce": "another"}, {"nonce": None}, {"aud": "another-client"}, {"aud": [CLIENT_ID, "other"]}, {"iss": "https://evil.example"},
        {"exp": 1}, {"exp": None}, {"sub": None}, {"email": None}, {"alg": "HS256"}, {"key": "other"},
    ],
    ids=str,
)  # fmt: skip
async def test_an_invalid_id_token_is_refused(browser: Browser, provider: Peer, change: dict[str, Any]) -> None:
    if "key" in change:
        change = {"key": rsa.generate_private_key(public_exponent=65537, key_size=2048)}
    provider.tampering = change
    refused = await browser.sign_in()
    assert refused.status_code == 401
    assert "session=" not in refused.headers.get("set-cookie", "")
    assert browser.sql("select count(*) from profiles") == [(0,)]


async def test_a_callback_in_another_browser_is_refused(browser: Browser) -> None:
    """Login CSRF: a callback URL of another person's sign-in."""
    address = await browser.back(await browser.leave())
    browser.http.cookies.clear()
    assert (await browser.http.get(address)).status_code == 401
    await browser.leave()
    assert (await browser.http.get(address)).status_code == 401


async def test_a_code_works_once_and_only_with_its_verifier(browser: Browser) -> None:
    address = await browser.back(await browser.leave())
    stolen = parse_qs(urlsplit(address).query)["code"][0]
    fresh = parse_qs(urlsplit(await browser.leave()).query)["state"][0]
    assert (await browser.http.get("/api/oidc/callback", params={"code": stolen, "state": fresh})).status_code == 401
    address = await browser.back(await browser.leave())
    state = browser.http.cookies["oidc_state"]
    assert (await browser.http.get(address)).status_code == 303
    assert "oidc_state" not in browser.http.cookies
    browser.http.cookies.set("oidc_state", state, domain="orderly.firm.example", path="/api/oidc")
    assert (await browser.http.get(address)).status_code == 401


@pytest.mark.parametrize("wrong", ["Lawyers", "Lawyers=owner", "=admin"])
def test_an_invalid_group_mapping_is_refused(wrong: str) -> None:
    with pytest.raises(Misconfigured):
        roles_by_group(wrong)


def test_group_names_may_contain_special_characters() -> None:
    assert roles_by_group("CN=Law, OU=Firm=member;Ops = admin") == {"CN=Law, OU=Firm": "member", "Ops": "admin"}


@pytest.mark.parametrize(
    "settings",
    [
        {"oidc_client_id": ""}, {"oidc_roles": ""}, {"oidc_issuer": "http://id.firm.example"},
        {"supabase_url": "https://x.supabase.co"},
    ],
)  # fmt: skip
async def test_an_incomplete_configuration_is_refused(settings: dict[str, Any]) -> None:
    whole = {"oidc_issuer": "https://id.firm.example", "oidc_client_id": "o", "oidc_roles": "L=member"}
    async with httpx.AsyncClient() as http:
        with pytest.raises(Misconfigured):
            openid_provider(Settings(**{**whole, **settings}), http)
