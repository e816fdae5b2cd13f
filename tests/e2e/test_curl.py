"""Runs the curl commands and programs of docs/rest.md as printed."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import httpx
import pymupdf
import pytest

from support.installation import Server
from support.lease import LEASE

pytestmark = pytest.mark.server

REST = (Path(__file__).parents[2] / "docs/rest.md").read_text()
PRINTED = "M-2026-001"
COMMANDS = [line for line in REST.splitlines() if line.startswith("curl ")]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("curl")
    with pymupdf.open() as document:
        for _ in range(3):
            document.new_page().insert_text((72, 72), "The term of this lease is five (5) years from the commencement.")
        document.save(made / "lease.pdf")
    return made


@pytest.fixture(scope="module")
def environment(running: Server, folder: Path) -> dict[str, str]:
    """The variables of the examples: server, header, a document and a citation on its third page, in a matter of their own."""
    headers = {"Authorization": f"Bearer {running.office.token}"}
    with httpx.Client(base_url=running.url, headers=headers, timeout=60) as http:
        [report] = running.office.installation.data("ingest", str(folder / "lease.pdf"), "--matter", "Printed examples")
        matter = next(m["number"] for m in http.get("/api/matters").json() if m["title"] == "Printed examples")
        quote = {"quote": "five (5) years", "page": 3}
        citation = http.post(f"/api/documents/{report['document_id']}/citations", json=quote).json()["citation"]
    return {
        **os.environ,
        "S": running.url,
        "A": f"Authorization: Bearer {running.office.token}",
        "D": report["document_id"],
        "C": citation["id"],
        "ORDERLY_MATTER": matter,
        "ORDERLY_TOKEN": running.office.token,
        "ORDERLY_URL": running.url,
    }


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
@pytest.mark.parametrize("command", COMMANDS, ids=[str(n) for n in range(len(COMMANDS))])
def test_every_documented_command_works(command: str, environment: dict[str, str], folder: Path) -> None:
    assert f"/{PRINTED}/" in command or "$D" in command
    endless, command = "-N" in command, command.replace(PRINTED, environment["ORDERLY_MATTER"])
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
    assert done.stdout.strip() in {d["id"] for d in server.office.installation.data("list", environment["ORDERLY_MATTER"])}
