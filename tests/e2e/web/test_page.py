"""The page in a browser against a running server; `make e2e-page` runs the long form."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import httpx
import openpyxl
import pymupdf
import pytest
from playwright.sync_api import Page, Route, expect

from support.installation import Server
from support.visitor import Visitor, row_of

pytestmark = pytest.mark.server

LAW = "This Deed shall be governed by, and construed in accordance with, the laws of the State of Victoria."


@pytest.fixture(scope="module")
def deed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A PDF of two pages with the governing law on the second."""
    path = tmp_path_factory.mktemp("files") / "Deed of Guarantee.pdf"
    with pymupdf.open() as document:
        for number, lines in enumerate(
            (["DEED OF GUARANTEE", "1. Guarantee", "The Guarantor guarantees the rent."], ["2. Governing law", LAW])
        ):
            page = document.new_page()
            for n, line in enumerate([*lines, f"Page {number + 1} of 2"]):
                page.insert_text((72, 100 + 40 * n), line, fontsize=10)
        document.save(path)
    return path


def ask(page: Page, question: str) -> None:
    page.get_by_label("Your question").fill(question)
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Answer again").last.wait_for()


def marks_over_the_words(page: Page, number: int = 2, kind: str = "mark") -> list[list[float]]:
    """Returns the displayed highlight boxes in PDF points, computed from the image's position and size."""
    return page.evaluate(
        """([number, kind]) => {
            const picture = document.querySelector(`[data-testid=viewer] [data-page="${number}"] img`);
            const frame = picture.getBoundingClientRect();
            const points = (picture.naturalWidth * 72 / 110) / frame.width;
            return [...document.querySelectorAll(`[data-testid=${kind}]`)].map((mark) => {
                const box = mark.getBoundingClientRect();
                return [box.left - frame.left, box.top - frame.top, box.right - frame.left, box.bottom - frame.top].map((v) => v * points);
            });
        }""",
        [number, kind],
    )


def test_a_user_adds_a_file_asks_and_sees_the_highlighted_words(
    visit: Callable[..., object], server: Server, deed: Path
) -> None:
    visitor = visit()
    page = visitor.sign_in(server.office.token)
    page.get_by_label("Matter", exact=True).select_option(label=f"{server.office.matter} · High Street")
    badge = page.get_by_test_id("badge").first
    expect(badge).to_have_text("1")

    page.get_by_test_id("files").set_input_files(deed)
    row = row_of(page, "Deed of Guarantee.pdf")
    expect(row).to_have_attribute("data-status", "ready")
    expect(badge).to_have_text("2")

    ask(page, "Which law governs the Deed of Guarantee?")
    card = page.get_by_test_id("subagent").first
    expect(card).to_have_attribute("data-state", "done")
    answer = page.get_by_test_id("answer").last
    expect(answer).to_contain_text(f"{LAW}”")
    expect(page.get_by_text("Offline planner (by rule, quotations only)")).to_be_visible()

    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="Copy the answer").click()
    page.get_by_role("button", name="Copied").wait_for()
    source = "Deed of Guarantee, Section 2 (Governing law), Page 2"
    for kind, begins, ends in (
        (
            "text/html",
            "<h3>Deed of Guarantee</h3><blockquote>",
            f"</blockquote><p>1 of 2 documents asked.</p><h3>Sources</h3><ul><li>{source}</li></ul>",
        ),
        ("text/plain", "Deed of Guarantee\n\n", f"\n\n1 of 2 documents asked.\n\nSources\n\n{source}"),
    ):
        copied = page.evaluate("async (kind) => (await (await navigator.clipboard.read())[0].getType(kind)).text()", kind)
        assert copied.strip().startswith(f"{begins}“"), "an answer is copied without the page's marks"
        assert copied.strip().endswith(f"{LAW}” ({source}){ends}"), "its citations, its coverage and its sources go along"

    expect(page.get_by_test_id("coverage")).to_have_text("1 of 2 documents asked · ask the rest")
    chip = answer.get_by_role("region", name="Deed of Guarantee.pdf").locator("[data-citation]").first
    chip.click()
    viewer = page.get_by_test_id("viewer")
    expect(viewer.get_by_label("Page number")).to_have_value("2")
    mark = viewer.get_by_test_id("mark").first
    expect(mark).to_be_visible()
    stored = httpx.get(
        f"{server.url}/api/citations/{chip.get_attribute('data-citation')}",
        headers={"authorization": f"Bearer {server.office.token}"},
    ).json()
    assert stored["quote"].endswith(LAW)
    page.wait_for_function("() => document.querySelector('[data-page=\"2\"] img')?.naturalWidth")
    seen = marks_over_the_words(page)
    assert len(seen) == len(stored["rectangles"]) > 0
    for box, rectangle in zip(seen, stored["rectangles"], strict=True):
        assert box == pytest.approx(rectangle["box"], abs=1.0), "a highlight must cover its words within one point"
    with pymupdf.open(deed) as document:
        words = " ".join(document[1].get_textbox(pymupdf.Rect(*box)) for box in seen)
    assert LAW in " ".join(words.split()), "the highlights must cover the quoted words"
    expect(viewer.get_by_test_id("text-layer").last).to_contain_text("governed by, and construed in accordance with")
    page.reload()
    expect(viewer.get_by_test_id("mark").first).to_be_visible()
    page.keyboard.press("t")
    expect(viewer.locator("mark")).to_contain_text("governed by")
    page.keyboard.press("t")
    page.keyboard.press("/")
    page.keyboard.type("guarantees the rent")
    expect(viewer.get_by_test_id("hit")).to_be_visible()
    expect(viewer.get_by_label("Page number")).to_have_value("1")
    page.wait_for_function("() => document.querySelector('[data-page=\"1\"] img')?.naturalWidth")
    with pymupdf.open(deed) as document:
        [there] = document[0].search_for("guarantees the rent")
    [found] = marks_over_the_words(page, 1, "hit")
    assert (found[0], found[2]) == pytest.approx((there.x0, there.x1), abs=2.5), (
        "what is found is marked, and no letters beside it"
    )
    conversation = page.url.partition("?")[0]
    page.go_back()
    expect(viewer).to_have_count(0)
    assert page.url == conversation, "Back closes the source and stays in the conversation"
    chip.focus()
    expect(page.get_by_test_id("preview")).to_be_visible()
    page.keyboard.press("Enter")
    page.keyboard.press("Escape")
    expect(chip).to_be_focused()

    page.get_by_test_id("scope").click()
    page.get_by_role("dialog").get_by_label("lease", exact=True).uncheck()
    page.get_by_role("button", name="Look into these").click()
    expect(page.get_by_test_id("kept-to")).to_have_text("Kept to 1 of 2 documents, also for follow-ups")
    page.reload()
    expect(page.get_by_test_id("kept-to")).to_be_visible()

    row.get_by_role("button", name="More about Deed of Guarantee.pdf").click()
    expect(row.get_by_test_id("health")).to_contain_text("2 pages")
    row.get_by_role("button", name="Delete").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    expect(badge).to_have_text("1")
    expect(row).to_have_count(0)

    assert visitor.errors() == []
    assert visitor.strangers == [], "the page must send requests to its own server only"


def test_another_user_sees_nothing_of_the_matter(visit: Callable[..., object], server: Server) -> None:
    first = visit().sign_in(server.office.token)
    first.get_by_label("Matter", exact=True).select_option(label=f"{server.office.matter} · High Street")
    ask(first, "Which documents are in this matter?")
    conversation = first.url.removeprefix(server.url)
    assert re.fullmatch(r"/app/chat/[0-9a-f-]{36}", conversation)
    expect(
        first.get_by_role("navigation", name="Conversations").get_by_text("Which documents are in this matter?")
    ).to_be_visible()

    other = visit().sign_in(server.office.colleague_token, conversation)
    expect(other.get_by_text("This conversation is not there.")).to_be_visible()
    other.get_by_role("button", name="New question").last.click()
    expect(other.get_by_label("Matter", exact=True).locator("option")).to_have_count(1)
    assert "lease.txt" not in other.content()
    assert "Which documents are in this matter?" not in other.content()

    with httpx.Client(base_url=server.url, headers={"x-api-key": server.office.token}) as http:
        members = f"/api/matters/{server.office.matter}/members"
        assert http.post(members, json={"email": server.office.colleague, "role": "viewer"}).is_success
        other.reload()
        other.get_by_label("Matter", exact=True).select_option(label=f"{server.office.matter} · High Street")
        expect(other.get_by_test_id("document")).to_have_count(1)
        assert http.delete(f"{members}/{server.office.colleague}").is_success
        expect(other.get_by_test_id("document")).to_have_count(0, timeout=5_000)
        expect(other.get_by_label("Matter", exact=True).locator("option")).to_have_count(1)
        assert "lease.txt" not in other.content(), "names vanish from open pages when access ends"


def test_a_workbook_is_shown_as_a_table_with_what_is_found_and_a_failure_is_told_whole(
    visit: Callable[..., Visitor], server: Server, tmp_path: Path
) -> None:
    book = openpyxl.Workbook()
    assert book.active is not None
    for row in (["Premises", "Rent"], ["12 Eagle Street, Brisbane", "A$210,000"]):
        book.active.append(row)
    book.save(tmp_path / "Leases.xlsx")
    (tmp_path / "Damaged.pdf").write_bytes(b"%PDF-1.7\n" + bytes(400))
    (tmp_path / "Minutes.txt").touch()
    visitor = visit()
    page = visitor.sign_in(server.office.token)
    page.get_by_label("Matter", exact=True).select_option("")
    page.get_by_test_id("files").set_input_files([tmp_path / name for name in ("Leases.xlsx", "Damaged.pdf", "Minutes.txt")])
    expect(page.get_by_role("alert")).to_have_text("Without content, so not added: Minutes.txt.")
    failure = row_of(page, "Damaged.pdf").get_by_test_id("status")
    expect(failure).to_contain_text("saved anew by a PDF program.")
    assert failure.evaluate("(told) => told.scrollHeight <= told.clientHeight + 1"), "no line of a failure is cut off"

    page.get_by_title("Show Leases.xlsx").click()
    viewer = page.get_by_test_id("viewer")
    expect(viewer.get_by_role("cell", name="12 Eagle Street, Brisbane")).to_be_visible()
    page.keyboard.press("/")
    page.keyboard.type("210,000")
    expect(viewer.get_by_test_id("hit")).to_have_text("210,000")
    page.keyboard.press("Escape")
    expect(viewer.get_by_role("search")).to_have_count(0)
    page.keyboard.press("Escape")
    expect(viewer).to_have_count(0)
    assert visitor.errors() == []


def test_the_session_cookie_is_httponly_and_ends_at_sign_out(visit: Callable[..., object], server: Server) -> None:
    page = visit().sign_in(server.office.token)
    kept = page.evaluate("() => JSON.stringify([document.cookie, {...localStorage}, {...sessionStorage}])")
    assert server.office.token[:12] not in kept
    page.get_by_role("button", name="Sign out").click()
    page.get_by_label("Token").wait_for()
    page.reload()
    expect(page.get_by_label("Token")).to_be_visible()


def test_a_typed_question_outlasts_a_reload_and_a_sign_in_that_has_ended_but_not_a_sign_out(
    visit: Callable[..., object], server: Server
) -> None:
    def sign_in_again() -> None:
        page.get_by_label("Token").fill(server.office.token)
        page.get_by_role("button", name="Sign in").click()

    page = visit().sign_in(server.office.token)
    question = page.get_by_label("Your question")
    question.fill("Who must insure the premises?")
    page.reload()
    expect(question).to_have_value("Who must insure the premises?")
    page.context.clear_cookies()
    page.keyboard.press("Enter")
    expect(page.get_by_text("Your sign-in has ended.")).to_be_visible()
    sign_in_again()
    expect(question).to_have_value("Who must insure the premises?")
    question.press("Enter")
    expect(page.get_by_role("button", name="Stop").or_(page.get_by_test_id("answer"))).to_be_visible()
    expect(question).to_have_value("")
    question.fill("And the rent?")
    held: list[Route] = []

    def hold(request: Route) -> None:
        held.append(request)

    page.route("**/api/session", hold)
    page.get_by_role("button", name="Sign out").click()
    page.wait_for_function("() => sessionStorage.length === 0")  # While the server has not yet answered the sign-out.
    for request in held:
        request.continue_()
    page.unroute("**/api/session")
    page.get_by_label("Token").wait_for()
    page.wait_for_timeout(300)  # Requests under way end with 401.
    assert page.evaluate("() => sessionStorage.length") == 0
    sign_in_again()
    expect(question).to_have_value("")


def test_an_administrator_decides_about_tools(visit: Callable[..., object], server: Server) -> None:
    page = visit().sign_in(server.office.token)
    page.get_by_role("link", name="Tools").click()
    programs = page.get_by_role("region", name="MCP clients")
    tool = programs.get_by_role("checkbox", name=re.compile("^view_page"))
    expect(tool).to_be_checked()
    tool.click()
    expect(tool).not_to_be_checked()
    page.reload()
    expect(tool).not_to_be_checked()
    expect(page.get_by_role("region", name="Agents").get_by_role("checkbox", name=re.compile("^view_page"))).to_be_checked()
    tool.click()
    expect(tool).to_be_checked()
    colleague = visit().sign_in(server.office.colleague_token, "/app/tools")
    expect(colleague.get_by_text("Administrators of the firm decide here")).to_be_visible()
    expect(colleague.get_by_role("link", name="Tools")).to_have_count(0)
