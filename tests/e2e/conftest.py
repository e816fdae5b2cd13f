from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest

from support.installation import LOCAL_USER, Installation, Office, Server, started
from support.lease import LEASE
from support.own_office import with_own_office
from support.scripted_model import ScriptedModel, serve


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--nothing-skipped", action="store_true", help="a test that is skipped has failed")
    parser.addoption("--shuffle", type=int, help="seed of the order of files, and of the tests in each")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """With --shuffle, tests run in another order, those of a file together because they share a server."""
    seed = config.getoption("--shuffle", default=None)
    if seed is not None:
        order = Random(seed)
        files = {path: order.random() for path in sorted({item.path for item in items})}
        items.sort(key=lambda item: (files[item.path], order.random()))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, Any, Any]:
    """With --nothing-skipped, a skip is a failure. Adds the end of the server's log to a failure."""
    report = yield
    if report.when == "call" and report.failed:
        report.sections += [(f"log of {log.name}", tail(log)) for log in _logs(item)]
    if report.skipped and item.config.getoption("--nothing-skipped", default=False):
        report.outcome, report.longrepr = "failed", f"Skipped: {report.longrepr}"
    return report


def _logs(item: pytest.Item) -> list[Path]:
    offices = [v.office if isinstance(v, Server) else v for v in getattr(item, "funcargs", {}).values()]
    homes = {o.installation.home for o in offices if isinstance(o, Office)}
    return [log for home in homes for log in sorted(home.glob("server-*.log"), key=lambda path: path.stat().st_mtime)[-1:]]


def tail(log: Path, lines: int = 30) -> str:
    return "\n".join(line[:300] for line in log.read_text(errors="replace").splitlines()[-lines:])


@pytest.fixture(scope="module")
def installation() -> Iterator[Installation]:
    """One installation per test file."""
    with _installed() as made:
        yield made


@pytest.fixture
def empty_installation() -> Iterator[Installation]:
    """Without a database, of a test's own."""
    with _installed() as made:
        yield made


@pytest.fixture(scope="session")
def office_template() -> Iterator[Office]:
    """A template that is only copied, since its setup takes six commands."""
    with _installed() as made:
        yield _opened(made)


@pytest.fixture(scope="module")
def office(installation: Installation, office_template: Office) -> Office:
    """Of a file's own."""
    return _copied(office_template, installation)


@pytest.fixture
def own_office(empty_installation: Installation, office_template: Office) -> Office:
    """Of a test's own."""
    return _copied(office_template, empty_installation)


@pytest.fixture(scope="session")
def running(office_template: Office) -> Iterator[Server]:
    """One server for all test files without one of their own, since a start takes longer than most tests."""
    with _installed() as made, started(_copied(office_template, made), {}) as server:
        yield server


@pytest.fixture
def server(running: Server) -> Server:
    """The running server, for a lawyer and a colleague of the test's own."""
    return with_own_office(running)


@pytest.fixture(scope="module")
def model() -> Iterator[ScriptedModel]:
    """A model that gives one answer, for tests of what it is told."""
    with serve(lambda request: "The lease is governed by the laws of New South Wales.") as scripted:
        yield scripted


@pytest.fixture(scope="module")
def instructed(office: Office, model: ScriptedModel) -> Iterator[Server]:
    """A server whose chat model is `model`."""
    with started(office, {"OPENAI_API_KEY": "scripted", "OPENAI_BASE_URL": model.base_url}) as server:
        yield server


@contextmanager
def _installed() -> Iterator[Installation]:
    home = Path(tempfile.mkdtemp(prefix="orderly-e2e-"))
    home.chmod(0o711)
    yield Installation(home)
    shutil.rmtree(home, ignore_errors=True)


def _copied(office: Office, installation: Installation) -> Office:
    """Copies the installation with file owners; under root, the database has a different owner."""
    subprocess.run(["cp", "-a", f"{office.installation.home}/.", installation.home], check=True)
    return replace(office, installation=installation)


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
