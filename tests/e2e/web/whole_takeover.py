"""A server is killed in mid-answer. No other server runs: nodes of one database share one Redis, and each one here has its own."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace

import pytest

from e2e.web.whole_outage import begin, complete, environment, lost, model, writing
from support.installation import Office, started
from support.relay import relayed
from support.scripted_model import ScriptedModel
from support.visitor import Visitor

__all__ = ["model"]

pytestmark = pytest.mark.server


@pytest.mark.skipif(os.environ.get("ORDERLY_TEST_ENGINE") != "aegra", reason="Aegra: make engines")
def test_the_answer_of_a_killed_server_is_written_by_the_next(
    visit: Callable[..., Visitor], office: Office, model: ScriptedModel
) -> None:
    question = "What if the server is killed?"
    first = started(office, environment(model))
    with first as server, relayed(server.url) as relay:
        visitor = visit()
        visitor.server = replace(server, url=relay.url)
        page = visitor.sign_in(office.token)
        begin(page, question)
        writing(page)
        first.kill()
        lost(page)
        with started(office, environment(model)) as again:
            relay.target = again.url
            complete(page, question)
