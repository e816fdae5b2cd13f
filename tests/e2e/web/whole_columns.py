"""Columns of a review on the page: tried on a few documents, put in order; the review's name, signs and record."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest
from playwright.sync_api import expect

from e2e.web.showing import PHONE, assert_accessible, save_screenshot
from e2e.web.whole_review import until
from support.installation import Office, Server, started
from support.visitor import Visitor

pytestmark = pytest.mark.server

YEARS = {"Anvil": "two (2)", "Beacon": "three (3)", "Corner": "four (4)", "Dairy": "seven (7)"}


@pytest.fixture(scope="module")
def server(office: Office) -> Iterator[Server]:
    """A separate server, since these tests add documents and reviews."""
    with started(office, {}) as running:
        yield running


@pytest.fixture(scope="module")
def reviews(server: Server) -> Iterator[httpx.Client]:
    """A client of the matter, which has five leases."""
    with httpx.Client(base_url=server.url, headers={"x-api-key": server.office.token}) as client:
        documents = f"/api/matters/{server.office.matter}/documents"
        for name, years in YEARS.items():
            text = f"LEASE\n\n1. Term\n1.1 The term of this Lease is {years} years from the commencement date.\n"
            assert client.post(documents, files={"file": (f"{name} lease.txt", text.encode())}).is_success
        until(client, documents, lambda found: all(document["status"] == "ready" for document in found))
        yield client


def test_a_column_is_tried_on_three_documents_put_to_the_rest_and_moved(
    visit: Callable[..., Visitor], server: Server, reviews: httpx.Client
) -> None:
    made: Any = reviews.post(f"/api/matters/{server.office.matter}/reviews", json={"name": "Terms"}).json()
    visitor = visit()
    page = visitor.sign_in(server.office.token, f"/app/matters/{server.office.matter}/reviews/{made['id']}")
    question = page.get_by_label("A question for a new column")
    question.fill("How long is the term?")
    page.get_by_role("button", name="Try on 3").click()
    heads = page.get_by_role("columnheader")
    expect(heads.nth(1)).to_contain_text("3 of 5 asked")
    cells = page.get_by_role("gridcell")
    expect(cells.filter(has_text="years")).to_have_count(3)
    status = page.get_by_role("status").filter(has_text="5 documents")
    expect(status).to_contain_text("2 cells not asked")
    assert_accessible(page)
    save_screenshot(page, "light-review-trial")
    page.get_by_role("button", name="Ask the rest").click()
    expect(cells.filter(has_text="years")).to_have_count(5)
    expect(heads.nth(1)).not_to_contain_text("asked")
    expect(page.get_by_role("button", name="Run", exact=True)).to_be_visible()

    for asked in ("Which law governs the agreement?", "Who are the parties?"):
        question.fill(asked)
        page.keyboard.press("Enter")
        expect(question).to_have_value("")
    expect(heads).to_have_count(4)
    titles = [head.get_by_role("button").first.inner_text() for head in heads.all()]
    heads.nth(3).get_by_role("button", name=titles[3], exact=True).drag_to(heads.nth(1))
    expect(heads.nth(1)).to_contain_text(titles[3])
    page.get_by_role("button", name=f"Change the column {titles[3]}").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Place").select_option(index=2)
    assert_accessible(page)
    dialog.get_by_role("button", name="Save").click()
    expect(heads.nth(3)).to_contain_text(titles[3])
    page.reload()
    expect(heads.nth(3)).to_contain_text(titles[3])
    assert visitor.errors() == []


def test_a_review_is_renamed_its_signs_are_explained_and_the_record_names_cell_and_verdict(
    visit: Callable[..., Visitor], server: Server, reviews: httpx.Client
) -> None:
    address = f"/api/matters/{server.office.matter}/reviews"
    term = {"title": "Term", "question": "How long is the term?", "answer_type": "duration"}
    made: Any = reviews.post(address, json={"name": "Lengths", "columns": [term], "run": True}).json()
    until(reviews, f"{address}/{made['id']}", lambda found: found["status"] == "done")
    visitor = visit()
    page = visitor.sign_in(server.office.token, f"/app/matters/{server.office.matter}/reviews/{made['id']}")
    expect(page.get_by_role("gridcell").filter(has_text="years")).to_have_count(5)
    page.keyboard.press("r")
    expect(page.get_by_role("gridcell").first).to_have_attribute("data-look", "rejected")
    page.get_by_role("button", name="Signs and keys").click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_role("row", name="not confirmed")).to_contain_text("read it before you rely on it")
    assert_accessible(page)
    save_screenshot(page, "light-review-signs")
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Rename the review").click()
    dialog.get_by_label("Name").fill("Lengths of the leases")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Lengths of the leases")).to_be_visible()
    page.goto(f"{server.url}/app/matters/{server.office.matter}/record")
    rows = page.get_by_role("group", name="Record").get_by_role("row")
    expect(rows.filter(has_text="Term: rejected")).to_contain_text("cell of a review judged")
    expect(rows.filter(has_text="Term: rejected")).to_contain_text("lease")
    expect(rows.filter(has_text="Lengths of the leases")).to_contain_text("review renamed")
    assert_accessible(page)
    save_screenshot(page, "light-record")
    assert visitor.errors() == []


def test_an_absence_that_is_accepted_stays_one_and_the_chosen_cell_stays_in_sight(
    visit: Callable[..., Visitor], server: Server, reviews: httpx.Client
) -> None:
    address = f"/api/matters/{server.office.matter}/reviews"
    columns = [
        {"title": title, "question": question, "answer_type": "text"}
        for title, question in (
            ("Cap", "Is liability capped?"),
            ("Insurance", "Who must insure?"),
            ("Term", "How long is the term?"),
        )
    ]
    made: Any = reviews.post(address, json={"name": "Absences", "columns": columns, "run": True}).json()
    until(reviews, f"{address}/{made['id']}", lambda found: found["status"] == "done")
    visitor = visit()
    page = visitor.sign_in(server.office.token, f"/app/matters/{server.office.matter}/reviews/{made['id']}")
    cap = page.get_by_role("gridcell").first
    expect(cap).to_contain_text("nothing found")
    for key, look in (("a", "accepted"), ("r", "rejected")):
        page.keyboard.press(key)
        expect(cap).to_have_attribute("data-look", look)
        expect(cap).to_contain_text("nothing found")
        expect(page.get_by_role("region", name="Chosen cell")).to_contain_text(f"nothing found ({look})")

    page.keyboard.press("End")
    page.keyboard.press("Enter")
    expect(page.get_by_test_id("viewer")).to_be_visible()
    grid = page.get_by_test_id("review-grid")
    page.wait_for_function(
        """() => {
            const grid = document.querySelector("[data-testid=review-grid]");
            const chosen = document.getElementById(grid.getAttribute("aria-activedescendant"))?.getBoundingClientRect();
            const frame = grid.getBoundingClientRect();
            return chosen && chosen.left >= frame.left && chosen.right <= frame.right + 1;
        }"""
    )
    page.keyboard.press("Escape")
    page.get_by_label("Filter Term").fill("nobody wrote this")
    expect(page.get_by_text("No document passes the filters.")).to_be_visible()
    assert_accessible(page)
    page.get_by_role("button", name="Clear the filters").click()
    expect(grid.get_by_role("rowheader")).to_have_count(5)
    assert visitor.errors() == []


def test_the_record_is_read_on_a_phone(visit: Callable[..., Visitor], server: Server, reviews: httpx.Client) -> None:
    page = visit().sign_in(server.office.token, f"/app/matters/{server.office.matter}/record")
    page.set_viewport_size(PHONE["viewport"])
    record = page.get_by_role("group", name="Record")
    expect(record.get_by_role("row").nth(1)).to_be_visible()
    assert record.evaluate("(box) => box.scrollWidth <= box.clientWidth + 1"), "no column is cut off"
    expect(record.get_by_role("row").filter(has_text="document added").first).to_contain_text("local@orderly.invalid")
    assert_accessible(page)
    save_screenshot(page, "phone-record")
