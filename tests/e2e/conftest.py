from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from installation import LOCAL_USER, Installation, Office, Server, started
from lease import LEASE


@pytest.fixture(scope="module")
def installation() -> Iterator[Installation]:
    home = Path(tempfile.mkdtemp(prefix="orderly-e2e-"))
    home.chmod(0o711)
    yield Installation(home)
    shutil.rmtree(home, ignore_errors=True)


@pytest.fixture(scope="module")
def office(installation: Installation) -> Office:
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


@pytest.fixture(scope="module")
def server(office: Office) -> Iterator[Server]:
    with started(office, {}) as running:
        yield running
