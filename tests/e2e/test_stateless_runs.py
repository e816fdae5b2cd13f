"""Runs without a thread: what a server keeps of them, and of the files in their messages."""

from __future__ import annotations

import base64
import os
import time
from collections.abc import Iterator

import httpx
import pytest

from support.installation import Server

LOAN = b"Loan\n\n1. Interest\n\n1.1 The borrower pays interest of 7 per cent each year.\n"
ENCODED = base64.b64encode(LOAN).decode()
ASKED = [
    {"type": "text", "text": "Which interest does the borrower pay?"},
    {"type": "file", "mimeType": "text/plain", "data": ENCODED, "metadata": {"filename": "loan.txt"}},
]
RUN = {"assistant_id": "orderly", "input": {"messages": [{"role": "user", "content": ASKED}]}}

pytestmark = pytest.mark.server
aegra_only = pytest.mark.skipif(os.environ.get("ORDERLY_TEST_ENGINE") != "aegra", reason="Aegra: make engines")


@pytest.fixture
def http(server: Server) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=server.url, headers={"Authorization": f"Bearer {server.office.token}"}, timeout=120) as opened:
        yield opened


def files_of(http: httpx.Client, thread: str) -> list[str] | None:
    """Names of the files of a conversation; None: there is no such conversation."""
    listed = http.get(f"/chat/api/{thread}/documents")
    return [document["filename"] for document in listed.json()["documents"]] if listed.is_success else None


@aegra_only
@pytest.mark.parametrize("path", ["/runs/wait", "/runs/stream", "/runs"])
def test_the_files_of_a_run_without_a_thread_go_with_it(http: httpx.Client, path: str) -> None:
    answer = http.post(path, json=RUN)
    assert answer.is_success, answer.text
    thread = answer.json()["thread_id"] if path == "/runs" else answer.headers["Content-Location"].split("/")[2]
    assert path == "/runs" or "7 per cent" in answer.text
    deadline = time.monotonic() + 60
    while http.get(f"/threads/{thread}").status_code != 404:
        assert time.monotonic() < deadline, "the server removes the thread after the run"
        time.sleep(0.2)
    assert files_of(http, thread) is None


@aegra_only
def test_a_server_stores_no_file_with_a_run(http: httpx.Client) -> None:
    thread = http.post("/threads", json={}).json()["thread_id"]
    assert http.post(f"/threads/{thread}/runs/wait", json=RUN).is_success
    assert files_of(http, thread) == ["loan.txt"]
    stored = [http.get(f"/threads/{thread}{place}").text for place in ("", "/runs", "/state", "/history")]
    assert all(stored) and ENCODED not in "".join(stored)


@aegra_only
@pytest.mark.parametrize("place", ["input", "command"])
def test_a_file_that_cannot_be_taken_is_refused_before_the_run_is_stored(http: httpx.Client, place: str) -> None:
    block = {"type": "image_url", "image_url": {"url": "https://example.com/deed.png"}}
    sent = {"messages": [{"role": "user", "content": [block]}]}
    thread = http.post("/threads", json={}).json()["thread_id"]
    given = {"input": sent} if place == "input" else {"command": {"update": sent}}
    refused = http.post(f"/threads/{thread}/runs/wait", json={"assistant_id": "orderly", **given})
    assert refused.status_code == 422 and "fetches nothing" in refused.text
    assert http.get(f"/threads/{thread}/runs").json() == []


@pytest.mark.skipif(os.environ.get("ORDERLY_TEST_ENGINE") == "aegra", reason="Aegra gives every run a thread")
def test_a_file_needs_a_conversation(http: httpx.Client) -> None:
    refused = http.post("/runs/wait", json=RUN)
    assert refused.status_code == 422 and "create a thread" in refused.text
