"""Nothing that was queued or typed is lost: uploads during an outage, questions that fail, new folders, stopped answers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from e2e.web.showing import assert_accessible, save_screenshot
from support.installation import Office, Server, started
from support.relay import Relay, relayed
from support.scripted_model import Reply, ScriptedModel, Stream, serve
from support.visitor import Visitor, row_of

pytestmark = pytest.mark.server

PIECES = 40
PAUSE_S = 0.25
QUESTION = "Which law governs the lease?"


def slow(_request: dict[str, Any]) -> Reply:
    pieces = [part for n in range(PIECES) for part in ({"content": f"Word{n} stands here. "}, PAUSE_S)]
    return Stream([{"role": "assistant", "content": ""}, *pieces])


@pytest.fixture(scope="module")
def model() -> Iterator[ScriptedModel]:
    with serve(slow) as scripted:
        yield scripted


@pytest.fixture(scope="module")
def server(office: Office, model: ScriptedModel) -> Iterator[Server]:
    """A separate server, since these tests add documents and folders."""
    with started(office, {"OPENAI_API_KEY": "scripted", "OPENAI_BASE_URL": model.base_url}) as running:
        yield running


@pytest.fixture
def relay(server: Server) -> Iterator[Relay]:
    with relayed(server.url) as made:
        yield made


@pytest.fixture
def page(visit: Callable[..., Visitor], server: Server, relay: Relay) -> Page:
    visitor = visit()
    visitor.server = replace(server, url=relay.url)
    page = visitor.sign_in(server.office.token)
    page.get_by_label("Matter", exact=True).select_option(label=f"{server.office.matter} · High Street")
    return page


@pytest.fixture
def letters(tmp_path: Path) -> list[Path]:
    paths = [tmp_path / f"Letter {n}.txt" for n in range(4)]
    for path in paths:
        path.write_text(f"We refer to {path} and to the lease.")
    return paths


def refuse(route: Route) -> None:
    route.fulfill(status=500, json={"title": "Out of order", "detail": "The disk is full."})


def test_uploads_that_an_outage_cuts_or_queues_go_on_by_themselves(page: Page, relay: Relay, letters: list[Path]) -> None:
    badge = page.get_by_test_id("badge").first
    before = int(badge.inner_text())
    relay.cut()
    page.get_by_test_id("files").set_input_files(letters)
    expect(page.get_by_text("Waits for the connection, then goes on by itself").first).to_be_visible()
    expect(page.get_by_test_id("outage")).to_be_visible()
    expect(page.get_by_test_id("uploads-total")).to_contain_text("0 of 4 files sent")
    save_screenshot(page, "light-offline")
    assert_accessible(page)
    relay.restore()
    expect(badge).to_have_text(str(before + 4))
    expect(page.get_by_test_id("upload")).to_have_count(0)
    expect(page.get_by_test_id("outage")).to_have_count(0)
    expect(page.get_by_role("alert")).to_have_count(0)


def test_uploads_that_failed_are_tried_again_together(page: Page, letters: list[Path]) -> None:
    badge = page.get_by_test_id("badge").first
    before = int(badge.inner_text())
    for letter in letters:
        letter.write_text(letter.read_text() + " Once more.")
    page.route("**/api/matters/*/documents?if_exists=*", refuse)
    page.get_by_test_id("files").set_input_files(letters)
    expect(page.get_by_text("The disk is full.")).to_have_count(4)
    expect(page.get_by_test_id("uploads-total")).to_contain_text("4 failed")
    page.unroute("**/api/matters/*/documents?if_exists=*")
    page.get_by_role("button", name="Try all again").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("The same for the others").check()
    dialog.get_by_role("button", name="Keep both").click()
    expect(badge).to_have_text(str(before + 4))
    expect(page.get_by_test_id("upload")).to_have_count(0)


def test_a_question_that_failed_stays_until_it_is_sent_or_discarded(page: Page) -> None:
    for sent in (False, True):
        page.get_by_role("button", name="New question").first.click()
        page.route("**/runs", refuse)
        page.get_by_label("Your question").fill(QUESTION)
        page.keyboard.press("Enter")
        failed = page.get_by_role("alert")
        expect(failed).to_contain_text("could not be finished")
        expect(page.get_by_label("Your question")).to_have_attribute("placeholder", "Send or discard the question above first")
        page.unroute("**/runs")
        page.reload()
        expect(page.get_by_role("main").get_by_role("heading", name=QUESTION)).to_be_visible()
        expect(failed).to_contain_text("This question was not sent.")
        save_screenshot(page, "light-not-sent")
        assert_accessible(page)
        if sent:
            failed.get_by_role("button", name="Try again").click()
            expect(page.get_by_test_id("answer")).to_contain_text("Word3 stands here")
            expect(page.get_by_role("article")).to_have_count(1)
        else:
            failed.get_by_role("button", name="Discard the question").click()
            expect(failed).to_have_count(0)
        page.reload()
        expect(page.get_by_role("main").get_by_role("heading", name=QUESTION)).to_have_count(int(sent))
        expect(failed).to_have_count(0)


def test_a_stopped_answer_says_that_it_was_stopped(page: Page) -> None:
    page.get_by_role("button", name="New question").first.click()
    page.get_by_label("Your question").fill("What if I end it?")
    page.keyboard.press("Enter")
    expect(page.get_by_test_id("answer")).to_contain_text("Word4 stands here")
    page.get_by_role("button", name="Stop", exact=True).click()
    expect(page.get_by_text("Stopped: the answer above is not complete.")).to_be_visible()
    expect(page.get_by_role("status").filter(has_text="The answer was stopped.")).to_be_attached()
    expect(page.get_by_test_id("answer")).to_contain_text("Word4 stands here")
    expect(page.get_by_test_id("answer")).not_to_contain_text(f"Word{PIECES - 1}")


def test_a_new_folder_is_there_at_once_everywhere(page: Page, server: Server) -> None:
    page.get_by_role("link", name="Matters").click()
    page.get_by_role("link", name="High Street").click()
    page.get_by_role("tab", name="Folders").click()
    page.get_by_label("New folder").fill("Correspondence")
    page.get_by_role("button", name="Make").click()
    expect(page.get_by_role("list").get_by_text("Correspondence")).to_be_visible()
    page.get_by_role("tab", name="Documents").click()
    expect(page.get_by_test_id("folder").filter(has_text="Correspondence")).to_be_visible()
    document = row_of(page, "lease.txt")
    document.get_by_role("button", name="More about lease.txt").click()
    document.get_by_role("button", name="Move").click()
    page.get_by_role("dialog").get_by_role("button", name="Correspondence").click()
    expect(page.get_by_test_id("folder").filter(has_text="Correspondence")).to_contain_text("1")
    page.get_by_role("tab", name="Folders").click()
    expect(page.get_by_role("list").get_by_text("Correspondence")).to_be_visible()
    page.get_by_role("tab", name="Overview").click()
    expect(page.get_by_test_id("overview")).to_contain_text("Folders1")
