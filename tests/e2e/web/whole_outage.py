"""Outages while an answer arrives: a cut network, a lost reply."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest
from playwright.sync_api import Error, Page, Route, expect

from e2e.web.showing import assert_accessible
from support.installation import Office, Server, started
from support.relay import Relay, relayed
from support.scripted_model import Reply, ScriptedModel, Stream, serve
from support.visitor import Visitor

pytestmark = pytest.mark.server

PIECES = 48
PAUSE_S = 0.25
ANSWER = "".join(f"Word{n} stands here. " for n in range(PIECES)).strip()
WRITING = "Word4 stands here."


def slow(_request: dict[str, Any]) -> Reply:
    pieces = [part for n in range(PIECES) for part in ({"content": f"Word{n} stands here. "}, PAUSE_S)]
    return Stream([{"role": "assistant", "content": ""}, *pieces])


@pytest.fixture(scope="module")
def model() -> Iterator[ScriptedModel]:
    with serve(slow) as scripted:
        yield scripted


def environment(model: ScriptedModel) -> dict[str, str]:
    return {"OPENAI_API_KEY": "scripted", "OPENAI_BASE_URL": model.base_url}


@pytest.fixture(scope="module")
def server(office: Office, model: ScriptedModel) -> Iterator[Server]:
    with started(office, environment(model)) as running:
        yield running


@pytest.fixture
def relay(server: Server) -> Iterator[Relay]:
    with relayed(server.url) as made:
        yield made


@pytest.fixture
def page(visit: Callable[..., Visitor], server: Server, relay: Relay) -> Page:
    visitor = visit()
    visitor.server = replace(server, url=relay.url)
    return visitor.sign_in(server.office.token)


def begin(page: Page, question: str) -> None:
    page.get_by_label("Your question").fill(question)
    page.keyboard.press("Enter")


def writing(page: Page) -> None:
    expect(page.get_by_test_id("answer")).to_contain_text(WRITING)


def lost(page: Page) -> None:
    page.bring_to_front()
    expect(page.get_by_test_id("outage")).to_be_visible()


def complete(page: Page, question: str) -> None:
    """Asserts that question and answer are there once, and that nothing tells of an outage any more."""
    page.get_by_role("button", name="Send").wait_for()
    expect(page.get_by_test_id("answer")).to_have_count(1)
    expect(page.get_by_test_id("answer")).to_contain_text(ANSWER)
    assert page.get_by_test_id("answer").inner_text().count("Word0 ") == 1
    expect(page.get_by_role("main").get_by_role("heading", name=question, exact=True)).to_have_count(1)
    expect(page.get_by_role("navigation", name="Conversations").get_by_text(question, exact=True)).to_have_count(1)
    expect(page.get_by_test_id("outage")).to_have_count(0)
    expect(page.get_by_role("alert")).to_have_count(0)


def test_a_network_that_fails_in_mid_answer_is_told_and_the_answer_goes_on_in_every_tab(page: Page, relay: Relay) -> None:
    question = "What if the network fails?"
    begin(page, question)
    writing(page)
    second = page.context.new_page()
    second.goto(page.url)
    writing(second)
    relay.cut()
    for tab in (page, second):
        lost(tab)
    assert_accessible(second)
    relay.restore()
    for tab in (page, second):
        tab.bring_to_front()
        complete(tab, question)


def test_a_tab_that_is_loaded_again_during_an_outage_shows_the_answer_afterwards(page: Page, relay: Relay) -> None:
    question = "What if I load the page again?"
    begin(page, question)
    writing(page)
    address = page.url
    relay.cut()
    with pytest.raises(Error, match="ERR_"):
        page.goto(address)
    page.wait_for_url("chrome-error://chromewebdata/")
    relay.restore()
    page.goto(address)
    complete(page, question)


def test_a_question_asked_during_an_outage_is_sent_afterwards_unless_it_is_stopped(page: Page, relay: Relay) -> None:
    question = "What if there is no network?"
    relay.cut()
    begin(page, question)
    lost(page)
    page.get_by_role("button", name="Stop").click()
    expect(page.get_by_text("Stopped before there was an answer.")).to_be_visible()
    page.get_by_role("button", name="Ask again").click()
    page.get_by_role("button", name="Stop").wait_for()
    relay.restore()
    complete(page, question)


def test_a_question_whose_reply_is_lost_is_asked_once(page: Page) -> None:
    question = "What if the reply is lost?"
    sent = []

    def lose(route: Route) -> None:
        sent.append(route.fetch().status)
        route.abort()

    page.route("**/runs", lose, times=1)
    begin(page, question)
    complete(page, question)
    assert sent == [200]


def test_a_conversation_opened_during_an_outage_is_shown_afterwards(page: Page, relay: Relay) -> None:
    question = "What if I open it later?"
    begin(page, question)
    writing(page)
    page.get_by_role("button", name="New question").click()
    relay.cut()
    page.get_by_role("link", name=question).click()
    lost(page)
    expect(page.get_by_text("Opening the conversation")).to_be_visible()
    relay.restore()
    complete(page, question)


def test_a_connection_that_falls_silent_is_given_up(page: Page, relay: Relay) -> None:
    question = "What if the network swallows everything?"
    begin(page, question)
    writing(page)
    relay.silence()
    complete(page, question)
