"""Reading and finding: texts with outline, search, zoom and tables; attachments; words in the text of a matter; names; what the address keeps."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterator
from email.message import EmailMessage
from typing import Any

import docx
import httpx
import pytest
from playwright.sync_api import Page, expect

from e2e.web.showing import assert_accessible, save_screenshot
from support.installation import Office, Server, started
from support.visitor import Visitor, row_of

pytestmark = pytest.mark.server

ACT = "Retail Leases Act 1994.txt"
ACT_TEXT = (
    "Retail Leases Act 1994\n\nPart 5 Rent\n\n32 Definitions\n(1) In this Part, rent includes turnover rent.\n\n33 Turnover rent\n"
    "(1) A provision for turnover rent is void unless the lessee elects in writing.\n(2) An election is final.\n\n34 Outgoings\n"
    "(1) A lessee pays outgoings only as the lease provides.\n"
)


def lease_in_word() -> bytes:
    document = docx.Document()
    document.add_heading("Lease of the Mill", 0)
    for number in range(1, 31):
        document.add_heading(f"{number}. Clause {number}", 1)
        document.add_paragraph(f"{number}.1 The Tenant performs duty {number} at its own cost. " * 3)
    table = document.add_table(rows=2, cols=2)
    for cell, words in zip(
        (c for row in table.rows for c in row.cells), ("Premises", "Rent", "The Mill", "$42,000"), strict=True
    ):
        cell.text = words
    written = io.BytesIO()
    document.save(written)
    return written.getvalue()


def mail_with_attachment() -> bytes:
    mail = EmailMessage()
    mail["Subject"], mail["From"], mail["To"] = "The mill", "a@firm.example", "b@firm.example"
    mail.set_content("Please find the schedule of arrears attached.")
    mail.add_attachment("Arrears of the mill: $9,000 in March.", filename="Arrears.txt")
    return bytes(mail)


@pytest.fixture(scope="module")
def server(office: Office) -> Iterator[Server]:
    """A separate server with a Word document, an Act and an e-mail."""
    with started(office, {}) as running:
        with httpx.Client(base_url=running.url, headers={"x-api-key": office.token}, timeout=60) as http:
            files = {"Lease of the Mill.docx": lease_in_word(), ACT: ACT_TEXT.encode(), "The mill.eml": mail_with_attachment()}
            for name, content in files.items():
                assert http.post(f"/api/matters/{office.matter}/documents", files={"file": (name, content)}).is_success
        yield running


@pytest.fixture
def visitor(visit: Callable[..., Visitor], server: Server) -> Visitor:
    made = visit()
    page = made.sign_in(server.office.token)
    page.get_by_label("Matter", exact=True).select_option(label=f"{server.office.matter} · High Street")
    for name in ("Lease of the Mill.docx", ACT, "The mill.eml", "Arrears.txt"):
        expect(row_of(page, name)).to_have_attribute("data-status", "ready")
    return made


def in_sight(page: Page, text: str) -> None:
    expect(page.get_by_test_id("viewer").get_by_text(text).first).to_be_in_viewport()


def test_a_word_document_is_searched_enlarged_and_gone_through_by_its_outline(visitor: Visitor) -> None:
    page = visitor.page
    page.get_by_title("Show Lease of the Mill.docx").click()
    viewer = page.get_by_test_id("viewer")
    text = viewer.get_by_test_id("text")
    expect(text).to_contain_text("The Tenant performs duty 30")
    page.keyboard.press("o")
    outline = viewer.get_by_role("navigation", name="Outline")
    outline.get_by_role("button", name=re.compile("Clause 25")).click()
    in_sight(page, "25.1 The Tenant performs duty 25")
    assert_accessible(page)
    page.keyboard.press("o")
    expect(outline).to_have_count(0)
    page.keyboard.press("/")
    page.keyboard.type("performs duty 4 at")
    hit = viewer.get_by_test_id("hit")
    expect(hit).to_have_text("performs duty 4 at")
    expect(hit).to_be_in_viewport()
    expect(viewer.get_by_role("status")).to_have_text("1 of 3")
    page.keyboard.press("Enter")
    expect(viewer.get_by_role("status")).to_have_text("2 of 3")
    page.keyboard.press("Escape")
    expect(hit).to_have_count(0)
    size = text.evaluate("(text) => getComputedStyle(text).fontSize")
    page.keyboard.press("+")
    expect(viewer.get_by_text("125 %")).to_be_visible()
    assert text.evaluate("(text) => getComputedStyle(text).fontSize") != size
    expect(viewer.get_by_role("cell", name="$42,000")).to_be_attached()
    save_screenshot(page, "light-word-outline")
    assert visitor.errors() == []


def test_attachments_of_an_e_mail_are_links(visitor: Visitor) -> None:
    page = visitor.page
    page.get_by_title("Show The mill.eml").click()
    viewer = page.get_by_test_id("viewer")
    expect(viewer).to_contain_text("Please find the schedule of arrears attached.")
    viewer.get_by_role("list", name="Attachments").get_by_role("button", name="Arrears.txt").click()
    expect(viewer.get_by_test_id("text")).to_contain_text("Arrears of the mill: $9,000 in March.")
    assert visitor.errors() == []


def test_words_of_the_matter_are_found_as_written_first_marked_and_opened_at_their_place(visitor: Visitor) -> None:
    page = visitor.page
    field = page.get_by_label("Filter the documents by name or folder")
    field.fill("performs duty 17")
    page.get_by_label("In the text").check()
    written = page.get_by_role("region", name="As written")
    expect(written).to_contain_text("in 1 document")
    expect(written.locator("mark").first).to_have_text("performs duty 17")
    save_screenshot(page, "light-text-search")
    assert_accessible(page)
    written.get_by_role("button").first.click()
    hit = page.get_by_test_id("viewer").get_by_test_id("hit")
    expect(hit).to_have_text("performs duty 17")
    expect(hit).to_be_in_viewport()
    page.reload()
    expect(hit).to_be_in_viewport()
    page.go_back()
    page.get_by_label("In the text").check()
    field.fill('"performs duty 99"')
    expect(page.get_by_text('No document of this matter has "performs duty 99" as written.')).to_be_visible()
    field.fill("What must a tenant pay for?")
    expect(page.get_by_role("region", name="Near in meaning").get_by_role("listitem").first).to_be_visible()
    assert visitor.errors() == []


def test_an_answer_has_short_names_a_table_on_demand_and_one_card_that_does_not_repeat_it(visitor: Visitor) -> None:
    page = visitor.page
    page.get_by_label("Your question").fill("Compare the governing law of the documents, and who performs duty 3.")
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Answer again").wait_for()
    card = page.get_by_test_id("subagent").first
    expect(card.get_by_role("button")).to_have_attribute("aria-expanded", "false")
    card.get_by_role("button").click()
    expect(card.get_by_test_id("step").first).to_be_visible()
    expect(card).to_contain_text("Its report is the answer below.")
    expect(card.locator(".prose")).to_have_count(0)
    page.get_by_test_id("scope").click()
    expect(page.get_by_role("dialog").get_by_label("Retail Leases Act 1994", exact=True)).to_be_checked()
    page.keyboard.press("Escape")
    page.get_by_title(f"Show {ACT}").click()
    page.get_by_role("button", name="Close the source").click()
    page.get_by_label("Your question").fill("In the Retail Leases Act, when is a provision for turnover rent void?")
    page.keyboard.press("Enter")
    answer = page.get_by_test_id("answer").last
    expect(answer).to_contain_text("unless the lessee elects")
    answer.locator("[data-citation]").first.click()
    aglc = page.get_by_test_id("viewer").get_by_role("button", name="AGLC")
    assert re.fullmatch(r"Retail Leases Act 1994 s 33(\(1\))?\.", aglc.get_attribute("title") or ""), aglc.get_attribute(
        "title"
    )
    assert visitor.errors() == []


def test_ctrl_k_finds_documents_and_reviews_and_the_address_keeps_tabs_filters_and_cells(
    visitor: Visitor, server: Server
) -> None:
    page = visitor.page
    page.keyboard.press("Control+k")
    page.keyboard.type("arrears")
    page.keyboard.press("Enter")
    expect(page.get_by_role("region", name="Source: Arrears.txt")).to_be_visible()
    page.keyboard.press("Escape")

    page.goto(f"{server.url}/app/matters/{server.office.matter}")
    page.get_by_role("tab", name="Folders").click()
    page.reload()
    expect(page.get_by_role("tab", name="Folders")).to_have_attribute("aria-selected", "true")

    with httpx.Client(base_url=server.url, headers={"x-api-key": server.office.token}) as http:
        columns = [{"title": f"Duty {n}", "question": f"Who performs duty {n}?", "answer_type": "text"} for n in range(2)]
        made: Any = http.post(
            f"/api/matters/{server.office.matter}/reviews", json={"name": "Duties of the mill", "columns": columns}
        ).json()
    page.keyboard.press("Control+k")
    page.keyboard.type("duties of")
    expect(page.get_by_role("option", name=re.compile("Duties of the mill"))).to_be_visible()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Duties of the mill")).to_be_visible()
    assert made["id"] in page.url
    page.get_by_label("Filter Document").fill("mill")
    page.get_by_role("gridcell").last.click()
    detail = page.get_by_role("region", name="Chosen cell")
    expect(detail).to_contain_text("Who performs duty 1?")
    chosen = detail.locator("p").first.inner_text()
    page.reload()
    expect(page.get_by_label("Filter Document")).to_have_value("mill")
    expect(detail.locator("p").first).to_have_text(chosen)

    page.get_by_role("button", name="New question").first.click()
    conversations = page.get_by_role("navigation", name="Conversations")
    conversations.get_by_role("link", name=re.compile("Compare the governing law")).first.hover()
    conversations.get_by_role("button", name=re.compile("^Rename “Compare")).first.click()
    name = page.get_by_role("dialog").get_by_label("Name")
    expect(name).to_be_focused()
    name.fill("Governing laws")
    page.keyboard.press("Enter")
    expect(conversations.get_by_role("link", name="Governing laws")).to_be_visible()
    page.reload()
    expect(conversations.get_by_role("link", name="Governing laws")).to_be_visible()
    assert visitor.errors() == []
