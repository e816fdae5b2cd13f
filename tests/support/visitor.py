"""Somebody in front of the page, in a browser."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import BrowserContext, Page

from support.installation import Server

SLOW = 90_000
"""Longest wait for anything that the server works on, in milliseconds."""


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
