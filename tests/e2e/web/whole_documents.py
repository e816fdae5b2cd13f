"""Folders, renaming and holds of documents on the page."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import parse_qs, urlsplit
from uuid import UUID

import httpx
import pytest
from playwright.sync_api import Page, Route, expect

from e2e.web.frames import FRAMES, scroll
from e2e.web.showing import assert_accessible, save_screenshot
from support.installation import Office, Server, started
from support.visitor import Visitor, row_of

pytestmark = pytest.mark.server


def pick_folder(page: Page, folder: Path) -> None:
    page.locator("input[type=file][webkitdirectory]").set_input_files(folder)


@pytest.fixture(scope="module")
def server(office: Office) -> Iterator[Server]:
    """A separate server, since these tests add and delete documents."""
    with started(office, {}) as running:
        yield running


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "Pleadings"
    for path in ("claim.txt", "Drafts/first.txt", ".hidden/no.txt"):
        (made / path).parent.mkdir(parents=True, exist_ok=True)
        (made / path).write_text(f"The words of {path}.")
    return made


def test_a_picked_folder_becomes_a_folder_of_the_matter_and_its_documents_are_renamed_and_held(
    visit: Callable[..., Visitor], server: Server, folder: Path
) -> None:
    page = visit().sign_in(server.office.token)
    page.get_by_label("Matter", exact=True).select_option(label=f"{server.office.matter} · High Street")
    pick_folder(page, folder)
    expect(page.get_by_test_id("badge").first).to_have_text("3")
    first = row_of(page, "first.txt")
    expect(page.get_by_test_id("folder").filter(has_text="Pleadings / Drafts")).to_be_visible()
    expect(first).to_have_attribute("data-status", "ready")
    with httpx.Client(base_url=server.url, headers={"x-api-key": server.office.token}) as http:
        folders = {f["id"]: f for f in http.get(f"/api/matters/{server.office.matter}/folders").json()}
    assert sorted(f["name"] for f in folders.values()) == ["Drafts", "Pleadings"], "hidden folders must be left out"

    first.get_by_role("button", name="More about first.txt").click()
    first.get_by_role("button", name="Rename").click()
    assert page.evaluate("() => getSelection().toString()") == "first", "the name is selected without its extension"
    page.keyboard.type("Statement of claim")
    page.keyboard.press("Enter")
    renamed = row_of(page, "Statement of claim.txt")
    expect(renamed).to_be_visible()
    renamed.get_by_role("button", name="Hold", exact=True).click()
    expect(renamed.get_by_text("it cannot be deleted until an owner of the matter lifts it")).to_be_visible()
    assert_accessible(page)
    renamed.get_by_role("button", name="Delete").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    expect(renamed.get_by_text("This document is under a legal hold and cannot be deleted.")).to_be_visible()
    expect(page.get_by_test_id("badge").first).to_have_text("3")
    renamed.get_by_role("button", name="Lift hold").click()
    expect(renamed.get_by_role("button", name="Hold", exact=True)).to_be_visible()
    renamed.get_by_role("button", name="Delete").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    expect(page.get_by_test_id("badge").first).to_have_text("2")


CONVERSATIONS = """() => fetch("/threads/search", {
    method: "POST", headers: {"Content-Type": "application/json"}, body: JSON.stringify({limit: 1000})
}).then(response => response.json()).then(found => found.length)"""


def test_a_conversation_accepts_the_files_of_a_folder_without_the_folder_and_says_so(
    visit: Callable[..., Visitor], server: Server, folder: Path
) -> None:
    visitor = visit()
    page = visitor.sign_in(server.office.token)
    page.get_by_label("Matter", exact=True).select_option("")
    before = page.evaluate(CONVERSATIONS)
    pick_folder(page, folder)
    expect(page.get_by_text("A conversation has no folders: the files lie side by side in it.")).to_be_visible()
    expect(page.get_by_test_id("badge").first).to_have_text("2")
    for document in page.get_by_test_id("document").all():
        expect(document).to_have_attribute("data-status", "ready")
    question = "Which documents are in this conversation?"
    page.get_by_label("Your question").fill(question)
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Answer again").wait_for()
    expect(page.get_by_test_id("answer")).to_contain_text("claim")
    expect(page.get_by_test_id("badge").first).to_have_text("2")
    expect(page.get_by_role("navigation", name="Conversations").get_by_role("link", name=question)).to_be_visible()
    assert page.evaluate(CONVERSATIONS) == before + 1, "the files and the question are of one conversation"
    assert visitor.errors() == []


def test_documents_are_moved_by_drag_and_several_at_once(visit: Callable[..., Visitor], server: Server, tmp_path: Path) -> None:
    visitor = visit()
    page = visitor.sign_in(server.office.token)
    page.get_by_label("Matter", exact=True).select_option(label=f"{server.office.matter} · High Street")
    letters = tmp_path / "Letters" / "Sent"
    letters.mkdir(parents=True)
    (letters / "letter.txt").write_text("We refer to the lease.")
    pick_folder(page, letters.parent)
    expect(row_of(page, "letter.txt")).to_have_attribute("data-status", "ready")
    row_of(page, "lease.txt").drag_to(row_of(page, "letter.txt"))
    expect(page.get_by_test_id("folder").filter(has_text="Letters / Sent")).to_contain_text("2")
    expect(page.get_by_test_id("folder").filter(has_text="Outside folders")).to_contain_text("0")
    page.get_by_role("button", name="Tick several").click()
    page.get_by_label("All in Letters / Sent").check()
    page.get_by_role("toolbar", name="Ticked documents").get_by_role("button", name="Hold").click()
    expect(page.get_by_text("Under a legal hold").first).to_be_attached()
    page.get_by_role("toolbar", name="Ticked documents").get_by_role("button", name="Move").click()
    assert_accessible(page)
    page.get_by_role("dialog").get_by_role("button", name="The matter itself").click()
    expect(page.get_by_test_id("folder").filter(has_text="Letters / Sent")).to_contain_text("0")
    page.get_by_role("toolbar", name="Ticked documents").get_by_role("button", name="Lift hold").click()
    page.get_by_role("button", name="Done").click()
    assert visitor.errors() == []


FEW = 200
ROWS = 2_000


def listed(visitor: Visitor, server: Server, count: int, statuses: tuple[str, ...] = ("ready",)) -> None:
    """Answers requests for the list of documents with so many rows."""
    one = httpx.get(
        f"{server.url}/api/documents/{server.office.document_id}", headers={"x-api-key": server.office.token}
    ).json()
    names = ("LEASE_OF_SHOP_{n}-EX-10.{n}-RETAIL LEASE.pdf", "Smith v Jones [2019] NSWSC {n}.pdf", "Letter {n} re arrears.docx")

    def answer(route: Route) -> None:
        query = parse_qs(urlsplit(route.request.url).query)
        first, most = int(query["offset"][0]), int(query["limit"][0])
        route.fulfill(
            json=[
                {
                    **one,
                    "id": str(UUID(int=n)),
                    "filename": names[n % len(names)].format(n=n),
                    "status": statuses[n % len(statuses)],
                    "status_reason": "The scan is faint." if statuses[n % len(statuses)] != "ready" else "",
                }
                for n in range(first, min(first + most, count))
            ]
        )

    visitor.page.route("**/api/matters/*/documents?*", answer)


WHOLE_ROWS = """() => {
    const box = document.querySelector('[data-testid=document-list]').getBoundingClientRect();
    const bottom = Math.min(box.bottom, innerHeight);
    return [...document.querySelectorAll('[data-testid=document]')].filter((row) => {
        const {top, bottom: end} = row.getBoundingClientRect();
        return top >= box.top && end <= bottom;
    }).length;
}"""


def test_two_hundred_documents_show_twelve_rows_and_are_sorted(visit: Callable[..., Visitor], server: Server) -> None:
    visitor = visit()
    listed(visitor, server, FEW, ("ready",) * 19 + ("partial",))
    visitor.page.route("**/folders", lambda route: route.fulfill(json=[]))
    page = visitor.sign_in(server.office.token)
    page.get_by_label("Matter", exact=True).select_option(label=f"{server.office.matter} · High Street")
    expect(page.get_by_test_id("badge").first).to_have_text("200")
    assert page.evaluate(WHOLE_ROWS) >= 12
    rows = page.get_by_test_id("document")
    expect(rows.nth(0)).to_contain_text("Lease of Shop 0 – Retail Lease")
    assert "EX-10" not in rows.nth(0).inner_text(), "the name of the file is told on demand"
    rows.nth(0).get_by_title("Details and actions").click()
    expect(rows.nth(0)).to_contain_text("LEASE_OF_SHOP_0-EX-10.0-RETAIL LEASE.pdf")
    rows.nth(0).get_by_title("Details and actions").click()
    save_screenshot(page, "light-many-documents")
    assert_accessible(page)

    page.goto(f"{server.url}/app/matters/{server.office.matter}")
    page.get_by_role("tab", name="Documents").click()
    expect(rows.first).to_be_visible()
    assert page.evaluate(WHOLE_ROWS) >= 12
    order = page.get_by_label("Order of the documents")
    for by, first in (("name", "Lease of Shop 0"), ("kind", "Smith v Jones [2019] NSWSC 1"), ("state", "Lease of Shop 39")):
        order.select_option(by)
        expect(rows.first).to_contain_text(first)
    assert_accessible(page)
    page.reload()
    page.get_by_role("tab", name="Documents").click()
    expect(rows.first).to_contain_text("Lease of Shop 39")
    assert visitor.errors() == []


def test_rows_of_two_thousand_documents_are_laid_out_once(visit: Callable[..., Visitor], server: Server) -> None:
    visitor = visit()
    listed(visitor, server, ROWS)
    page = visitor.sign_in(server.office.token)
    page.get_by_label("Matter", exact=True).select_option(label=f"{server.office.matter} · High Street")
    expect(page.get_by_test_id("badge").first).to_have_text("2,000")
    frames = scroll(page, "[data-testid=document-list]", 0, 400)
    assert frames["layouts"] <= 1.2 * FRAMES, "rows have the height that was expected of them"
    assert frames["work_ms"] <= 20
    assert page.get_by_test_id("document").count() < 60, "only the rows in sight are drawn"
