"""The files of chats with stock clients, and what a killed server leaves: uploads go on, the store is whole."""

from __future__ import annotations

import base64
import io
import os
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest
from tusclient.client import TusClient

from support.installation import Office, Server, started
from support.lease import LEASE

pytestmark = pytest.mark.server


@pytest.fixture(scope="module")
def doomed(office: Office) -> started:
    """A server that the last test kills."""
    return started(office, {"ORDERLY_MAX_CHAT_FILES": "2", "ORDERLY_MAX_CHAT_CHARACTERS": "1000"})


@pytest.fixture(scope="module")
def server(doomed: started) -> Iterator[Server]:
    with doomed as running:
        yield running


def client(server: Server, token: str) -> httpx.Client:
    return httpx.Client(base_url=server.url, headers={"Authorization": f"Bearer {token}"}, timeout=60)


def until(http: httpx.Client, chat: str, count: int) -> dict[str, dict[str, Any]]:
    """Waits until `count` documents of the chat are processed; returns them by name."""
    deadline = time.monotonic() + 60
    while True:
        listed = http.get(f"/chat/api/{chat}/documents").json()
        done = [d for d in listed["documents"] if d["status"] in ("processed", "error")]
        if len(done) == count:
            return {d["filename"]: d for d in listed["documents"]}
        assert time.monotonic() < deadline, listed
        time.sleep(0.2)


def test_the_files_of_a_chat_are_listed_and_deleted_as_chat_frontends_expect(office: Office, server: Server) -> None:
    with client(server, office.token) as http, client(server, office.colleague_token) as colleague:
        chat, other = [http.post("/threads", json={}).json()["thread_id"] for _ in range(2)]
        at = f"/chat/api/{chat}/documents"
        assert http.get(at).json() == {"documents": [], "total": 0}
        sent = http.post(at, files={"file": ("lease.txt", LEASE[:600].encode())})
        assert sent.status_code == 201, sent.text
        assert sent.json()["status"] == "processing"
        with http.stream("GET", f"/chat/api/{chat}/events") as events:
            assert any('"status": "ready"' in line for line in events.iter_lines()), "the stream ended before the file was read"
        answer = http.post(at, files={"file": ("long.md", (LEASE * 3).encode())})
        assert answer.status_code == 201, answer.text
        long = answer.json()
        found = until(http, chat, 2)
        assert found["lease.txt"] == {
            "artifact_id": sent.json()["artifact_id"], "filename": "lease.txt", "size": len(LEASE[:600].encode()),
            "type": "text/plain", "uploaded_at": found["lease.txt"]["uploaded_at"], "status": "processed",
        }  # fmt: skip
        assert found["lease.txt"]["uploaded_at"].endswith("Z")
        assert found["long.md"]["status"] == "processed"
        assert "1,000" in found["long.md"]["reason"], "the reason must name the limit"
        full = http.post(at, files={"file": ("third.txt", b"One file too many.")})
        assert (full.status_code, full.json()["type"]) == (409, "urn:orderly:chat-full")
        named = ",".join(
            f"{k} {base64.b64encode(v.encode()).decode()}" for k, v in {"filename": "3.txt", "chat_id": chat}.items()
        )
        begun = http.post("/api/uploads", headers={"Tus-Resumable": "1.0.0", "Upload-Length": "10", "Upload-Metadata": named})
        assert (begun.status_code, begun.json()["type"]) == (409, "urn:orderly:chat-full"), "before any byte is sent"
        assert begun.json()["detail"] == full.json()["detail"]
        assert http.get(at).json()["total"] == 2

        missing = "4f9d0c6e-0000-4000-8000-000000000000"
        answers = {person: person.get(f"/chat/api/{chat}/documents") for person in (colleague,)}
        made_up = colleague.get(f"/chat/api/{missing}/documents")
        for answer in answers.values():
            assert (answer.status_code, answer.json()["detail"].replace(chat, missing)) == (404, made_up.json()["detail"])
        assert colleague.post(at, files={"file": ("a.txt", b"words")}).status_code == 404
        assert http.get(f"/chat/api/{other}/documents").json()["total"] == 0
        stray = http.delete(f"/chat/api/{other}/documents/{long['artifact_id']}")
        assert stray.status_code == 404, "another chat must not reach the document"
        assert http.get(f"/api/documents/{long['artifact_id']}").status_code == 404
        assert http.get(f"/api/documents/{long['artifact_id']}", params={"chat": other}).status_code == 404
        assert http.get(f"/api/documents/{long['artifact_id']}", params={"chat": chat}).status_code == 200
        assert colleague.get(f"/api/documents/{long['artifact_id']}", params={"chat": chat}).status_code == 404
        in_matter = http.delete(f"{at}/{office.document_id}")
        assert in_matter.status_code == 404, "a chat must not reach a matter's document"

        gone = http.delete(f"{at}/{long['artifact_id']}")
        assert gone.json() == {"deleted": True, "artifact_id": long["artifact_id"]}
        assert [d["filename"] for d in http.get(at).json()["documents"]] == ["lease.txt"]

        coming = TusClient(f"{server.url}/api/uploads", headers=dict(http.headers)).uploader(
            file_stream=io.BytesIO(LEASE.encode()), chunk_size=100,
            metadata={"filename": "lease2.txt", "chat_id": chat, "filetype": "text/plain"},
        )  # fmt: skip
        coming.upload_chunk()
        on_its_way = http.get(at).json()["documents"][-1]
        assert (on_its_way["filename"], on_its_way["status"], on_its_way["type"]) == ("lease2.txt", "uploading", "text/plain")
        promised = http.post(
            "/api/uploads", headers={"Tus-Resumable": "1.0.0", "Upload-Length": "10", "Upload-Metadata": named}
        )
        assert (promised.status_code, promised.json()["type"]) == (409, "urn:orderly:chat-full"), "the last place is taken"
        coming.upload()
        assert until(http, chat, 2)["lease2.txt"]["status"] == "processed"


def answer(server: Server, office: Office) -> str:
    question = {"messages": [{"role": "user", "content": "Which law governs the lease?"}]}
    run = {"assistant_id": "orderly", "input": question, "context": {"matter_id": office.matter}}
    with client(server, office.token) as http:
        return http.post("/runs/wait", json=run).text


def test_after_a_kill_uploads_go_on_and_the_command_line_and_a_new_server_read_the_store(
    office: Office, doomed: started, server: Server
) -> None:
    data = os.urandom(3_000_000)
    path = office.installation.home / "noise.bin"
    path.write_bytes(data)
    headers = {"Authorization": f"Bearer {office.token}"}
    metadata = {"filename": "noise.bin", "matter_id": office.matter}
    with ThreadPoolExecutor() as beside:
        asked = beside.submit(answer, server, office)
        assert "lease.txt" in office.installation.run("list", office.matter).stdout, "beside the server"
    assert "New South Wales" in asked.result()
    with path.open("rb") as file:
        uploader = TusClient(f"{server.url}/api/uploads", headers=headers).uploader(
            file_stream=file, chunk_size=700_000, metadata=metadata, upload_checksum=True
        )
        uploader.upload(stop_at=1_400_000)
        place = uploader.url.removeprefix(server.url)
        doomed.kill()
    assert "lease.txt" in office.installation.run("list", office.matter).stdout, "without it"
    with path.open("rb") as file, started(office, {}) as again, client(again, office.token) as http:
        resumed = TusClient(f"{again.url}/api/uploads", headers=headers).uploader(
            file_stream=file, chunk_size=700_000, url=f"{again.url}{place}", upload_checksum=True
        )
        assert resumed.offset == 1_400_000
        resumed.upload()
        became = http.get(place).json()
        assert became["offset"] == len(data)
        link = http.post(f"/api/documents/{became['document_id']}/link").json()["url"]
        assert http.get(link).content == data
        assert "New South Wales" in answer(again, office)
