from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from installation import Server

CHROMIUM = next((path for name in ("chromium", "chromium-browser", "google-chrome") if (path := shutil.which(name))), None)

FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip

SLOW = 90_000
"""Longest wait for anything that the server works on, in milliseconds."""


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    if CHROMIUM is None:
        pytest.skip("Chromium is not installed: apt-get install chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


class Visitor:
    """Somebody in a browser of their own. What the browser complains of, and requests to anybody else, are kept."""

    def __init__(self, context: BrowserContext, server: Server) -> None:
        self.server = server
        self.complaints: list[str] = []
        self.strangers: list[str] = []
        self.page: Page = context.new_page()
        self.page.set_default_timeout(SLOW)
        self.page.on("console", lambda m: self.complaints.append(m.text) if m.type in ("error", "warning") else None)
        self.page.on("pageerror", lambda e: self.complaints.append(str(e)))
        self.page.on("request", self._asked)

    def _asked(self, request: Any) -> None:
        if not request.url.startswith((self.server.url, "blob:", "data:")):
            self.strangers.append(request.url)

    def sign_in(self, token: str, path: str = "/app") -> Page:
        self.page.goto(f"{self.server.url}{path}")
        self.page.get_by_label("Token").fill(token)
        self.page.get_by_role("button", name="Sign in").click()
        self.page.get_by_role("button", name="New question").first.wait_for()
        return self.page

    def errors(self) -> list[str]:
        """Without the answers of the server that a test brings about, which the browser reports as well."""
        return [c for c in self.complaints if not c.startswith("Failed to load resource")]


@pytest.fixture
def visit(chromium: Browser, server: Server) -> Iterator[Callable[..., Visitor]]:
    contexts: list[BrowserContext] = []

    def one(**options: Any) -> Visitor:
        context = chromium.new_context(locale="en-AU", **{"viewport": {"width": 1280, "height": 800}, **options})
        contexts.append(context)
        return Visitor(context, server)

    yield one
    for context in contexts:
        context.close()
