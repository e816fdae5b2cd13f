"""What is found again: words in conversations, a conversation as a file, earlier versions, places by Ctrl-K."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Page, expect

from e2e.web.showing import assert_accessible, save_screenshot
from e2e.web.whole_review import until
from support.installation import Office, Server, started
from support.visitor import Visitor, row_of

pytestmark = pytest.mark.server

LAW = "Which law governs the lease?"


@pytest.fixture(scope="module")
def server(office: Office) -> Iterator[Server]:
    """A separate server, since these tests add versions and conversations."""
    with started(office, {}) as running:
        yield running


def ask(page: Page, question: str) -> None:
    page.get_by_label("Your question").fill(question)
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Answer again").last.wait_for()


def test_words_of_an_answer_lead_to_its_conversation_which_is_saved_as_a_file(
    visit: Callable[..., Visitor], server: Server
) -> None:
    visitor = visit()
    page = visitor.sign_in(server.office.token)
    page.get_by_label("Matter", exact=True).select_option(label=f"{server.office.matter} · High Street")
    ask(page, LAW)
    page.get_by_role("button", name="New question").first.click()
    page.get_by_label("Matter", exact=True).select_option(label=f"{server.office.matter} · High Street")
    ask(page, "How long is the term of the lease?")
    conversations = page.get_by_role("navigation", name="Conversations")
    links = conversations.get_by_role("listitem")
    expect(links).to_have_count(2)
    search = conversations.get_by_label("Search your conversations")
    search.fill("Laws of New South")
    expect(links).to_have_count(1)
    expect(links.get_by_test_id("excerpt")).to_contain_text("laws of New South Wales")
    assert_accessible(page)
    save_screenshot(page, "light-conversations-found")
    search.fill("nobody has said this")
    expect(conversations.get_by_text("in its title, its questions or its answers")).to_be_visible()
    search.fill("laws of new south")
    links.get_by_role("link").click()
    expect(page.get_by_test_id("answer")).to_contain_text("New South Wales")
    search.fill("")
    with page.expect_download() as download:
        conversations.get_by_role("button", name=f"Save “{LAW}” as a file").click()
    assert download.value.suggested_filename == "Which law governs the lease.html"
    saved = Path(download.value.path()).read_text()
    assert f"<h2>{LAW}</h2>" in saved
    assert "laws of New South Wales" in saved
    assert "<h3>Sources</h3>" in saved
    assert f"{server.office.matter} · High Street" in saved
    assert visitor.errors() == []


def test_ctrl_k_finds_a_conversation_among_many_documents(visit: Callable[..., Visitor], server: Server) -> None:
    with httpx.Client(base_url=server.url, headers={"x-api-key": server.office.token}) as http:
        documents = f"/api/matters/{server.office.matter}/documents"
        for number in range(14):
            text = f"LEASE {number}\n\n1. Term\n1.1 The term is {number + 1} years.\n".encode()
            assert http.post(documents, files={"file": (f"Lease of shop {number}.txt", text)}).is_success
        until(http, documents, lambda found: all(document["status"] == "ready" for document in found))
    visitor = visit()
    page = visitor.sign_in(server.office.token, f"/app/matters/{server.office.matter}")
    expect(page.get_by_test_id("overview")).to_contain_text("15")
    page.keyboard.press("Control+k")
    page.keyboard.type("lease")
    options = page.get_by_role("option")
    expect(options.first).to_have_text("leaseDocument")
    expect(options.filter(has_text="Conversation")).to_have_count(2)
    save_screenshot(page, "light-palette")
    assert_accessible(page)
    page.keyboard.press("Enter")
    expect(page.get_by_role("region", name="Source: lease.txt")).to_be_visible()
    assert visitor.errors() == []


def test_an_earlier_version_of_a_document_is_opened(visit: Callable[..., Visitor], server: Server) -> None:
    with httpx.Client(base_url=server.url, headers={"x-api-key": server.office.token}) as http:
        documents = f"/api/matters/{server.office.matter}/documents"
        first = http.post(documents, files={"file": ("Side letter.txt", b"The rent is A$4,000 a month.\n")}).json()
        until(http, documents, lambda found: all(document["status"] == "ready" for document in found))
        added = http.post(
            f"{documents}?if_exists=new_version&version_of={first['id']}",
            files={"file": ("Side letter.txt", b"The rent is A$5,500 a month.\n")},
        )
        assert added.is_success, added.text
        revisions = f"/api/documents/{first['id']}/revisions"
        until(http, revisions, lambda found: len(found) == 2 and any(r["current"] for r in found[0]["revisions"]))
    visitor = visit()
    page = visitor.sign_in(server.office.token, f"/app/matters/{server.office.matter}/documents")
    row = row_of(page, "Side letter.txt")
    row.get_by_role("button", name="More about Side letter.txt").click()
    versions = row.get_by_test_id("health").get_by_role("button", name="Side letter")
    expect(versions).to_have_count(2)
    versions.nth(1).click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("The rent is A$4,000 a month.")
    expect(dialog).to_contain_text("The text of an earlier version.")
    assert_accessible(page)
    page.keyboard.press("Escape")
    versions.first.click()
    expect(page.get_by_test_id("viewer")).to_contain_text("A$5,500")
    assert visitor.errors() == []
