"""Panes at common widths and at 200 %: no control of the task lies outside of the window; panes keep the widths they were given."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest
from playwright.sync_api import Locator, Page, expect

from e2e.web.showing import assert_accessible, save_screenshot
from support.installation import Office, Server, started
from support.visitor import Visitor

pytestmark = pytest.mark.server

SIZES = [(1280, 800), (1366, 768), (1440, 900), (1536, 864), (640, 400)]
"""The last is a window of 1280 × 800 at 200 %."""
LAW = "Which law governs the lease?"
REACHED = """(element) => {
    const {left, top, right, bottom} = element.getBoundingClientRect();
    if (left < 0 || top < 0 || right > innerWidth || bottom > innerHeight) return `${left}, ${top}, ${right}, ${bottom}`;
    const there = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
    return element.contains(there) || there?.contains(element) ? "" : `beneath ${there?.outerHTML.slice(0, 120)}`;
}"""


@pytest.fixture(scope="module")
def server(office: Office) -> Iterator[Server]:
    """A separate server, since these tests make a review."""
    with started(office, {}) as running:
        yield running


@pytest.fixture(scope="module")
def review(server: Server) -> str:
    """The address of a finished review."""
    with httpx.Client(base_url=server.url, headers={"x-api-key": server.office.token}) as http:
        columns = [{"title": f"Law {n}", "question": LAW, "answer_type": "text"} for n in range(4)]
        asked = {"name": "Due diligence of the leases of the High Street", "columns": columns, "run": True}
        made: Any = http.post(f"/api/matters/{server.office.matter}/reviews", json=asked).json()
    return f"/app/matters/{server.office.matter}/reviews/{made['id']}"


def assert_reached(page: Page, controls: dict[str, Locator]) -> None:
    """Asserts that each control lies whole in the window, with nothing over it."""
    page.evaluate("() => Promise.all(document.getAnimations().map((one) => one.finished.catch(() => null)))")
    outside = {name: where for name, control in controls.items() if (where := control.evaluate(REACHED))}
    assert outside == {}, f"at {page.viewport_size}"


def of_the_source(page: Page) -> dict[str, Locator]:
    viewer = page.get_by_test_id("viewer")
    expect(viewer.get_by_test_id("text")).to_be_visible()
    return {name: viewer.get_by_role("button", name=name) for name in ("Print the document", "Download", "Close the source")}


def of_the_review(page: Page) -> dict[str, Locator]:
    expect(page.get_by_role("gridcell").first).to_have_attribute("data-look", "found")
    title = page.get_by_role("heading", name="Due diligence")
    assert title.evaluate("(h1) => h1.clientWidth") >= 150
    verdicts = {name: page.get_by_role("button", name=name) for name in ("Accept", "Correct", "Reject")}
    column = page.get_by_label("A question for a new column")
    return {
        "title": title,
        "print": page.get_by_role("button", name="Print the review"),
        "run": page.get_by_role("button", name="Run"),
        "column": column if column.is_visible() else page.get_by_role("button", name="Column", exact=True),
        "filter": page.get_by_label("Filter Law 0"),
        "a whole row": page.get_by_role("gridcell").first,
        **verdicts,
    }


def test_no_control_lies_outside_of_the_window(visit: Callable[..., Visitor], server: Server, review: str) -> None:
    visitor = visit()
    page = visitor.sign_in(server.office.token)
    page.get_by_label("Matter", exact=True).select_option(label=f"{server.office.matter} · High Street")
    page.get_by_label("Your question").fill(LAW)
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Answer again").wait_for()
    conversation = page.url
    for width, height in SIZES:
        page.set_viewport_size({"width": width, "height": height})
        beside = width > 1000

        page.goto(f"{conversation}?document={server.office.document_id}")
        assert_reached(page, of_the_source(page))
        if not beside:
            page.keyboard.press("Escape")
        assert_reached(page, {"question": page.get_by_label("Your question"), "send": page.get_by_role("button", name="Send")})

        page.goto(f"{server.url}/app/matters/{server.office.matter}?document={server.office.document_id}")
        assert_reached(page, of_the_source(page))
        if not beside:
            page.keyboard.press("Escape")
        title = page.get_by_role("heading", name="High Street")
        assert title.evaluate("(h1) => h1.getBoundingClientRect().height") < 60, "the title stands in one line"
        tabs = {str(n): tab for n, tab in enumerate(page.get_by_role("tab").all())}
        assert_reached(page, {"title": title, "ask": page.get_by_role("button", name="Ask about this matter"), **tabs})

        page.goto(f"{server.url}{review}?document={server.office.document_id}")
        assert_reached(page, of_the_source(page))
        if not beside:
            page.keyboard.press("Escape")
        assert_reached(page, of_the_review(page))
        if (width, height) in (SIZES[0], SIZES[-1]):
            save_screenshot(page, "light-review-source" if beside else "light-review-zoomed")
            assert_accessible(page)
    assert visitor.errors() == []


def test_panes_have_the_widths_they_were_given_and_give_way_in_a_smaller_window(
    visit: Callable[..., Visitor], server: Server
) -> None:
    visitor = visit(viewport={"width": 1680, "height": 900})
    page = visitor.sign_in(server.office.token, f"/app?document={server.office.document_id}")
    source = page.get_by_role("complementary", name="Source")
    edge = page.get_by_role("separator", name="Width of the source")

    def width() -> float:
        return source.evaluate("(pane) => pane.getBoundingClientRect().width")

    usual = width()
    box = edge.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 4, 400)
    page.mouse.down()
    page.mouse.move(box["x"] - 96, 400, steps=4)
    page.mouse.up()
    assert width() == pytest.approx(usual + 100, abs=2)
    page.reload()
    expect(edge).to_have_attribute("aria-valuenow", str(round(usual + 100)))
    edge.focus()
    page.keyboard.press("ArrowRight")
    expect(edge).to_have_attribute("aria-valuenow", str(round(usual + 76)))
    assert_accessible(page)
    page.set_viewport_size({"width": 900, "height": 800})
    expect(page.get_by_role("navigation", name="Conversations")).to_have_count(0)
    page.get_by_role("button", name="Conversations").click()
    expect(page.get_by_role("dialog", name="Conversations").get_by_role("button", name="New question")).to_be_visible()
    page.keyboard.press("Escape")
    assert page.get_by_role("main").evaluate("(main) => main.getBoundingClientRect().width") >= 420
    page.set_viewport_size({"width": 1680, "height": 900})
    edge.dblclick()
    expect(edge).to_have_attribute("aria-valuenow", str(round(usual)))
    assert visitor.errors() == []
