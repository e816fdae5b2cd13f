from __future__ import annotations

import pytest

from support.stock_clients import ABILITIES

_table: dict[str, dict[str, str]] = {}


@pytest.fixture(scope="session")
def table() -> dict[str, dict[str, str]]:
    """Client, ability, "" or the reason of its failure."""
    return _table


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if not _table:
        return
    terminalreporter.section("stock clients")
    terminalreporter.line(f"{'':24}" + "".join(f"{ability:14}" for ability in ABILITIES))
    for client, found in _table.items():
        cells = ("-" if ability not in found else "FAILS" if found[ability] else "works" for ability in ABILITIES)
        terminalreporter.line(f"{client:24}" + "".join(f"{cell:14}" for cell in cells))
    terminalreporter.line("-: not a thing of this client")
