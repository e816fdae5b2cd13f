"""axe in every state of the page: tabs, dialogs, failures, panes, reviews of every standing; wide and on a phone, light and dark."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest
from playwright.sync_api import Error, Locator, Page, Route, expect

from e2e.web.showing import PHONE, assert_accessible
from support.installation import Office, Server, started
from support.visitor import Visitor

pytestmark = pytest.mark.server

LOOKS: dict[str, dict[str, Any]] = {
    "wide, light": {},
    "wide, dark": {"color_scheme": "dark"},
    "phone, light": PHONE,
    "phone, dark": {**PHONE, "color_scheme": "dark"},
}
QUESTION = "Which law governs the lease?"
COLUMNS = [
    {"title": "Law", "question": QUESTION, "answer_type": "jurisdiction"},
    {"title": "Pets", "question": "May the Lessee keep a horse?", "answer_type": "text"},
]


@pytest.fixture(scope="module")
def server(office: Office) -> Iterator[Server]:
    """A server without a worker, so that a review that runs goes on running. A review was finished before its start."""
    with started(office, {}) as first, httpx.Client(base_url=first.url, headers={"x-api-key": office.token}) as http:
        reviews = f"/api/matters/{office.matter}/reviews"
        made = http.post(reviews, json={"name": "Done", "columns": COLUMNS, "run": True}).json()
        deadline = time.monotonic() + 90
        while http.get(f"{reviews}/{made['id']}").json()["status"] != "done":
            assert time.monotonic() < deadline, "the review is not done"
            time.sleep(0.3)
        http.post(f"/api/matters/{office.matter}/folders", json={"name": "Correspondence"})
    with (
        started(office, {"ORDERLY_SERVE_WORKER": "false"}) as running,
        httpx.Client(base_url=running.url, headers={"x-api-key": office.token}) as http,
    ):
        for name, columns, run in (("Empty", [], False), ("Running", COLUMNS, True), ("Cancelled", COLUMNS, True)):
            assert http.post(reviews, json={"name": name, "columns": columns, "run": run}).is_success
        assert http.post(f"{reviews}/Cancelled/cancel").is_success
        yield running


@pytest.fixture(scope="module")
def reviews(server: Server) -> dict[str, str]:
    """Ids of the reviews by their names."""
    with httpx.Client(base_url=server.url, headers={"x-api-key": server.office.token}) as http:
        return {review["name"]: review["id"] for review in http.get(f"/api/matters/{server.office.matter}/reviews").json()}


def press(page: Page, name: str) -> Locator:
    """Presses a button that opens a dialog, which is returned."""
    page.get_by_role("button", name=name, exact=True).first.click()
    dialog = page.get_by_role("dialog").last
    expect(dialog).to_be_visible()
    return dialog


def column_editor(page: Page) -> None:
    expect(press(page, "Change the column Law").get_by_label("Title")).to_be_focused()


def removal_of_a_column(page: Page) -> None:
    press(page, "Change the column Law").get_by_role("button", name="Remove", exact=True).click()
    expect(page.get_by_role("button", name="Remove the column")).to_be_visible()


def correction(page: Page, value: str = "") -> None:
    page.get_by_role("gridcell").first.click()
    press(page, "Correct (E)")
    if value:
        page.get_by_role("dialog").get_by_label("Value").fill(value)
        page.get_by_role("dialog").get_by_role("button", name="Save").click()
        expect(page.get_by_role("dialog").get_by_role("alert")).to_be_visible()


def sets(page: Page) -> None:
    expect(press(page, "Sets").get_by_role("checkbox").first).to_be_visible()


def filtered_to_nothing(page: Page) -> None:
    page.get_by_label("Filter Law").fill("nobody wrote this")
    expect(page.get_by_role("button", name="Clear the filters")).to_be_visible()


def source_of_a_cell(page: Page) -> None:
    page.get_by_role("gridcell").first.click()
    page.keyboard.press("Enter")
    expect(page.get_by_test_id("viewer").locator("mark").first).to_be_visible()


def search_in_a_source(page: Page) -> None:
    source_of_a_cell(page)
    page.get_by_role("button", name="Find in the document (/)").click()
    page.keyboard.type("Lessee")
    expect(page.get_by_test_id("hit").first).to_be_visible()


def more_about(page: Page) -> None:
    page.get_by_role("button", name="More about lease.txt").click()
    expect(page.get_by_test_id("health")).to_be_visible()


def of_a_document(button: str) -> Callable[[Page], None]:
    def state(page: Page) -> None:
        more_about(page)
        page.get_by_test_id("document").first.get_by_role("button", name=button, exact=True).click()

    return state


def several_ticked(page: Page) -> None:
    page.get_by_role("button", name="Tick several").click()
    page.get_by_label("Tick lease.txt").check()


def refuse(route: Route) -> None:
    route.fulfill(status=500, json={"title": "Out of order", "detail": "The disk is full."})


def failed_uploads(page: Page) -> None:
    page.route("**/api/matters/*/documents?if_exists=*", refuse, times=2)
    files: Any = [{"name": f"{n}.txt", "mimeType": "text/plain", "buffer": b"A letter."} for n in range(2)]
    page.get_by_test_id("files").set_input_files(files)
    expect(page.get_by_text("The disk is full.")).to_have_count(2)


def known_upload(page: Page) -> None:
    again: Any = {"name": "lease.txt", "mimeType": "text/plain", "buffer": b"Another lease of this name."}
    page.get_by_test_id("files").set_input_files(again)
    expect(page.get_by_role("dialog").get_by_role("button", name="Keep both")).to_be_visible()


def palette(page: Page, words: str = "High", found: str = "High Street") -> None:
    page.keyboard.press("Control+k")
    page.keyboard.type(words)
    expect(page.get_by_role("dialog").get_by_text(found).first).to_be_visible()


def in_the_text(page: Page) -> None:
    page.get_by_label("Filter the documents by name or folder").fill("New South Wales")
    page.get_by_label("In the text").check()
    expect(page.get_by_role("region", name="As written")).to_be_visible()


def shows(words: str) -> Callable[[Page], None]:
    """What leads to a state in which nothing is pressed: the page shows the words."""

    def state(page: Page) -> None:
        expect(page.get_by_role("main").get_by_text(words).first).to_be_visible()

    return state


STATES: dict[str, tuple[str, Callable[[Page], None]]] = {
    "welcome": ("", shows("Choose a matter, or add files")),
    "palette": ("", palette),
    "palette without a find": ("", lambda page: palette(page, "xyz", "Nothing is called")),
    "tools": ("/tools", shows("make_review")),
    "matters": ("/matters", shows("M-2026-001")),
    "overview": ("/matters/{matter}/overview", shows("Folders")),
    "people": ("/matters/{matter}/people", shows("Add a colleague")),
    "reviews": ("/matters/{matter}/reviews", shows("Name of a new review")),
    "walls": ("/matters/{matter}/walls", shows("Keep out")),
    "folders": ("/matters/{matter}/folders", shows("Correspondence")),
    "record": ("/matters/{matter}/record", shows("review begun")),
    "documents": ("/matters/{matter}/documents", shows("Outside folders")),
    "more about a document": ("/matters/{matter}/documents", more_about),
    "move": ("/matters/{matter}/documents", of_a_document("Move")),
    "rename a document": ("/matters/{matter}/documents", of_a_document("Rename")),
    "delete a document": ("/matters/{matter}/documents", of_a_document("Delete")),
    "several ticked": ("/matters/{matter}/documents", several_ticked),
    "failed uploads": ("/matters/{matter}/documents", failed_uploads),
    "an upload of a known name": ("/matters/{matter}/documents", known_upload),
    "search in the text": ("/matters/{matter}/documents", in_the_text),
    "no columns": ("/matters/{matter}/reviews/{Empty}", shows("0 columns")),
    "running": ("/matters/{matter}/reviews/{Running}", shows("0 of 2 answered")),
    "cancelled": ("/matters/{matter}/reviews/{Cancelled}", shows("2 columns: stopped")),
    "done": ("/matters/{matter}/reviews/{Done}", shows("0 of 2 checked")),
    "filtered to nothing": ("/matters/{matter}/reviews/{Done}", filtered_to_nothing),
    "column editor": ("/matters/{matter}/reviews/{Done}", column_editor),
    "removal of a column": ("/matters/{matter}/reviews/{Done}", removal_of_a_column),
    "correction": ("/matters/{matter}/reviews/{Done}", correction),
    "refused correction": ("/matters/{matter}/reviews/{Done}", lambda page: correction(page, "12")),
    "export": ("/matters/{matter}/reviews/{Done}", lambda page: void(press(page, "Export"))),
    "sets": ("/matters/{matter}/reviews/{Done}", sets),
    "signs and keys": ("/matters/{matter}/reviews/{Done}", lambda page: void(press(page, "Signs and keys"))),
    "rename a review": ("/matters/{matter}/reviews/{Done}", lambda page: void(press(page, "Rename the review"))),
    "delete a review": ("/matters/{matter}/reviews/{Done}", lambda page: void(press(page, "Delete the review"))),
    "source of a cell": ("/matters/{matter}/reviews/{Done}", source_of_a_cell),
    "search in a source": ("/matters/{matter}/reviews/{Done}", search_in_a_source),
    "a review that is not there": ("/matters/{matter}/reviews/Nothing", shows("not found")),
    "a matter that is not there": ("/matters/M-1999-001", shows("This matter is not there")),
}
"""State -> address, and what leads from there to it."""


def void(_: object) -> None:
    """A dialog that opens needs nothing more."""


@pytest.mark.parametrize("look", LOOKS)
def test_every_state_is_accessible(visit: Callable[..., Visitor], server: Server, reviews: dict[str, str], look: str) -> None:
    visitor = visit(**LOOKS[look])
    page = visitor.page
    page.goto(f"{server.url}/app")
    page.get_by_label("Token").wait_for()
    assert_accessible(page)
    page.get_by_label("Token").fill(server.office.token)
    page.get_by_role("button", name="Sign in").click()
    page.get_by_label("Your question").wait_for()
    page.set_default_timeout(15_000)
    faults: list[str] = []
    for state, (address, lead) in STATES.items():
        page.goto(f"{server.url}/app{address.format(matter=server.office.matter, **reviews)}")
        page.get_by_role("main").wait_for()
        try:
            lead(page)
            assert_accessible(page)
        except (AssertionError, Error) as fault:  # a state that is not reached is a fault too
            faults.append(f"{state}: {str(fault)[:600]}")
    assert not faults, "\n".join(faults)
    assert visitor.errors() == []
