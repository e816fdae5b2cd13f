"""What goes with a conversation when its user deletes it, against the server really started."""

from __future__ import annotations

import io
import time
from collections.abc import Iterator

import httpx
import pytest
from tusclient.client import TusClient

from support.installation import Server
from support.lease import LEASE

pytestmark = pytest.mark.server

QUESTION = {"role": "user", "content": "Which law governs the lease?"}


@pytest.fixture
def http(server: Server) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=server.url, headers={"Authorization": f"Bearer {server.office.token}"}, timeout=60) as opened:
        yield opened


@pytest.fixture
def chat(http: httpx.Client) -> str:
    made: str = http.post("/threads", json={}).json()["thread_id"]
    return made


@pytest.fixture
def document(http: httpx.Client, chat: str) -> str:
    sent = http.post(f"/chat/api/{chat}/documents", files={"file": ("own.txt", LEASE.encode(), "text/plain")})
    assert sent.status_code == 201, sent.text
    deadline = time.monotonic() + 60
    while http.get(f"/chat/api/{chat}/documents").json()["documents"][0]["status"] != "processed":
        assert time.monotonic() < deadline
        time.sleep(0.2)
    found: str = sent.json()["artifact_id"]
    return found


def test_the_files_of_a_conversation_go_with_it(server: Server, http: httpx.Client, chat: str, document: str) -> None:
    link = http.post(f"/api/documents/{document}/link", params={"chat": chat}).json()["url"]
    assert http.get(link).text == LEASE
    unfinished = TusClient(f"{server.url}/api/uploads", headers=dict(http.headers)).uploader(
        file_stream=io.BytesIO(LEASE.encode()), chunk_size=100, metadata={"filename": "late.txt", "chat_id": chat}
    )
    unfinished.upload_chunk()
    run = http.post(f"/threads/{chat}/runs", json={"assistant_id": "orderly", "input": {"messages": [QUESTION]}}).json()
    http.get(f"/threads/{chat}/runs/{run['run_id']}/join")
    assert http.delete(f"/threads/{chat}/runs/{run['run_id']}").status_code in (200, 204)
    assert http.get(f"/chat/api/{chat}/documents").json()["total"] == 2, "a deleted run takes no file with it"

    with httpx.Client(base_url=server.url, headers={"Authorization": f"Bearer {server.office.colleague_token}"}) as colleague:
        assert colleague.delete(f"/threads/{chat}").status_code == 404
    assert http.get(f"/chat/api/{chat}/documents").json()["total"] == 2, "nobody else deletes it"

    assert http.delete(f"/threads/{chat}").status_code in (200, 204)
    assert http.get(link).status_code == 404
    assert http.get(f"/api/documents/{document}", params={"chat": chat}).status_code == 404
    assert http.get(f"/chat/api/{chat}/documents").status_code == 404
    assert httpx.head(unfinished.url, headers={**http.headers, "Tus-Resumable": "1.0.0"}).status_code == 404
    again = http.post("/threads", json={"thread_id": chat})
    assert again.json()["thread_id"] == chat
    assert http.get(f"/chat/api/{chat}/documents").json()["total"] == 0, (
        "nor does a conversation of the same id bring them back"
    )
    http.delete(f"/threads/{chat}")


def test_a_conversation_whose_file_is_held_stays(http: httpx.Client, chat: str, document: str) -> None:
    hold = f"/api/documents/{document}/hold"
    assert http.post(hold, params={"chat": chat}).is_success
    refused = http.delete(f"/threads/{chat}")
    assert refused.status_code == 409
    assert "own.txt" in refused.text and "legal hold" in refused.text
    assert http.get(f"/chat/api/{chat}/documents").json()["total"] == 1
    assert http.delete(hold, params={"chat": chat}).is_success
    assert http.delete(f"/threads/{chat}").status_code in (200, 204)
    assert http.get(f"/chat/api/{chat}/documents").status_code == 404


def test_conversations_are_not_deleted_unnamed(http: httpx.Client, chat: str, document: str) -> None:
    assert http.post("/threads/prune", json={"thread_ids": [chat]}).status_code == 403
    assert http.get(f"/chat/api/{chat}/documents").json()["total"] == 1
