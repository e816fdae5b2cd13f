"""A browser session on the page."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import BrowserContext, Locator, Page

from support.installation import Server

TIMEOUT_MS = 90_000
"""Timeout in milliseconds for work of the server."""


def row_of(page: Page, filename: str) -> Locator:
    """The row of a document in the list, whose file's name is a tooltip."""
    return page.get_by_test_id("document").filter(has=page.locator(f"[title$='{filename}']"))


class Visitor:
    """One browser context; records console errors, warnings and requests to other hosts."""

    def __init__(self, context: BrowserContext, server: Server) -> None:
        self.server = server
        self.complaints: list[str] = []
        self.strangers: list[str] = []
        self.page: Page = context.new_page()
        self.page.set_default_timeout(TIMEOUT_MS)
        self.page.on("console", lambda m: self.complaints.append(m.text) if m.type in ("error", "warning") else None)
        self.page.on("pageerror", lambda e: self.complaints.append(str(e)))
        self.page.on("request", self._record_foreign_request)

    def _record_foreign_request(self, request: Any) -> None:
        if not request.url.startswith((self.server.url, "blob:", "data:")):
            self.strangers.append(request.url)

    def sign_in(self, token: str, path: str = "/app") -> Page:
        self.page.goto(f"{self.server.url}{path}")
        self.page.get_by_label("Token").fill(token)
        self.page.get_by_role("button", name="Sign in").click()
        self.page.get_by_role("button", name="New question").first.wait_for()
        return self.page

    def errors(self) -> list[str]:
        """Returns the console messages except those about HTTP error statuses, which tests provoke."""
        return [c for c in self.complaints if not c.startswith("Failed to load resource")]
