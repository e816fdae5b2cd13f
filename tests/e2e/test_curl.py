"""Runs the curl commands and programs of docs/rest.md as printed."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx
import pymupdf
import pytest

from support.installation import Office, Server, started
from support.lease import LEASE

pytestmark = pytest.mark.server

REST = (Path(__file__).parents[2] / "docs/rest.md").read_text()
COMMANDS = [line for line in REST.splitlines() if line.startswith("curl ")]


@pytest.fixture(scope="module")
def server(office: Office) -> Iterator[Server]:
    """A separate server, since these tests add and delete documents."""
    with started(office, {}) as running:
        yield running


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("curl")
    with pymupdf.open() as document:
        for _ in range(3):
            document.new_page().insert_text((72, 72), "The term of this lease is five (5) years from the commencement.")
        document.save(made / "lease.pdf")
    return made


@pytest.fixture(scope="module")
def environment(server: Server, folder: Path) -> dict[str, str]:
    """The variables S, A, D and C of the examples: server, header, document, and a citation on its third page."""
    headers = {"Authorization": f"Bearer {server.office.token}"}
    with httpx.Client(base_url=server.url, headers=headers, timeout=60) as http:
        document = server.office.installation.data("ingest", str(folder / "lease.pdf"), "--matter", server.office.matter)
        [report] = document
        quote = {"quote": "five (5) years", "page": 3}
        citation = http.post(f"/api/documents/{report['document_id']}/citations", json=quote).json()["citation"]
    return {
        **os.environ,
        "S": server.url,
        "A": f"Authorization: Bearer {server.office.token}",
        "D": report["document_id"],
        "C": citation["id"],
        "ORDERLY_MATTER": server.office.matter,
        "ORDERLY_TOKEN": server.office.token,
        "ORDERLY_URL": server.url,
    }


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
@pytest.mark.parametrize("command", COMMANDS, ids=[str(n) for n in range(len(COMMANDS))])
def test_every_documented_command_works(command: str, environment: dict[str, str], folder: Path) -> None:
    assert f"/{environment['ORDERLY_MATTER']}/" in command or "$D" in command
    endless = "-N" in command
    words = f"{command} --max-time 3" if endless else f"{command} --fail-with-body -sS --max-time 60"
    done = subprocess.run(["bash", "-c", words], check=False, env=environment, cwd=folder, capture_output=True, text=True)
    if endless:
        assert "event: document" in done.stdout and "event: current" in done.stdout
    elif "if_exists=ask" in command:  # the server reports the duplicate
        assert (done.returncode, "urn:orderly:already-there" in done.stdout) == (22, True), done.stdout + done.stderr
    else:
        assert done.returncode == 0, done.stdout + done.stderr
        assert "-o page.png" not in command or (folder / "page.png").read_bytes().startswith(b"\x89PNG")


def test_the_documented_upload_in_pieces_works(environment: dict[str, str], folder: Path, server: Server) -> None:
    [program] = re.findall(r"```python\n(.*?)```", REST, re.DOTALL)
    (folder / "upload.py").write_text(program)
    (folder / "lease.txt").write_text(LEASE + "\nSent by the Python program.\n")
    done = subprocess.run(
        [sys.executable, "upload.py"], check=False, env=environment, cwd=folder, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() in {d["id"] for d in server.office.installation.data("list", server.office.matter)}
