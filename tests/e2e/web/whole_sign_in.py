"""Sign-in on the page: single sign-on with a provider on loopback, and a link by e-mail."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from e2e.web.showing import assert_accessible, save_screenshot
from support.installation import Office, Server, started
from support.oidc_peer import CLIENT_ID, CLIENT_SECRET, Peer, peer
from support.visitor import Visitor

pytestmark = pytest.mark.server


@pytest.fixture(scope="module")
def provider() -> Iterator[Peer]:
    with peer() as running:
        yield running


@pytest.fixture(scope="module")
def server(office: Office, provider: Peer) -> Iterator[Server]:
    settings = {
        "ORDERLY_OIDC_ISSUER": provider.issuer,
        "ORDERLY_OIDC_CLIENT_ID": CLIENT_ID,
        "ORDERLY_OIDC_CLIENT_SECRET": CLIENT_SECRET,
        "ORDERLY_OIDC_ROLES": "Lawyers=member",
        "ORDERLY_FIRM": "Local firm",
    }
    with started(office, settings) as running:
        provider.redirect_uri = f"{running.url}/api/oidc/callback"
        yield running


def at_the_door(visitor: Visitor) -> Page:
    visitor.page.goto(f"{visitor.server.url}/app")
    return visitor.page


def test_single_sign_on_works_and_a_user_without_a_group_is_refused(visit: Callable[..., Visitor], provider: Peer) -> None:
    provider.person = {
        "sub": "ada",
        "email": "ada@firm.example",
        "email_verified": True,
        "name": "Ada Lovelace",
        "groups": ["Cyclists"],
    }
    page = at_the_door(visit())
    page.get_by_role("link", name="Sign in with your firm’s account").click()
    expect(page.get_by_text("is not in a group that may use Orderly. Ask your administrator.")).to_be_visible()
    assert "refused" not in page.url, "the refusal must disappear from the URL"
    assert_accessible(page)
    provider.person["groups"] = ["Lawyers"]
    page.get_by_role("link", name="Sign in with your firm’s account").click()
    expect(page.get_by_role("button", name="New question").first).to_be_visible()
    expect(page.get_by_text("Ada Lovelace")).to_be_visible()
    page.reload()
    expect(page.get_by_text("Ada Lovelace")).to_be_visible()


def test_a_link_is_requested_by_e_mail_and_a_used_one_is_explained(visit: Callable[..., Visitor]) -> None:
    """tests/integration/test_supabase.py covers Supabase's part."""
    visitor = visit()
    page, asked = visitor.page, []

    def answer(route: Route) -> None:
        asked.append(route.request.post_data_json)
        route.fulfill(status=202, body="null", content_type="application/json")

    ways = {"password": True, "link": True, "provider": False}
    page.route("**/api/sign-in", lambda route: route.fulfill(body=json.dumps(ways), content_type="application/json"))
    page.route("**/api/session/link", answer)
    at_the_door(visitor)
    expect(page.get_by_label("Password")).to_be_visible()
    save_screenshot(page, "light-sign-in")
    page.get_by_role("button", name="Send me a link by e-mail instead").click()
    expect(page.get_by_label("Password")).to_have_count(0)
    page.get_by_label("E-mail").fill("ada@firm.example")
    page.keyboard.press("Enter")
    expect(page.get_by_role("status")).to_contain_text("If ada@firm.example may sign in here, a link is on its way")
    assert_accessible(page)
    sent: Any = asked
    assert sent == [{"email": "ada@firm.example"}]

    page.goto(f"{visitor.server.url}/api/session/link?code=made-up")
    expect(page.get_by_text("The link has expired, was used before, or was asked for in another browser.")).to_be_visible()
