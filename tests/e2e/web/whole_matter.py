"""A matter's people, walls and reviews on the page; Back and the original from a source on a phone."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

import httpx
import pytest
from playwright.sync_api import Page, expect

from e2e.web.showing import PHONE, assert_accessible
from support.installation import LOCAL_USER, Office, Server, started
from support.visitor import Visitor

pytestmark = pytest.mark.server

LAW = "Which law governs the lease?"


@pytest.fixture(scope="module")
def server(office: Office) -> Iterator[Server]:
    """A separate server, since these tests change the matter."""
    with started(office, {}) as running:
        yield running


def ask(page: Page, question: str) -> None:
    page.get_by_label("Your question").fill(question)
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Answer again").last.wait_for()


def choose(page: Page, office: Office) -> None:
    page.get_by_label("Matter", exact=True).select_option(label=f"{office.matter} · High Street")


def test_the_people_of_the_firm_are_offered_and_only_officers_lift_walls(visit: Callable[..., Visitor], server: Server) -> None:
    page = visit().sign_in(server.office.token, f"/app/matters/{server.office.matter}")
    page.get_by_role("tab", name="People").click()
    field = page.get_by_label("Add a colleague")
    expect(page.locator(f"[id='{field.get_attribute('list')}'] option[value='colleague@firm.example']")).to_be_attached()
    page.get_by_role("tab", name="Walls").click()
    page.get_by_label("Keep out").fill("colleague@firm.example")
    page.get_by_label("Reason").fill("Acted for the other side")
    page.get_by_role("button", name="Put up").click()
    expect(page.get_by_text("in force since")).to_be_visible()
    expect(page.get_by_role("button", name="Lift")).to_have_count(0)
    server.office.installation.data("user", "officer", LOCAL_USER)
    page.reload()
    page.get_by_role("tab", name="Walls").click()
    page.get_by_role("button", name="Lift").click()
    assert_accessible(page)
    page.get_by_role("dialog").get_by_role("button", name="Lift").click()
    expect(page.get_by_text(re.compile("^lifted"))).to_be_visible()


def test_a_colleague_behind_a_wall_is_listed_as_such(visit: Callable[..., Visitor], server: Server) -> None:
    with httpx.Client(base_url=server.url, headers={"x-api-key": server.office.token}) as http:
        made: Any = http.post("/api/matters", json={"title": "Walled"}).json()
        person = {"email": "colleague@firm.example"}
        assert http.post(f"/api/matters/{made['id']}/members", json={**person, "role": "viewer"}).is_success
        assert http.post(f"/api/matters/{made['id']}/screens", json={**person, "reason": "Other side"}).is_success
    page = visit().sign_in(server.office.token, f"/app/matters/{made['number']}")
    page.get_by_role("tab", name="People").click()
    listed = page.get_by_role("listitem").filter(has_text="colleague@firm.example")
    expect(listed).to_contain_text("Behind a wall: sees nothing of this matter")
    assert_accessible(page)


def test_the_last_words_of_a_text_are_previewed_with_the_words_before_them(
    visit: Callable[..., Visitor], server: Server
) -> None:
    refused: list[str] = []
    visitor = visit()
    visitor.page.on("response", lambda answer: refused.append(answer.url) if answer.status == 422 else None)
    page = visitor.sign_in(server.office.token)
    choose(page, server.office)
    ask(page, LAW)
    page.locator("[data-citation]").first.hover()
    preview = page.get_by_test_id("preview")
    expect(preview.locator("mark")).to_contain_text("New South Wales")
    expect(preview).to_contain_text("shall not disclose them")
    assert refused == []


def test_conversations_stand_under_their_matters_and_times_are_those_of_the_reader(
    visit: Callable[..., Visitor], server: Server
) -> None:
    zone = "Pacific/Kiritimati"
    with httpx.Client(base_url=server.url, headers={"x-api-key": server.office.token}) as http:
        made: Any = http.post("/api/matters", json={"title": "Smith v Jones"}).json()
        lease: Any = http.get(f"/api/documents/{server.office.document_id}").json()
    page = visit(timezone_id=zone).sign_in(server.office.token)
    choose(page, server.office)
    ask(page, LAW)
    page.get_by_role("button", name="More about lease.txt").click()
    added = datetime.fromisoformat(lease["created_at"]).astimezone(ZoneInfo(zone))
    expect(page.get_by_test_id("document")).to_contain_text(
        f"Added {added.day} {added:%b %Y}, {added.hour % 12 or 12}:{added:%M}"
    )
    page.get_by_role("button", name="New question").first.click()
    page.get_by_label("Matter", exact=True).select_option(label=f"{made['number']} · Smith v Jones")
    ask(page, "Which documents are in this matter?")
    conversations = page.get_by_role("navigation", name="Conversations")
    # Tests before this one have asked the same question.
    expect(conversations.get_by_role("region", name="High Street").get_by_role("link", name=LAW).first).to_be_visible()
    expect(conversations.get_by_role("region", name="Smith v Jones").get_by_role("link")).to_have_count(1)


def test_cells_of_a_review_are_judged_by_keyboard(visit: Callable[..., Visitor], server: Server) -> None:
    with httpx.Client(base_url=server.url, headers={"x-api-key": server.office.token}) as http:
        columns = [{"title": title, "question": LAW, "answer_type": "text"} for title in ("Law", "Law again", "Law once more")]
        made: Any = http.post(
            f"/api/matters/{server.office.matter}/reviews", json={"name": "Review", "columns": columns, "run": True}
        ).json()
        address = f"/api/matters/{server.office.matter}/reviews/{made['id']}"
        until = time.monotonic() + 60
        while http.get(address).json()["status"] != "done" and time.monotonic() < until:
            time.sleep(0.5)
    visitor = visit()
    page = visitor.sign_in(server.office.token, f"/app/matters/{server.office.matter}/reviews/{made['id']}")
    cells = page.get_by_role("gridcell")
    expect(cells).to_have_count(3)
    expect(page.get_by_test_id("review-grid")).to_be_focused()
    page.keyboard.press("a")
    expect(cells.nth(0)).to_have_attribute("data-look", "accepted")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("r")
    expect(cells.nth(1)).to_have_attribute("data-look", "rejected")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("e")
    page.get_by_role("dialog").get_by_label("Value").fill("Tasmania")
    assert_accessible(page)
    page.keyboard.press("Enter")
    expect(cells.nth(2)).to_have_attribute("data-look", "corrected")
    expect(cells.nth(2)).to_contain_text("Tasmania")
    assert_accessible(page)
    page.get_by_test_id("review-grid").focus()
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Enter")
    expect(page.get_by_test_id("viewer").locator("mark").first).to_be_visible()
    page.go_back()
    expect(page.get_by_test_id("viewer")).to_have_count(0)
    expect(cells).to_have_count(3)
    assert visitor.errors() == []


def test_back_closes_a_source_on_a_phone_and_the_original_is_downloaded_from_it(
    visit: Callable[..., Visitor], server: Server
) -> None:
    page = visit(**PHONE).page
    page.goto(f"{server.url}/app")
    page.get_by_label("Token").fill(server.office.token)
    page.get_by_role("button", name="Sign in").click()
    choose(page, server.office)
    ask(page, LAW)
    chip = page.locator("[data-citation]").first
    chip.tap()
    viewer = page.get_by_test_id("viewer")
    expect(viewer.locator("mark").first).to_be_visible()
    assert_accessible(page)
    with page.expect_download() as download:
        viewer.get_by_role("button", name="Download").click()
    assert download.value.suggested_filename == "lease.txt"
    page.go_back()
    expect(viewer).to_have_count(0)
    expect(page.get_by_test_id("answer")).to_be_visible()
    expect(page.get_by_test_id("preview")).to_have_count(0)
