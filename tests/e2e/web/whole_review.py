"""Reviews on the page: correcting, sorting, filtering."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest
from playwright.sync_api import Locator, Page, expect

from e2e.web.showing import assert_accessible, save_screenshot
from support.installation import Office, Server, started
from support.visitor import Visitor

pytestmark = pytest.mark.server

TERM = {"title": "Term", "question": "How long is the term?", "answer_type": "duration"}
LAW = {"title": "Law", "question": "Which law governs the agreement?", "answer_type": "text"}
TEXTS = {
    "Licence of the roof.txt": "LICENCE\n\n1. Term\n1.1 The term of this Licence is two (2) years from the commencement date.\n\n"
    "2. Governing Law\n2.1 This Licence is governed by the laws of Victoria.\n",
    "Sublease of the shop.txt": "SUBLEASE\n\n1. Term\n1.1 The term of this Sublease is three (3) years from the commencement date.\n\n"
    "2. Governing Law\n2.1 This Sublease is governed by the laws of Tasmania.\n",
}


@pytest.fixture(scope="module")
def server(office: Office) -> Iterator[Server]:
    """A separate server, since these tests add documents and reviews."""
    with started(office, {}) as running:
        yield running


def until(http: httpx.Client, address: str, is_done: Callable[[Any], bool]) -> None:
    deadline = time.monotonic() + 90
    while not is_done(http.get(address).json()):
        assert time.monotonic() < deadline, f"{address} is not done"
        time.sleep(0.3)


@pytest.fixture(scope="module")
def http(server: Server) -> Iterator[httpx.Client]:
    """A client of the server, whose matter has three documents."""
    with httpx.Client(base_url=server.url, headers={"x-api-key": server.office.token}) as client:
        documents = f"/api/matters/{server.office.matter}/documents"
        for name, text in TEXTS.items():
            assert client.post(documents, files={"file": (name, text.encode())}).is_success
        until(client, documents, lambda found: all(document["status"] == "ready" for document in found))
        yield client


@pytest.fixture
def review(http: httpx.Client, server: Server) -> str:
    """The address of a finished review with two columns."""
    reviews = f"/api/matters/{server.office.matter}/reviews"
    made: Any = http.post(reviews, json={"name": f"Terms {time.time()}", "columns": [TERM, LAW], "run": True}).json()
    until(http, f"{reviews}/{made['id']}", lambda found: found["status"] == "done")
    return f"/app/matters/{server.office.matter}/reviews/{made['id']}"


def cell(page: Page, document: str, column: int) -> Locator:
    """`column`: from 0."""
    row = page.get_by_role("row").filter(has=page.get_by_role("rowheader", name=document))
    return row.get_by_role("gridcell").nth(column)


def test_a_refused_correction_stays_with_its_reason_and_the_keys_work_after_it(
    visit: Callable[..., Visitor], server: Server, review: str
) -> None:
    visitor = visit()
    page = visitor.sign_in(server.office.token, review)
    grid = page.get_by_test_id("review-grid")
    expect(grid).to_be_focused()
    chosen = cell(page, "lease.txt", 0)
    expect(chosen).to_contain_text("5 years")
    page.keyboard.press("e")
    dialog = page.get_by_role("dialog")
    value = dialog.get_by_label("Value")
    expect(value).to_be_focused()
    expect(value).to_have_value("5 years")
    page.keyboard.type("as long as they like")
    dialog.get_by_label("Note").fill("As amended")
    dialog.get_by_role("button", name="Save").click()
    refusal = dialog.get_by_role("alert")
    expect(refusal).to_be_visible()
    expect(value).to_have_value("as long as they like")
    expect(value).to_be_focused()
    assert value.get_attribute("aria-describedby") == refusal.get_attribute("id")
    expect(dialog.get_by_label("Note")).to_have_value("As amended")
    save_screenshot(page, "light-correction")
    assert_accessible(page)
    value.fill("6 months")
    page.keyboard.press("Enter")
    expect(dialog).to_have_count(0)
    expect(chosen).to_have_attribute("data-look", "corrected")
    expect(grid).to_be_focused()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("r")
    rejected = cell(page, "lease.txt", 1)
    expect(rejected).to_have_attribute("data-look", "rejected")
    expect(rejected).to_contain_text("New South Wales")
    detail = page.get_by_role("region", name="Chosen cell")
    quote = detail.get_by_role("button").filter(has_text="laws of New South Wales")
    expect(quote).to_be_visible()
    assert quote.locator("span").first.evaluate("(words) => getComputedStyle(words).textDecorationLine") == "line-through"
    assert visitor.errors() == []


def test_the_chosen_document_stays_chosen_when_rows_are_sorted_and_filtered(
    visit: Callable[..., Visitor], server: Server, review: str
) -> None:
    visitor = visit()
    page = visitor.sign_in(server.office.token, review)
    detail = page.get_by_role("region", name="Chosen cell")
    cell(page, "Sublease", 1).click()
    expect(detail).to_contain_text("Sublease of the shop")
    heads = page.get_by_role("columnheader")
    for _ in range(2):
        heads.nth(1).get_by_role("button").click()
        expect(detail).to_contain_text("Sublease of the shop")
    expect(heads.nth(1)).to_have_attribute("aria-sort", "descending")
    assert page.get_by_role("rowheader").all_text_contents() == [
        "lease.txt",
        "Sublease of the shop.txt",
        "Licence of the roof.txt",
    ]
    page.get_by_label("Filter Document").fill("s")
    expect(detail).to_contain_text("Sublease of the shop")
    expect(cell(page, "Sublease", 1)).to_have_attribute(
        "id", page.get_by_test_id("review-grid").get_attribute("aria-activedescendant") or ""
    )
    page.get_by_label("Filter Document").fill("licence")
    expect(detail).to_contain_text("Licence of the roof")
    page.get_by_label("Filter Document").fill("")
    expect(detail).to_contain_text("Sublease of the shop")
    page.get_by_test_id("review-grid").focus()
    page.keyboard.press("Home")
    page.keyboard.press("Enter")
    expect(page.get_by_role("region", name="Source: Sublease of the shop.txt")).to_be_visible()
    assert visitor.errors() == []
