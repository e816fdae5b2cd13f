"""A review of 500 × 40 cells and a list of 2,000 documents, all rows of the store, scroll without a slow frame."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from playwright.sync_api import expect

from e2e.web.frames import FRAMES, scroll
from e2e.web.showing import assert_accessible, save_screenshot
from support.installation import Office, Server, started
from support.visitor import Visitor

pytestmark = [pytest.mark.server, pytest.mark.timeout(900)]

FILL = Path(__file__).parents[2] / "benchmarks" / "review_fill.py"
WORK_MS = 20
"""Of a frame at fifty frames a second."""


@pytest.fixture(scope="module")
def review(office: Office) -> str:
    """The address of the review. Both matters are filled before the server starts, whose workers would read the documents."""
    filled(office, 2_000, 1, "Data room")
    return filled(office, 500, 40, "Portfolio")


@pytest.fixture(scope="module")
def server(office: Office, review: str) -> Iterator[Server]:
    with started(office, {}) as running:
        yield running


def filled(office: Office, documents: int, columns: int, title: str) -> str:
    """Puts documents and a review of them into a matter of its own; returns the review's address."""
    done = subprocess.run(
        [sys.executable, str(FILL), str(documents), str(columns), title],
        env=office.installation.environment,
        check=True,
        capture_output=True,
        text=True,
        timeout=600,
    )
    return done.stdout.strip().splitlines()[-1]


def test_a_review_of_500_documents_by_40_columns_scrolls_both_ways(
    visit: Callable[..., Visitor], server: Server, review: str, capsys: pytest.CaptureFixture[str]
) -> None:
    visitor = visit(viewport={"width": 1440, "height": 900})
    page = visitor.sign_in(server.office.token, review)
    expect(page.get_by_role("status").filter(has_text="500 documents, 40 columns")).to_contain_text("of 20,000 checked")
    grid = "[data-testid=review-grid]"
    for way, dx, dy in (("down", 0, 200), ("across", 120, 0)):
        frames = scroll(page, grid, dx, dy)
        with capsys.disabled():
            print(way, json.dumps(frames))  # noqa: T201
        assert frames["work_ms"] <= WORK_MS, way
        assert frames["layouts"] <= 2 * FRAMES, way
        assert page.get_by_role("gridcell").count() < 400, "only the cells in sight are drawn"
    save_screenshot(page, "light-review-large")
    assert_accessible(page)
    assert visitor.errors() == []


def test_two_thousand_documents_of_the_store_scroll_and_are_sorted(
    visit: Callable[..., Visitor], server: Server, capsys: pytest.CaptureFixture[str]
) -> None:
    with httpx.Client(base_url=server.url, headers={"x-api-key": server.office.token}) as http:
        matters: Any = http.get("/api/matters").json()
    number = next(matter["number"] for matter in matters if matter["title"] == "Data room")
    visitor = visit()
    page = visitor.sign_in(server.office.token, f"/app/matters/{number}/documents")
    rows = page.get_by_test_id("document")
    expect(rows.first).to_contain_text("contract-")
    frames = scroll(page, "[data-testid=document-list]", 0, 400)
    with capsys.disabled():
        print(json.dumps(frames))  # noqa: T201
    assert frames["work_ms"] <= WORK_MS
    assert rows.count() < 60, "only the rows in sight are drawn"
    page.get_by_label("Order of the documents").select_option("name")
    expect(rows.first).to_contain_text("contract-000")
    page.get_by_placeholder("Filter by name").fill("contract-1234")
    expect(rows).to_have_count(1)
    assert_accessible(page)
    assert visitor.errors() == []
