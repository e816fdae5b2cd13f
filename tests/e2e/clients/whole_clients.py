"""Every stock client, with every ability (`make clients`). Prints the table client by ability."""

from __future__ import annotations

import pytest

from support.installation import Server
from support.stock_clients import CLIENTS, run_client

pytestmark = [pytest.mark.server, pytest.mark.timeout(300)]


@pytest.mark.parametrize("name", CLIENTS)
def test_the_client_works_unchanged(name: str, server: Server, table: dict[str, dict[str, str]]) -> None:
    table[name] = run_client(name, server)
    assert table[name]
    assert not {ability: reason for ability, reason in table[name].items() if reason}
