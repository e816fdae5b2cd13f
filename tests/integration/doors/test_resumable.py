"""Resumable uploads over the tus protocol, interrupted at any byte."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import os
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import replace
from typing import Any

import httpx
import pytest

from integration.doors.conftest import SignedIn, wait_until_read
from orderly.api import background
from orderly.models import Caller
from orderly.services.ingestion import Upload, Uploads
from orderly.settings import Settings
from orderly.wiring.services import Services
from support.lease import LEASE

TUS = {"Tus-Resumable": "1.0.0"}
BODY = {**TUS, "Content-Type": "application/offset+octet-stream"}
DATA = LEASE.encode()


@pytest.fixture
def settings(settings: Settings) -> Settings:
    return settings.model_copy(update={"max_file_mb": 1, "max_open_uploads": 3})


def metadata(**values: str) -> str:
    return ",".join(f"{key} {base64.b64encode(value.encode()).decode()}" for key, value in values.items())


@pytest.fixture
def begin(http: httpx.AsyncClient, matter: dict[str, Any]) -> Callable[..., Awaitable[str]]:
    """`await begin(size)` returns the URL of a new upload."""

    async def create(size: int, **values: str) -> str:
        named = metadata(**{"filename": "lease.txt", "matter_id": matter["number"], **values})
        answer = await http.post("/api/uploads", headers={**TUS, "Upload-Length": str(size), "Upload-Metadata": named})
        assert (answer.status_code, answer.headers["tus-resumable"]) == (201, "1.0.0"), answer.text
        assert answer.headers["upload-expires"].endswith("GMT")
        return answer.headers["location"]

    return create


def at(offset: int, **more: str) -> dict[str, str]:
    return {**BODY, "Upload-Offset": str(offset), **more}


async def test_the_servers_capabilities_are_public(address: str) -> None:
    async with httpx.AsyncClient(base_url=address) as anyone:
        told = (await anyone.options("/api/uploads")).headers
    assert (told["tus-version"], told["tus-max-size"]) == ("1.0.0", str(1 << 20))
    assert set(told["tus-extension"].split(",")) >= {
        "creation",
        "creation-with-upload",
        "termination",
        "checksum",
        "expiration",
    }
    assert {"sha1", "sha256"} <= set(told["tus-checksum-algorithm"].split(","))


async def test_an_upload_in_pieces_becomes_a_document(http: httpx.AsyncClient, begin: Callable[..., Awaitable[str]]) -> None:
    upload = await begin(len(DATA))
    for start in range(0, len(DATA), 300):
        piece = DATA[start : start + 300]
        head = await http.head(upload, headers=TUS)
        assert (head.headers["upload-offset"], head.headers["upload-length"]) == (str(start), str(len(DATA)))
        assert head.headers["cache-control"] == "no-store"
        sent = await http.patch(upload, content=piece, headers=at(start))
        assert (sent.status_code, sent.headers["upload-offset"]) == (204, str(start + len(piece)))
    document = await wait_until_read(http, sent.headers["orderly-document-id"])
    assert (document["status"], document["filename"], document["size_bytes"]) == ("ready", "lease.txt", len(DATA))
    missed = await http.head(upload, headers=TUS)
    assert missed.headers["upload-offset"] == str(len(DATA)), (
        "a client that missed the last reply must see that the upload is complete"
    )
    assert missed.headers["orderly-document-id"] == document["id"]
    assert (await http.get(upload)).json()["document_id"] == document["id"]
    again = await begin(len(DATA))
    twice = await http.patch(again, content=DATA, headers=at(0))
    assert (twice.headers["orderly-document-id"], twice.headers["orderly-duplicate"]) == (document["id"], "true")


async def test_an_upload_interrupted_at_any_byte_resumes_there(
    address: str, http: httpx.AsyncClient, begin: Callable[..., Awaitable[str]], services: Services
) -> None:
    data = os.urandom(300_000)
    upload = await begin(len(data), filename="noise.bin")
    host, _, port = address.removeprefix("http://").partition(":")
    offset = 0
    hanging: list[asyncio.StreamWriter] = []
    for cut in (1, 70_000, 70_001, 200_000):
        reader, writer = await asyncio.open_connection(host, int(port))
        head = (
            f"PATCH {upload} HTTP/1.1\r\nHost: {host}\r\nAuthorization: {http.headers['authorization']}\r\n"
            f"Tus-Resumable: 1.0.0\r\nContent-Type: application/offset+octet-stream\r\nUpload-Offset: {offset}\r\n"
            f"Content-Length: {len(data) - offset}\r\n\r\n"
        )
        writer.write(head.encode() + data[offset:cut])
        await writer.drain()
        await asyncio.sleep(0.2)
        hanging.append(writer)
        if cut != 70_001:  # this connection stays open: the client resumes over another one
            writer.close()
            await asyncio.sleep(0.1)
        offset = int((await http.head(upload, headers=TUS)).headers["upload-offset"])
        assert offset == cut
        del reader
    for writer in hanging:
        writer.close()
        with suppress(ConnectionError):
            await writer.wait_closed()
    # A restart loses the digests of received bytes.
    services.uploads._digests.clear()
    sent = await http.patch(upload, content=data[offset:], headers=at(offset))
    assert sent.status_code == 204, sent.text
    link = (await http.post(f"/api/documents/{sent.headers['orderly-document-id']}/link")).json()["url"]
    assert (await http.get(link)).content == data


async def test_a_piece_with_a_wrong_checksum_is_discarded(
    http: httpx.AsyncClient, begin: Callable[..., Awaitable[str]]
) -> None:
    upload = await begin(len(DATA))

    def checksum(algorithm: str, piece: bytes) -> str:
        return f"{algorithm} {base64.b64encode(hashlib.new(algorithm, piece).digest()).decode()}"

    right = await http.patch(upload, content=DATA[:200], headers=at(0, **{"Upload-Checksum": checksum("sha1", DATA[:200])}))
    assert right.headers["upload-offset"] == "200"
    wrong = await http.patch(
        upload, content=DATA[200:300], headers=at(200, **{"Upload-Checksum": checksum("sha256", b"other")})
    )
    assert wrong.status_code == 460
    for odd in ("crc32 AAAA", "sha1 no base64!", "sha1"):
        answer = await http.patch(upload, content=DATA[200:300], headers=at(200, **{"Upload-Checksum": odd}))
        assert answer.status_code in (400, 460), odd
    assert (await http.head(upload, headers=TUS)).headers["upload-offset"] == "200"
    rest = await http.patch(upload, content=DATA[200:], headers=at(200, **{"Upload-Checksum": checksum("md5", DATA[200:])}))
    assert (await wait_until_read(http, rest.headers["orderly-document-id"]))["status"] == "ready"


async def test_violations_of_protocol_and_limits_are_refused(
    http: httpx.AsyncClient, begin: Callable[..., Awaitable[str]], matter: dict[str, Any]
) -> None:
    named = {"Upload-Metadata": metadata(filename="a.txt", matter_id=matter["id"])}
    for headers, status in (
        ({"Upload-Length": "5", **named}, 412),
        ({**TUS, **named}, 400),
        ({**TUS, "Upload-Length": "-5", **named}, 400),
        ({**TUS, "Upload-Length": "5", "Upload-Metadata": "filename %%%"}, 400),
        ({**TUS, "Upload-Length": "5", "Upload-Metadata": metadata(filename="a.txt")}, 422),
        ({**TUS, "Upload-Length": "5", "Upload-Metadata": metadata(matter_id=matter["id"], if_exists="what")}, 422),
        ({**TUS, "Upload-Length": str((1 << 20) + 1), **named}, 413),
        ({**TUS, "Upload-Length": "5", "Upload-Metadata": metadata(filename="a", matter_id="M-1999-001")}, 404),
    ):
        answer = await http.post("/api/uploads", headers=headers)
        assert (answer.status_code, answer.headers["content-type"]) == (status, "application/problem+json"), (
            headers,
            answer.text,
        )
    upload = await begin(10)
    for headers, body, status in (
        ({**at(0), "Content-Type": "text/plain"}, b"a", 415),
        (BODY, b"a", 400),
        (at(3), b"a", 409),
        (at(0), b"a" * 11, 422),
    ):
        assert (await http.patch(upload, content=body, headers=headers)).status_code == status, headers
    assert (await http.head(upload, headers=TUS)).headers["upload-offset"] == "0"
    await begin(1)
    await begin(1)
    full = await http.post("/api/uploads", headers={**TUS, "Upload-Length": "5", **named})
    assert (full.status_code, "unfinished" in full.json()["detail"]) == (409, True)


async def test_a_part_of_a_file_is_not_taken_for_a_file(http: httpx.AsyncClient, matter: dict[str, Any]) -> None:
    named = metadata(filename="lease.txt", matter_id=matter["number"])
    parts = {**TUS, "Upload-Length": "6", "Upload-Metadata": named, "Upload-Concat": "partial"}
    answer = await http.post("/api/uploads", headers=parts)
    assert answer.status_code == 400 and "one upload" in answer.json()["detail"]


async def test_an_upload_can_be_sent_at_creation_deferred_or_aborted(
    http: httpx.AsyncClient, begin: Callable[..., Awaitable[str]], matter: dict[str, Any], settings: Settings
) -> None:
    named = {"Upload-Metadata": metadata(filename="a.txt", matter_id=matter["id"])}
    at_once = await http.post("/api/uploads", content=DATA, headers={**BODY, "Upload-Length": str(len(DATA)), **named})
    assert (at_once.status_code, at_once.headers["upload-offset"]) == (201, str(len(DATA)))
    assert at_once.headers["orderly-document-id"]
    deferred = await http.post("/api/uploads", headers={**TUS, "Upload-Defer-Length": "1", **named})
    upload = deferred.headers["location"]
    assert (await http.head(upload, headers=TUS)).headers["upload-defer-length"] == "1"
    await http.patch(upload, content=b"ab", headers=at(0))
    done = await http.patch(upload, content=b"cd", headers=at(2, **{"Upload-Length": "4"}))
    assert done.headers["orderly-document-id"]
    upload = await begin(100)
    assert (await http.delete(upload, headers=TUS)).status_code == 204
    assert (await http.head(upload, headers=TUS)).status_code == 404
    assert not (settings.home / "uploads" / upload.rpartition("/")[2]).exists()


async def test_an_upload_belongs_to_its_owner_and_needs_the_right_to_add_documents(
    http: httpx.AsyncClient,
    colleague: httpx.AsyncClient,
    begin: Callable[..., Awaitable[str]],
    services: Services,
    ada: Caller,
    matter: dict[str, Any],
    signed_in: SignedIn,
    make_user: Callable[..., Awaitable[Caller]],
) -> None:
    upload = await begin(len(DATA))
    missing = "/api/uploads/" + "0" * 32
    for method in ("HEAD", "PATCH", "DELETE", "GET"):
        answers = [await colleague.request(method, path, headers=at(0)) for path in (upload, missing, "/api/uploads/..%2f..")]
        assert {a.status_code for a in answers} == {404}, method
    named = {"Upload-Metadata": metadata(filename="a.txt", matter_id=matter["id"])}
    assert (await colleague.post("/api/uploads", headers={**TUS, "Upload-Length": "5", **named})).status_code == 404
    vic = await make_user("vic@firm.example")
    member = {"matter_ref": matter["id"], "member_email": "vic@firm.example"}
    await services.store.rpc(ada, "add_matter_member", {**member, "member_role": "viewer"})
    viewer = await signed_in(vic)
    assert (await viewer.post("/api/uploads", headers={**TUS, "Upload-Length": "5", **named})).status_code == 403
    await services.store.rpc(ada, "add_matter_member", {**member, "member_role": "editor"})
    theirs = (await viewer.post("/api/uploads", headers={**TUS, "Upload-Length": "5", **named})).headers["location"]
    await services.store.rpc(ada, "remove_matter_member", member)
    late = await viewer.patch(theirs, content=b"words", headers=at(0))
    assert late.status_code == 404, "a user who lost access in the meantime must not add a document"
    assert (await http.get(f"/api/matters/{matter['id']}/documents")).json() == []


async def test_a_duplicate_is_reported_and_the_bytes_are_kept_until_the_choice(
    http: httpx.AsyncClient, begin: Callable[..., Awaitable[str]], matter: dict[str, Any]
) -> None:
    first = (await http.post(f"/api/matters/{matter['id']}/documents", files={"file": ("lease.txt", DATA)})).json()["id"]
    upload = await begin(len(DATA), if_exists="ask")
    asked = await http.patch(upload, content=DATA, headers=at(0))
    assert (asked.status_code, asked.json()["type"]) == (409, "urn:orderly:already-there")
    assert asked.json()["existing"]["same_content"]["id"] == first
    assert (await http.get(upload)).json()["refused"]
    kept = (await http.post(f"{upload}/finish", params={"if_exists": "keep"})).json()
    assert kept["document_id"] not in (None, first)
    assert (await http.post(f"{await begin(9)}/finish")).status_code == 409


@pytest.fixture
def frequent_sweeps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Makes the server sweep expired uploads every 0.1 s. Request this fixture before the server's."""
    monkeypatch.setattr(background, "SWEEP_SECONDS", 0.1)


async def test_the_server_finishes_complete_uploads_and_deletes_expired_ones(
    frequent_sweeps: None,
    http: httpx.AsyncClient,
    begin: Callable[..., Awaitable[str]],
    services: Services,
    settings: Settings,
    ada: Caller,
) -> None:
    folder = settings.home / "uploads"
    whole = await begin(len(DATA))
    # The server died after the last byte and before it registered the document.
    (folder / whole.rpartition("/")[2] / "data").write_bytes(DATA)
    head = await http.head(whole, headers=TUS)
    assert (await wait_until_read(http, head.headers["orderly-document-id"]))["status"] == "ready"
    old = await begin(50)
    info = folder / old.rpartition("/")[2] / "info.json"
    found = await services.uploads.find(ada.user_id, info.parent.name)
    await services.uploads.update(replace(found, expires=1))
    assert (await http.head(old, headers=TUS)).status_code == 404
    async with asyncio.timeout(10):
        while info.exists():
            await asyncio.sleep(0.05)


async def test_requests_that_come_while_another_registers_the_file_are_answered_as_after_it(
    http: httpx.AsyncClient,
    begin: Callable[..., Awaitable[str]],
    services: Services,
    ada: Caller,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    upload = await begin(len(DATA))
    before = await services.uploads.find(ada.user_id, upload.rpartition("/")[2])
    document = (await http.patch(upload, content=DATA, headers=at(0))).headers["orderly-document-id"]
    find = Uploads.find
    stale: list[Upload] = []

    async def found_before(self: Uploads, owner: str, id: str) -> Upload:
        return stale.pop() if stale else await find(self, owner, id)

    monkeypatch.setattr(Uploads, "find", found_before)

    async def sent(method: str, path: str, **given: Any) -> httpx.Response:
        stale.append(before)
        return await http.request(method, path, **given)

    head = await sent("HEAD", upload, headers=TUS)
    assert (head.status_code, head.headers["orderly-document-id"]) == (200, document)
    assert (await sent("PATCH", upload, content=DATA, headers=at(0))).status_code == 409, "the client asks for the offset"
    assert (await sent("PATCH", upload, content=b"more", headers=at(len(DATA)))).status_code == 422
    assert (await sent("GET", upload)).json()["offset"] == len(DATA)
    assert (await sent("POST", f"{upload}/finish")).json()["document_id"] == document
