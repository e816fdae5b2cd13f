"""Stock clients that are quick, unchanged against a started server; `make clients` runs all of them."""

from __future__ import annotations

import pytest

from support.installation import Server
from support.scripted_model import ScriptedModel
from support.stock_clients import run_client, told

pytestmark = pytest.mark.server


@pytest.mark.parametrize("name", ["tus-js-client", "LangGraph SDK, JS", "deep-agents-ui"])
def test_a_stock_client_works_unchanged(name: str, server: Server) -> None:
    assert not {ability: reason for ability, reason in run_client(name, server).items() if reason}


def test_instructions_of_a_stock_client_reach_the_model(instructed: Server, model: ScriptedModel) -> None:
    assert run_client("LangGraph SDK, JS", instructed, "instructions") == {"instructions": ""}
    assert any(told(request) for request in model.requests)
