"""Reviews on the page: correcting, sorting, filtering."""

from __future__ import annotations

import io
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import openpyxl
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
    name = f"Terms of the leases, {len(http.get(reviews).json()) + 1}"
    made: Any = http.post(reviews, json={"name": name, "columns": [TERM, LAW], "run": True}).json()
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
        heads.nth(1).get_by_role("button", name="Term", exact=True).click()
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


def test_a_review_is_filtered_by_value_checked_exported_and_its_columns_changed(
    visit: Callable[..., Visitor], server: Server, review: str
) -> None:
    visitor = visit()
    page = visitor.sign_in(server.office.token, review)
    status = page.get_by_role("status").filter(has_text="3 documents")
    expect(status).to_contain_text("0 of 6 checked")
    expect(cell(page, "lease.txt", 0)).to_contain_text("5 years")
    page.keyboard.press("a")
    expect(status).to_contain_text("1 of 6 checked")
    rows = page.get_by_role("rowheader")
    term = page.get_by_label("Filter Term")
    for filter, count in (
        ("> 30 months", 2),
        ("< 3 years", 1),
        ("= 3 years", 1),
        ("empty", 0),
        ("state: accepted", 1),
        ("years", 3),
    ):
        term.fill(filter)
        expect(rows).to_have_count(count)
    term.fill("")

    with page.expect_download() as download:
        page.get_by_role("button", name="Export").click()
        assert_accessible(page)
        page.get_by_role("dialog").get_by_role("button", name="Excel workbook").click()
    assert download.value.suggested_filename.startswith("Terms of the leases") and download.value.suggested_filename.endswith(
        ".xlsx"
    )
    sheet, details, _ = openpyxl.load_workbook(io.BytesIO(Path(download.value.path()).read_bytes())).worksheets
    # Periods are numbers of days, so that they sort, and are shown in words.
    assert '"5 years"' in [term.number_format for term in sheet["B"]]
    assert "5 years" in [words.value for words in details["E"]]

    page.get_by_role("button", name="Sets").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("combobox").select_option(label="Due diligence")
    for box in dialog.get_by_role("checkbox").all()[2:]:
        box.uncheck()
    save_screenshot(page, "light-review-sets")
    assert_accessible(page)
    dialog.get_by_role("button", name="Add 2 columns").click()
    heads = page.get_by_role("columnheader")
    expect(heads).to_have_count(5)
    expect(heads.nth(3)).to_contain_text("Parties")

    page.get_by_role("button", name="Change the column Parties").click()
    dialog.get_by_label("Title").fill("Who")
    dialog.get_by_role("button", name="Save").click()
    expect(dialog).to_have_count(0)
    expect(heads.nth(3)).to_contain_text("Who")
    page.get_by_role("button", name="Change the column Who").click()
    dialog.get_by_role("button", name="Remove", exact=True).click()
    assert_accessible(page)
    dialog.get_by_role("button", name="Remove the column").click()
    expect(heads).to_have_count(4)

    edge = page.get_by_role("separator", name="Width of Term")
    edge.focus()
    page.keyboard.press("ArrowRight")
    expect(edge).to_have_attribute("aria-valuenow", "240")
    page.reload()
    expect(edge).to_have_attribute("aria-valuenow", "240")
    assert heads.nth(1).evaluate("(head) => head.getBoundingClientRect().width") == 240
    save_screenshot(page, "light-review")
    assert_accessible(page)

    page.get_by_role("button", name="Delete the review").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    expect(page.get_by_role("tab", name="Reviews")).to_have_attribute("aria-selected", "true")
    assert visitor.errors() == []


def test_a_review_is_made_of_chosen_documents(visit: Callable[..., Visitor], server: Server, http: httpx.Client) -> None:
    visitor = visit()
    page = visitor.sign_in(server.office.token, f"/app/matters/{server.office.matter}/reviews")
    page.get_by_role("tab", name="Reviews").click()
    page.get_by_label("Name of a new review").fill("Chosen leases")
    page.get_by_role("button", name="All documents").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Licence of the roof").uncheck()
    assert_accessible(page)
    dialog.get_by_role("button", name="Choose these").click()
    expect(page.get_by_role("button", name="2 of 3 documents")).to_be_visible()
    page.get_by_role("button", name="New review").click()
    expect(page.get_by_role("status").filter(has_text="2 documents, 0 columns")).to_be_visible()
    assert visitor.errors() == []
