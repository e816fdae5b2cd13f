"""Uploads over HTTP that the server itself processes."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import psycopg
import pytest
from fastapi import Request

from integration.doors.conftest import SignedIn, wait_until_read
from orderly.api.multipart import receive_file
from orderly.jobs.polling import process_due_documents
from orderly.models import Caller
from orderly.services.files import Spool
from orderly.settings import Settings
from orderly.wiring.services import Operator, Services
from support.lease import LEASE


@pytest.fixture
def settings(settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    (tmp_path / "tmp").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "tmp"))
    return settings.model_copy(update={"max_file_mb": 1})


@pytest.fixture
def documents(matter: dict[str, Any]) -> str:
    return f"/api/matters/{matter['number']}/documents"


def named(name: str, content: str = LEASE) -> dict[str, Any]:
    return {"file": (name, content.encode())}


async def test_an_uploaded_file_is_processed_by_the_server_and_answers_questions(
    http: httpx.AsyncClient, documents: str
) -> None:
    answer = await http.post(documents, files=named("C:\\leases\\Mietvertrag für Köln.txt"))
    assert answer.status_code == 201, answer.text
    document = answer.json()
    assert (document["filename"], document["duplicate"], document["size_bytes"]) == (
        "Mietvertrag für Köln.txt", False, len(LEASE.encode()),
    )  # fmt: skip
    assert (await wait_until_read(http, document["id"]))["status"] == "ready"
    found = await http.post(f"/api/documents/{document['id']}/extract", json={"question": "Which law governs?"})
    assert "New South Wales" in found.json()["answer"]["text"]


async def test_a_duplicate_is_skipped_kept_replaced_or_reported(http: httpx.AsyncClient, documents: str) -> None:
    first = (await http.post(documents, files=named("lease.txt"))).json()
    await wait_until_read(http, first["id"])
    again = await http.post(documents, files=named("copy.txt"))
    assert (again.status_code, again.json()["id"], again.json()["duplicate"]) == (200, first["id"], True)
    assert again.json()["note"] == "lease.txt"

    asked = await http.post(documents, files=named("copy.txt"), params={"if_exists": "ask"})
    assert (asked.status_code, asked.json()["type"]) == (409, "urn:orderly:already-there")
    assert asked.json()["existing"]["same_content"]["id"] == first["id"]
    asked = await http.post(documents, files=named("Lease.TXT", "Other words."), params={"if_exists": "ask"})
    assert asked.json()["existing"]["same_name"]["id"] == first["id"]
    assert asked.json()["existing"]["same_content"] is None
    assert len((await http.get(documents)).json()) == 1

    newer = await http.post(documents, files=named("lease.txt", LEASE + "6. More"), params={"if_exists": "new_version"})
    assert newer.json()["id"] == first["id"]
    kept = await http.post(documents, files=named("lease.txt", LEASE + "6. More"), params={"if_exists": "keep"})
    assert (kept.status_code, kept.json()["id"] != first["id"]) == (201, True)
    asked = await http.post(documents, files=named("new.txt", "New words."), params={"if_exists": "ask"})
    assert asked.status_code == 201
    other = await http.post(documents, files=named("other.txt", "Amended."), params={"version_of": first["id"]})
    assert other.json()["id"] == first["id"]


@pytest.mark.parametrize("same", ["content", "name"])
async def test_of_concurrent_uploads_that_ask_only_one_is_taken(http: httpx.AsyncClient, documents: str, same: str) -> None:
    for n in range(5):
        files = [
            named(f"copy {n}.{k}.txt", f"Words {n}.") if same == "content" else named(f"lease {n}.txt", f"Words {n}.{k}")
            for k in range(4)
        ]
        replies = await asyncio.gather(*(http.post(documents, files=file, params={"if_exists": "ask"}) for file in files))
        assert sorted(reply.status_code for reply in replies) == [201, 409, 409, 409]
        existing = [reply.json()["existing"] for reply in replies if reply.status_code == 409]
        taken = next(reply.json()["id"] for reply in replies if reply.status_code == 201)
        assert {found[f"same_{same}"]["id"] for found in existing} == {taken}


@pytest.mark.parametrize("announced", [True, False])
async def test_a_file_over_the_size_limit_is_refused_with_its_own_error(
    http: httpx.AsyncClient, documents: str, announced: bool, tmp_path: Path
) -> None:
    head = b'--x\r\nContent-Disposition: form-data; name="file"; filename="big.txt"\r\n\r\n'
    body = head + b"a" * (1 << 20) + b"b\r\n--x--\r\n"
    padded = body.replace(b"b\r\n--x--", b"b" * 100_000 + b"\r\n--x--")

    async def blocks() -> AsyncIterator[bytes]:
        for at in range(0, len(body), 1 << 16):
            yield body[at : at + (1 << 16)]

    headers = {"content-type": "multipart/form-data; boundary=x"}
    answer = await http.post(documents, content=padded if announced else blocks(), headers=headers)
    assert (answer.status_code, answer.json()["type"]) == (413, "urn:orderly:file-too-large")
    assert "1 MB" in answer.json()["detail"]
    assert (await http.get(documents)).json() == []
    assert list((tmp_path / "tmp").iterdir()) == []


async def test_an_interrupted_upload_leaves_nothing(
    address: str, http: httpx.AsyncClient, documents: str, tmp_path: Path
) -> None:
    host, _, port = address.removeprefix("http://").partition(":")
    for body, length in ((b'--x\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\nHalf of it', 900),):
        reader, writer = await asyncio.open_connection(host, int(port))
        head = (
            f"POST {documents} HTTP/1.1\r\nHost: {host}\r\nAuthorization: {http.headers['authorization']}\r\n"
            f"Content-Type: multipart/form-data; boundary=x\r\nContent-Length: {length}\r\n\r\n"
        )
        writer.write(head.encode() + body)
        await writer.drain()
        await asyncio.sleep(0.2)
        writer.close()
        await writer.wait_closed()
        del reader
    headers = {"content-type": "multipart/form-data; boundary=x"}
    cut = b'--x\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\nThe closing boundary is missing'
    assert (await http.post(documents, content=cut, headers=headers)).status_code == 422
    async with asyncio.timeout(5):
        while list((tmp_path / "tmp").iterdir()):
            await asyncio.sleep(0.05)
    assert (await http.get(documents)).json() == []


async def test_a_request_without_exactly_one_file_is_refused(http: httpx.AsyncClient, documents: str) -> None:
    form = {"content-type": "multipart/form-data; boundary=x"}
    part = b'--x\r\nContent-Disposition: form-data; name="file"; filename="%s"\r\n\r\na\r\n'
    for headers, body in (
        ({"content-type": "application/json"}, b"{}"),
        ({"content-type": "multipart/form-data"}, b""),
        (form, b"no form"),
        (form, b"--x--\r\n"),
        (form, part % b" / " + b"--x--\r\n"),
        (form, part % b"a.txt" * 2 + b"--x--\r\n"),
        (form, (part % b"a.txt").replace(b'name="file"', b'name="other"') + b"--x--\r\n"),
    ):
        answer = await http.post(documents, content=body, headers=headers)
        assert (answer.status_code, answer.headers["content-type"]) == (422, "application/problem+json"), (body, answer.text)
    assert (await http.get(documents)).json() == []


async def test_a_caller_without_the_right_to_add_is_refused_before_the_file_is_read(  # noqa: PLR0917
    http: httpx.AsyncClient,
    colleague: httpx.AsyncClient,
    services: Services,
    ada: Caller,
    matter: dict[str, Any],
    documents: str,
    signed_in: SignedIn,
    make_user: Callable[..., Awaitable[Caller]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    received: list[str] = []

    async def noting(request: Request, spool: Spool) -> None:
        received.append(request.url.path)
        await receive_file(request, spool)

    monkeypatch.setattr("orderly.api.routes.uploads.receive_file", noting)
    viewer = await make_user("vic@firm.example")
    member = {"matter_ref": matter["id"], "member_email": "vic@firm.example", "member_role": "viewer"}
    await services.store.rpc(ada, "add_matter_member", member)
    assert (await (await signed_in(viewer)).post(documents, files=named("a.txt"))).status_code == 403
    stranger = await colleague.post(documents, files=named("a.txt"))
    missing = await colleague.post(documents.replace(matter["number"], "M-1999-001"), files=named("a.txt"))
    assert stranger.status_code == missing.status_code == 404
    assert received == []
    assert stranger.json()["detail"].replace(matter["number"], "M-1999-001") == missing.json()["detail"]
    wrong_folder = await http.post(documents, files=named("a.txt"), params={"folder_id": matter["id"]})
    assert wrong_folder.status_code == 404
    assert (await http.get(documents)).json() == []


async def test_the_server_polls_for_queued_documents_without_a_queue_connection(
    services: Services, operator: Operator, settings: Settings, ada: Caller, matter: dict[str, Any], tmp_path: Path
) -> None:
    """Supabase may be reachable over HTTP only."""
    (tmp_path / "lease.txt").write_text(LEASE)
    waiting = await operator.file_ingestor.add(ada, matter["id"], tmp_path / "lease.txt", wait=False)
    assert waiting.status == "queued"
    reading = asyncio.create_task(process_due_documents(replace(operator, queue_url=None), settings))
    async with asyncio.timeout(20):
        while (await services.store.rpc(ada, "get_document", {"document_id": waiting.document_id}))["status"] != "ready":
            await asyncio.sleep(0.05)
    reading.cancel()
    await asyncio.gather(reading, return_exceptions=True)


async def test_people_take_turns_where_the_server_polls(
    services: Services,
    operator: Operator,
    settings: Settings,
    ada: Caller,
    matter: dict[str, Any],
    stranger: Caller,
    tmp_path: Path,
    database_url: str,
) -> None:
    theirs = await services.store.rpc(stranger, "create_matter", {"title": "Another"})
    for number, (caller, wanted) in enumerate([(ada, matter)] * 3 + [(stranger, theirs)]):
        # The colleague's file is the longest, so that only the turn brings it forward.
        (tmp_path / f"{number}.txt").write_text(f"Number {number}. " * (10 + number) + LEASE)
        await operator.file_ingestor.add(caller, wanted["id"], tmp_path / f"{number}.txt", wait=False)
    reading = asyncio.create_task(process_due_documents(replace(operator, queue_url=None), settings))
    in_order = "select d.filename from document_revisions r join documents d on d.id = r.document_id order by r.created_at"
    async with asyncio.timeout(30), await psycopg.AsyncConnection.connect(database_url, autocommit=True) as admin:
        while len(read := await (await admin.execute(in_order)).fetchall()) < 4:
            await asyncio.sleep(0.05)
    reading.cancel()
    await asyncio.gather(reading, return_exceptions=True)
    assert ("3.txt",) in read[:2]
