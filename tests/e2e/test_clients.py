"""Stock clients that are quick, unchanged against a started server; `make clients` runs all of them."""

from __future__ import annotations

import pytest

from support.installation import Server
from support.stock_clients import run_client

pytestmark = pytest.mark.server


@pytest.mark.parametrize("name", ["tus-js-client", "LangGraph SDK, JS", "deep-agents-ui"])
def test_a_stock_client_works_unchanged(name: str, server: Server) -> None:
    assert not {ability: reason for ability, reason in run_client(name, server).items() if reason}
