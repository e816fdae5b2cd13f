"""Printouts: an answer, a source with its marks, a review; read as PDF."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib.resources import files
from typing import Any
from uuid import UUID

import httpx
import pymupdf
import pytest
from playwright.sync_api import Page, Route, expect

from e2e.web.showing import save_pdf_page
from support.installation import Office, Server, started
from support.visitor import Visitor, row_of

pytestmark = pytest.mark.server

HERTZ = "HERTZGLOBALHOLDINGS_INC_07_07_2016-EX-10.4-INTELLECTUAL_PROPERTY_AGREEMENT.pdf"
LAW = "Which law governs the Hertz intellectual property agreement?"
ROWS = 60
DIALOG = "() => { window.dialogs = 0; window.print = () => { window.dialogs += 1; }; }"
"""Counts the browser's print dialogs, of which a browser without a screen has none."""
NOT_PRINTED = ("New question", "Copy the answer", "Ask about your documents", "Enter sends", "Document agent", "Sign out")


@pytest.fixture(scope="module")
def server(office: Office) -> Iterator[Server]:
    """A separate server, since these tests add documents and a review."""
    with started(office, {}) as running:
        yield running


def client(server: Server) -> httpx.Client:
    return httpx.Client(base_url=server.url, headers={"x-api-key": server.office.token})


def printed(page: Page, picture: str = "", of: int = 1) -> list[str]:
    """The text of each page of the printout. `picture`: the name of a picture of page `of`."""
    content = page.pdf(prefer_css_page_size=True, format="A4")
    if picture:
        save_pdf_page(content, of, picture)
    with pymupdf.open(stream=content) as document:
        return [sheet.get_text() for sheet in document]


def test_an_answer_and_a_source_are_printed_whole_and_alone(visit: Callable[..., Visitor], server: Server) -> None:
    with client(server) as http:
        content = (files("orderly") / "demo_documents" / HERTZ).read_bytes()
        assert http.post(f"/api/matters/{server.office.matter}/documents", files={"file": (HERTZ, content)}).is_success
    visitor = visit(color_scheme="dark")
    page = visitor.sign_in(server.office.token)
    page.get_by_label("Matter", exact=True).select_option(label=f"{server.office.matter} · High Street")
    expect(row_of(page, HERTZ)).to_have_attribute("data-status", "ready")
    page.get_by_label("Your question").fill(LAW)
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Answer again").wait_for()

    [*sheets] = printed(page, "print-answer")
    text = "\n".join(sheets)
    assert text.count(LAW) >= 2, "the question is the printout's title and heads its answer"
    assert "internal laws of the State of New York" in " ".join(text.split())
    assert "documents asked" in text and "Offline planner" in text and "Section 10 (Governing Law), Page 9" in text
    assert all(f"{number} / {len(sheets)}" in sheet for number, sheet in enumerate(sheets, 1)), "every page has its number"
    assert all(LAW in sheet for sheet in sheets), "every page has the title"
    assert f"{server.office.matter} · High Street · printed on" in text
    assert not [words for words in NOT_PRINTED if words in text]

    page.evaluate(DIALOG)
    page.locator("[data-citation]").first.click()
    page.get_by_test_id("mark").first.wait_for()
    page.keyboard.press("Control+p")
    page.wait_for_function("() => window.dialogs === 1")
    sheets = printed(page, "print-source", 9)
    assert len(sheets) == 12, "each page of the document is a page"
    assert not [words for words in NOT_PRINTED if words in "\n".join(sheets)]
    expect(page.get_by_test_id("viewer")).to_be_visible()
    expect(page).to_have_title("Orderly")
    page.keyboard.press("Escape")
    assert len(printed(page)) < 12, "an answer is printed without the source that was printed before"
    assert visitor.errors() == []


def test_a_review_is_printed_with_all_rows_under_the_heads_of_their_columns(
    visit: Callable[..., Visitor], server: Server
) -> None:
    with client(server) as http:
        columns = [
            {"title": f"Law {n}", "question": "Which law governs the lease?", "answer_type": "text"} for n in range(1, 8)
        ]
        address = f"/api/matters/{server.office.matter}/reviews"
        made: Any = http.post(address, json={"name": "Due diligence of sixty leases", "columns": columns}).json()

    def cell(row: int, column: Any) -> dict[str, Any]:
        quote = f"This Lease {row} is governed by the laws of New South Wales."
        citation = {"id": "c", "quote": quote, "page": 2, "paged": True, "section_label": "5.1", "section_title": None}
        return {
            "id": f"{row} {column['id']}", "column_id": column["id"], "document_id": str(UUID(int=row)), "state": "found" if row % 3 else "candidate",
            "edition": 1, "changed": 1, "value": {"type": "text", "text": f"New South Wales {row}"}, "citations": [citation], "read": None,
            "engine": "e", "model": None, "note": "", "verdict": None,
        }  # fmt: skip

    def rows(route: Route) -> None:
        found = [
            {
                "document": {"id": str(UUID(int=n)), "filename": f"Lease of shop {n}.pdf", "status": "ready", "status_reason": "", "current_revision_id": "r"},
                "cells": [cell(n, column) for column in made["columns"]],
            }
            for n in range(1, ROWS + 1)
        ]  # fmt: skip
        route.fulfill(json={"total": ROWS, "rows": found})

    visitor = visit()
    visitor.page.route("**/rows?*", rows)
    page = visitor.sign_in(server.office.token, f"/app/matters/{server.office.matter}/reviews/{made['id']}")
    expect(page.get_by_role("status").filter(has_text="7 columns")).to_be_visible()
    expect(page.get_by_role("gridcell").first).to_contain_text("New South Wales 1")
    sheets = printed(page, "print-review")
    text = " ".join("\n".join(sheets).split())
    for n in range(1, ROWS + 1):
        assert f"Lease of shop {n} " in text
        assert f"“This Lease {n} is governed by the laws of New South Wales.” page 2, section 5.1" in text
    assert all(
        "Due diligence of sixty leases" in sheet and f"{n} / {len(sheets)}" in sheet for n, sheet in enumerate(sheets, 1)
    )
    assert all("Document" in sheet for sheet in sheets[:-1]), "heads of columns are repeated"
    assert len(sheets) > 8
    assert "not confirmed" in text, "signs are explained"
    assert not [words for words in NOT_PRINTED if words in text]

    page.get_by_label("Filter Document").fill("shop 17")
    expect(page.get_by_role("status").filter(has_text="Filters show 1 document")).to_be_visible()
    assert "1 of 60 documents, as filtered" in printed(page)[0]
    assert visitor.errors() == []
