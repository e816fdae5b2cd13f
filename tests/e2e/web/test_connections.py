"""Many tabs of one browser share its six connections to the server, also with pages in the back/forward cache."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from statistics import median

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from e2e.web.conftest import CHROMIUM, FLAGS
from support.installation import Server
from support.visitor import TIMEOUT_MS, Visitor

pytestmark = pytest.mark.server

TABS = 10
QUESTION = "Which documents lie in this matter?"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A browser as people have it: Playwright turns the back/forward cache off."""
    if CHROMIUM is None:
        pytest.skip("Chromium is not installed: apt-get install chromium")
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(
            executable_path=CHROMIUM, args=FLAGS, ignore_default_args=["--disable-back-forward-cache"]
        )
        expect.set_options(timeout=TIMEOUT_MS)
        yield running
        running.close()


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    made = browser.new_context(locale="en-AU", viewport={"width": 1280, "height": 800})
    yield made
    made.close()


def tab(context: BrowserContext, server: Server, path: str = "/app") -> Page:
    page = context.new_page()
    page.set_default_timeout(TIMEOUT_MS)
    page.goto(f"{server.url}{path}")
    page.get_by_label("Your question").wait_for()
    return page


def choose(page: Page, server: Server) -> None:
    page.get_by_label("Matter", exact=True).select_option(label=f"{server.office.matter} · High Street")


def ask(page: Page, question: str = QUESTION) -> float:
    """Returns the seconds until the answer is complete."""
    answers = page.get_by_role("button", name="Answer again")
    before = answers.count()
    page.get_by_label("Your question").fill(question)
    begun = time.perf_counter()
    page.keyboard.press("Enter")
    answers.nth(before).wait_for()
    return time.perf_counter() - begun


def test_ten_tabs_answer_as_fast_as_one_and_show_each_others_questions(context: BrowserContext, server: Server) -> None:
    open_requests: set[object] = set()
    context.on("request", lambda r: open_requests.add(r) if re.search(r"/events\?|/stream$", r.url) else None)
    for ended in ("requestfinished", "requestfailed"):
        context.on(ended, lambda request: open_requests.discard(request))  # noqa: PLW0108 (Playwright marks the function)
    first = Visitor(context, server).sign_in(server.office.token)
    choose(first, server)
    ask(first)
    alone = max(ask(first) for _ in range(2))

    tabs = [first, *[tab(context, server) for _ in range(TABS - 1)]]
    # Where connections run out, all but the first six wait; other work of the machine slows single ones.
    assert median(ask(page) for page in tabs[1:]) <= 2 * alone + 1.5
    assert len(open_requests) <= 1, "one connection per browser, for the status of documents"

    second = tab(context, server, first.url.removeprefix(server.url))
    ask(second, "When does the lease begin?")
    expect(first.get_by_role("heading", name="When does the lease begin?")).to_be_visible()
    first.get_by_role("button", name="Answer again").nth(3).wait_for()
    expect(first.get_by_role("navigation", name="Conversations").get_by_text(QUESTION)).to_have_count(TABS)


def test_a_question_is_not_lost_when_its_page_is_left_at_once(context: BrowserContext, server: Server) -> None:
    page = Visitor(context, server).sign_in(server.office.token)
    choose(page, server)
    first = "Who is the landlord of the premises?"
    for n, question in enumerate((first, "Who is the tenant of the premises?")):  # a new conversation, then one that goes on
        page.get_by_label("Your question").fill(question)
        page.keyboard.press("Enter")
        page.goto("about:blank")
        page.goto(f"{server.url}/app")
        page.get_by_role("navigation", name="Conversations").get_by_role("link", name=first).click()
        page.get_by_role("button", name="Answer again").nth(n).wait_for()
        expect(page.get_by_role("heading", name=question)).to_be_visible()


def test_a_page_in_the_back_forward_cache_holds_no_connection_and_returns_alive(
    context: BrowserContext, server: Server
) -> None:
    page = Visitor(context, server).sign_in(server.office.token)
    choose(page, server)
    expect(page.get_by_test_id("document")).to_have_count(1)
    page.evaluate("() => { addEventListener('pageshow', (event) => { window.restored = event.persisted; }); }")
    page.get_by_label("Your question").fill("Which law governs the lease?")
    page.keyboard.press("Enter")
    # The run exists before the page is left: a request that is on its way ends with the page.
    page.get_by_test_id("subagent").first.wait_for()
    page.goto("about:blank")
    other = tab(context, server)
    assert ask(other) < 20
    page.go_back(wait_until="commit")
    page.get_by_role("button", name="Answer again").last.wait_for()
    assert page.evaluate("() => window.restored") is True
    ask(page, "When does the lease begin?")
