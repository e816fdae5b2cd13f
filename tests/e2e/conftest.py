from __future__ import annotations

import shutil
import tempfile
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from installation import LOCAL_USER, Installation, Office, Server, started
from lease import LEASE


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--nothing-skipped", action="store_true", help="a test that is skipped has failed")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, Any, Any]:
    """Where all of it is asked for, what is not installed is a failure."""
    report = yield
    if report.skipped and item.config.getoption("--nothing-skipped", default=False):
        report.outcome, report.longrepr = "failed", f"Skipped: {report.longrepr}"
    return report


@pytest.fixture(scope="module")
def installation() -> Iterator[Installation]:
    """Of a file's own."""
    with _installed() as made:
        yield made


@pytest.fixture(scope="module")
def office(installation: Installation) -> Office:
    """Of a file's own."""
    return _opened(installation)


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    """Shared by files that leave its matter as they found it: to start one takes longer than most tests."""
    with _installed() as made, started(_opened(made), {}) as running:
        yield running


@contextmanager
def _installed() -> Iterator[Installation]:
    home = Path(tempfile.mkdtemp(prefix="orderly-e2e-"))
    home.chmod(0o711)
    yield Installation(home)
    shutil.rmtree(home, ignore_errors=True)


def _opened(installation: Installation) -> Office:
    lease = installation.home / "lease.txt"
    lease.write_text(LEASE)
    [report] = installation.data("ingest", str(lease), "--matter", "High Street")
    [matter] = installation.data("matters", "list")
    colleague = installation.data("user", "add", "colleague@firm.example")
    return Office(
        installation,
        matter["number"],
        matter["id"],
        report["document_id"],
        installation.data("user", "token", LOCAL_USER)["token"],
        installation.data("user", "token", "colleague@firm.example")["token"],
        colleague["user_id"],
    )
