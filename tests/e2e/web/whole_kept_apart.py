"""Struck, deleted and hidden words in the viewer: the note names their places, and the text pane shows them as they look."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator

import docx
import httpx
import openpyxl
import pymupdf
import pytest
from openpyxl.styles import Font
from playwright.sync_api import Locator, Page, expect

from e2e.web.showing import assert_accessible, save_screenshot
from support.installation import Office, Server, started
from support.visitor import Visitor, row_of

pytestmark = pytest.mark.server


def amended_lease() -> bytes:
    document = docx.Document()
    document.add_heading("1. Rent", 1)
    paragraph = document.add_paragraph("The rent is ")
    paragraph.add_run("$850").font.strike = True
    paragraph.add_run("$900 a week.")
    paragraph.add_run("Floor: $700").font.hidden = True
    document.add_heading("2. Term", 1)
    document.add_paragraph("The term is five years.")
    written = io.BytesIO()
    document.save(written)
    return written.getvalue()


def struck_page() -> bytes:
    with pymupdf.open() as document:
        document.new_page().insert_text((72, 100), "First page")
        page = document.new_page()
        page.insert_text((72, 100), "Pay within fourteen sixty days.")
        page.insert_text((72, 140), "The informant is Ann Lee of Perth.")
        [struck], [covered] = page.search_for("fourteen"), page.search_for("Ann Lee")
        page.draw_line((struck.x0, struck.y0 + 0.6 * struck.height), (struck.x1, struck.y0 + 0.6 * struck.height))
        page.draw_rect(covered, color=None, fill=(0, 0, 0))
        return bytes(document.tobytes())


def claims() -> bytes:
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.title = "Claims"
    for row in (("Alder", 100), ("Birch", 200), ("Cedar", 300)):
        sheet.append(row)
    sheet["B1"].font = Font(strike=True)
    sheet.row_dimensions[2].hidden = True
    written = io.BytesIO()
    book.save(written)
    return written.getvalue()


@pytest.fixture(scope="module")
def server(office: Office) -> Iterator[Server]:
    with started(office, {}) as running:
        with httpx.Client(base_url=running.url, headers={"x-api-key": office.token}, timeout=60) as http:
            files = {"Amended lease.docx": amended_lease(), "Struck.pdf": struck_page(), "Claims.xlsx": claims()}
            for name, content in files.items():
                assert http.post(f"/api/matters/{office.matter}/documents", files={"file": (name, content)}).is_success
        yield running


@pytest.fixture
def visitor(visit: Callable[..., Visitor], server: Server) -> Visitor:
    made = visit()
    page = made.sign_in(server.office.token)
    page.get_by_label("Matter", exact=True).select_option(label=f"{server.office.matter} · High Street")
    for name in ("Amended lease.docx", "Struck.pdf", "Claims.xlsx"):
        expect(row_of(page, name)).to_have_attribute("data-status", "ready")
    return made


def opened(page: Page, name: str) -> Locator:
    page.get_by_title(f"Show {name}").click()
    return page.get_by_test_id("viewer")


def look(words: Locator) -> tuple[str, str]:
    style = words.evaluate("(node) => [getComputedStyle(node).textDecorationLine, getComputedStyle(node).userSelect]")
    return style[0], style[1]


def test_struck_words_of_a_text_stand_behind_their_paragraph(visitor: Visitor) -> None:
    viewer = opened(visitor.page, "Amended lease.docx")
    note = viewer.get_by_test_id("apart-note")
    expect(note).to_contain_text("Words struck out in 1 place (1 Rent); hidden in 1 place")
    text = viewer.get_by_test_id("text")
    struck, hidden = text.locator("del", has_text="$850"), text.get_by_text("Floor: $700")
    assert look(struck) == ("line-through", "none")
    assert look(hidden) == ("none", "none")
    lines = text.inner_text()
    assert lines.index("$900 a week") < lines.index("$850") < lines.index("2. Term") < lines.index("Floor: $700")
    note.get_by_role("button").click()
    expect(note.get_by_role("listitem").first).to_have_text("1 Rent, struck out: $850")
    assert_accessible(visitor.page)
    save_screenshot(visitor.page, "light-kept-apart")
    assert visitor.errors() == []


def test_words_of_a_page_stand_below_its_text(visitor: Visitor) -> None:
    page = visitor.page
    viewer = opened(page, "Struck.pdf")
    expect(viewer.get_by_test_id("apart-note")).to_contain_text("struck out in 1 place (page 2); hidden in 1 place (page 2)")
    page.keyboard.press("t")
    text = viewer.get_by_role("group", name="Text of page 1")
    expect(text).to_contain_text("First page")
    expect(text.get_by_test_id("apart")).to_have_count(0)
    viewer.get_by_label("Page number").fill("2")
    page.keyboard.press("Enter")
    expect(viewer.get_by_role("group", name="Text of page 2").get_by_role("listitem")).to_have_text(
        ["struck out: fourteen", "hidden: Ann Lee"]
    )


def test_cells_of_a_sheet_stand_below_its_rows(visitor: Visitor) -> None:
    viewer = opened(visitor.page, "Claims.xlsx")
    expect(viewer.get_by_test_id("apart-note")).to_contain_text(
        "struck out in 1 place (Claims!B1); hidden in 1 place (Claims, row 2)"
    )
    sheet = viewer.get_by_test_id("text-sheet")
    expect(sheet.get_by_test_id("apart").get_by_role("listitem")).to_have_text(
        ["Claims!B1, struck out: 100", "Claims, row 2, hidden: Birch\t200"]
    )
