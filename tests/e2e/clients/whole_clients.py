"""Every stock client, with every ability (`make clients`). Prints the table client by ability."""

from __future__ import annotations

import pytest

from support.installation import Server
from support.scripted_model import ScriptedModel
from support.stock_clients import CLIENTS, INSTRUCTED, run_client, told

pytestmark = [pytest.mark.server, pytest.mark.timeout(300)]


@pytest.mark.parametrize("name", CLIENTS)
def test_the_client_works_unchanged(name: str, server: Server, table: dict[str, dict[str, str]]) -> None:
    table[name] = run_client(name, server)
    assert table[name]
    assert not {ability: reason for ability, reason in table[name].items() if reason}


@pytest.mark.parametrize("name", INSTRUCTED)
def test_the_clients_instructions_reach_the_model(name: str, instructed: Server, model: ScriptedModel) -> None:
    model.requests.clear()
    assert run_client(name, instructed, "instructions") == {"instructions": ""}
    assert any(told(request) for request in model.requests)
