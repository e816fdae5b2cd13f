"""Attachments become documents: none duplicated, none lost, none beyond the limits."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace
from email.message import EmailMessage
from pathlib import Path
from typing import Any

import psycopg
import pymupdf
import pytest

from integration.mails import mail
from orderly.errors import StorageFailed
from orderly.models import Caller
from orderly.services.ingestion.pipeline import Ingested
from orderly.services.ingestion.registration import FileIngestor
from orderly.store.blobs_local import LocalBlobs
from orderly.wiring.services import Operator, Services
from support.lease import LEASE

Add = Callable[[str, bytes], Awaitable[Ingested]]
LOGO = b"\x89PNG\r\n\x1a\nnot really"


def nested(depth: int) -> EmailMessage:
    message = mail("innermost", ("deep.txt", b"The deposit is 900 dollars."))
    for level in range(depth):
        message = mail(f"level {level}", message)
    return message


@pytest.fixture
def file_ingestor(operator: Operator) -> FileIngestor:
    return operator.file_ingestor


@pytest.fixture
def add(file_ingestor: FileIngestor, ada: Caller, matter: dict[str, Any], tmp_path: Path) -> Add:
    async def take(name: str, content: bytes) -> Ingested:
        (tmp_path / name).write_bytes(content)
        return await file_ingestor.add(ada, matter["id"], tmp_path / name)

    return take


@pytest.fixture
def listed(services: Services, ada: Caller, matter: dict[str, Any]) -> Callable[[], Awaitable[dict[str, dict[str, Any]]]]:
    async def names() -> dict[str, dict[str, Any]]:
        found = (await services.store.rpc(ada, "list_documents", {"matter_ref": matter["id"]}))["documents"]
        assert len({d["filename"] for d in found}) == len(found)
        return {d["filename"]: d for d in found}

    return names


Listed = Callable[[], Awaitable[dict[str, dict[str, Any]]]]


async def test_an_attachment_becomes_a_searchable_document(
    add: Add, listed: Listed, services: Services, ada: Caller, matter: dict[str, Any]
) -> None:
    message = mail("the lease", ("lease.txt", LEASE.encode()), ("old.doc", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600)))
    report = await add("mail.eml", message.as_bytes())
    assert [(a.filename, a.status) for a in report.attachments] == [("lease.txt", "ready"), ("old.doc", "unsupported")]
    found = await listed()
    assert found["lease.txt"]["attached_to"] == {"id": report.document_id, "filename": "mail.eml"}
    assert found["mail.eml"]["attached_to"] is None
    result = await services.library.search(ada, matter["id"], "insolvent lessee", 3)
    assert result.passages[0].document_name == "lease.txt"
    health = await services.library.health(ada, report.document_id)
    assert [(a["name"], a["outcome"], a["status"]) for a in health["attachments"]] == [
        ("lease.txt", "new", "ready"), ("old.doc", "new", "unsupported"),
    ]  # fmt: skip


async def test_a_file_embedded_in_a_pdf_becomes_a_document(add: Add, listed: Listed) -> None:
    with pymupdf.open() as pdf:
        pdf.new_page().insert_text((72, 72), "The annex is embedded in this file.")
        pdf.embfile_add("annex", LEASE.encode(), filename="annex.txt")
        data = pdf.tobytes()
    report = await add("letter.pdf", data)
    assert [a.filename for a in report.attachments] == ["annex.txt"]
    assert (await listed())["annex.txt"]["attached_to"]["filename"] == "letter.pdf"


async def test_the_same_content_is_one_document_however_often_it_is_attached(
    add: Add, listed: Listed, services: Services, ada: Caller
) -> None:
    first = await add("one.eml", mail("one", ("lease.txt", LEASE.encode()), ("copy of lease.txt", LEASE.encode())).as_bytes())
    second = await add("two.eml", mail("two", ("lease (2).txt", LEASE.encode())).as_bytes())
    assert set(await listed()) == {"one.eml", "two.eml", "lease.txt"}
    assert [(a.filename, a.duplicate) for a in second.attachments] == [("lease (2).txt", True)]
    [linked] = (await services.library.health(ada, second.document_id))["attachments"]
    assert linked["document_id"] == first.attachments[0].document_id
    assert linked["note"] == "the same content is in this matter already, as lease.txt"


async def test_reprocessing_the_carrier_duplicates_and_restores_no_attachment(
    add: Add, listed: Listed, file_ingestor: FileIngestor, services: Services, ada: Caller
) -> None:
    report = await add("mail.eml", mail("two", ("a.txt", b"Clause a."), ("b.txt", b"Clause b.")).as_bytes())
    before = await listed()
    await services.store.rpc(ada, "reprocess_document", {"document_id": report.document_id})
    await file_ingestor.finish(report.document_id)
    assert {n: d["id"] for n, d in (await listed()).items()} == {n: d["id"] for n, d in before.items()}
    await services.store.rpc(ada, "delete_document", {"document_id": before["a.txt"]["id"]})
    await services.store.rpc(ada, "reprocess_document", {"document_id": report.document_id})
    await file_ingestor.finish(report.document_id)
    assert set(await listed()) == {"mail.eml", "b.txt"}
    a, b = (await services.library.health(ada, report.document_id))["attachments"]
    assert "deleted by a person" in a["note"] and a["document_id"] is None
    assert b["status"] == "ready"


async def test_a_crash_before_publication_loses_and_duplicates_no_attachment(
    operator: Operator, ada: Caller, matter: dict[str, Any], tmp_path: Path, listed: Listed
) -> None:
    class Crash(BaseException):
        pass

    class CrashingBlobs(LocalBlobs):
        """Crashes while the second attachment is stored."""

        async def put(self, key: str, source: Path) -> None:
            if key.endswith("b.txt"):
                raise Crash
            await super().put(key, source)

    blobs = CrashingBlobs(operator.file_ingestor.settings.home / "files")
    dying = replace(operator.file_ingestor, blobs=blobs, ingestor=replace(operator.ingestor, blobs=blobs))
    (tmp_path / "mail.eml").write_bytes(mail("two", ("a.txt", b"Clause a."), ("b.txt", b"Clause b.")).as_bytes())
    with pytest.raises(Crash):
        await dying.add(ada, matter["id"], tmp_path / "mail.eml")
    half = await listed()
    assert (half["b.txt"]["status"], half["mail.eml"]["has_revision"]) == ("uploading", False)
    await operator.worker.rpc("rescue_documents", {"lease_seconds": 0})
    settings = operator.ingestor.settings.model_copy(update={"lease_seconds": 2})
    patient = replace(operator.file_ingestor, ingestor=replace(operator.ingestor, settings=settings))
    done = await patient.finish(half["mail.eml"]["id"])
    assert [(a.filename, a.status) for a in done.attachments] == [("a.txt", "ready"), ("b.txt", "ready")]
    assert {n: d["id"] for n, d in (await listed()).items()} == {n: d["id"] for n, d in half.items()}


async def test_a_storage_failure_of_an_attachment_fails_the_carrier(
    operator: Operator, ada: Caller, matter: dict[str, Any], tmp_path: Path, listed: Listed
) -> None:
    class FullBlobs(LocalBlobs):
        async def put(self, key: str, source: Path) -> None:
            if key.endswith("a.txt"):
                raise StorageFailed("The file storage is full.")
            await super().put(key, source)

    blobs = FullBlobs(operator.file_ingestor.settings.home / "files")
    full = replace(operator.file_ingestor, ingestor=replace(operator.ingestor, blobs=blobs))
    (tmp_path / "mail.eml").write_bytes(mail("one", ("a.txt", b"Clause a.")).as_bytes())
    report = await full.add(ada, matter["id"], tmp_path / "mail.eml")
    assert (report.status, report.reason) == ("failed", "The file storage is full.")
    assert set(await listed()) == {"mail.eml"}, "the attachment must not wait for its file forever"
    await operator.file_ingestor.store.rpc(ada, "reprocess_document", {"document_id": report.document_id})
    done = await operator.file_ingestor.finish(report.document_id)
    assert [(a.filename, a.status) for a in done.attachments] == [("a.txt", "ready")]


async def test_nested_mails_are_processed_to_the_depth_limit_and_the_rest_reported(
    file_ingestor: FileIngestor, operator: Operator, ada: Caller, matter: dict[str, Any], tmp_path: Path
) -> None:
    settings = file_ingestor.settings.model_copy(update={"max_attachment_depth": 2})
    shallow = replace(file_ingestor, ingestor=replace(operator.ingestor, settings=settings))
    (tmp_path / "chain.eml").write_bytes(nested(4).as_bytes())
    outer = await shallow.add(ada, matter["id"], tmp_path / "chain.eml")
    [first] = outer.attachments
    [second] = first.attachments
    assert (outer.status, first.status, second.status) == ("ready", "ready", "partial")
    assert "2 levels of files inside files are the limit" in second.reason
    assert second.attachments == ()


async def test_attachments_of_a_file_are_limited_and_the_rest_reported(
    file_ingestor: FileIngestor,
    operator: Operator,
    services: Services,
    ada: Caller,
    matter: dict[str, Any],
    tmp_path: Path,
    listed: Listed,
) -> None:
    settings = file_ingestor.settings.model_copy(update={"max_attachments": 3})
    narrow = replace(file_ingestor, ingestor=replace(operator.ingestor, settings=settings))
    inner = mail("inner", *((f"inner {n}.txt", f"Inner clause {n}.".encode()) for n in range(5)))
    (tmp_path / "many.eml").write_bytes(mail("outer", ("own.txt", b"Own clause."), inner).as_bytes())
    report = await narrow.add(ada, matter["id"], tmp_path / "many.eml")
    assert report.status == "ready"
    assert len(await listed()) == 1 + 3
    carried = report.attachments[1]
    assert carried.status == "partial" and carried.reason.startswith(
        "it has 5 files attached, and only 1 of them were taken in"
    )
    entries = (await services.library.health(ada, carried.document_id))["attachments"]
    assert [e["outcome"] for e in entries] == ["new", *["too many"] * 4]


async def test_attached_copies_of_an_existing_mail_are_that_document(
    add: Add, listed: Listed, file_ingestor: FileIngestor, services: Services, ada: Caller
) -> None:
    """Both attachments of the second mail have the content of the first mail."""
    inner = mail("inner", ("a.txt", b"Clause a."))
    first = await add("inner.eml", inner.as_bytes())
    outer = mail("outer", inner, ("again.eml", inner.as_bytes()))
    second = await add("outer.eml", outer.as_bytes())
    assert set(await listed()) == {"inner.eml", "a.txt", "outer.eml"}
    assert {a.document_id for a in second.attachments} == {first.document_id}


async def test_attachments_get_the_folder_and_group_of_their_carrier(
    operator: Operator,
    file_ingestor: FileIngestor,
    services: Services,
    ada: Caller,
    stranger: Caller,
    matter: dict[str, Any],
    tmp_path: Path,
    database_url: str,
) -> None:
    member = {"matter_ref": matter["id"], "member_email": "stranger@firm.example", "member_role": "owner"}
    await services.store.rpc(ada, "add_matter_member", member)
    (tmp_path / "mail.eml").write_bytes(mail("one", ("a.txt", b"Clause a.")).as_bytes())
    waiting = await file_ingestor.add(ada, matter["id"], tmp_path / "mail.eml", wait=False)
    with psycopg.connect(database_url) as db:
        group = db.execute("insert into groups (tenant_id, name) select id, 'Partners' from tenants returning id").fetchone()
        assert group is not None
        db.execute("insert into group_members values (%s, %s)", (group[0], ada.user_id))
        folder = db.execute("insert into folders (matter_id, name) values (%s, 'F') returning id", (matter["id"],)).fetchone()
        assert folder is not None
        db.execute("update documents set group_id = %s, folder_id = %s", (group[0], folder[0]))
    report = await file_ingestor.finish(waiting.document_id)
    child = await services.store.rpc(ada, "get_document", {"document_id": report.attachments[0].document_id})
    assert child["folder_id"] == str(folder[0])
    listing = await services.store.rpc(stranger, "list_documents", {"matter_ref": matter["id"]})
    assert listing["documents"] == []
    await services.store.rpc(ada, "delete_document", {"document_id": report.document_id})
    assert len(await services.library.receipts(ada, matter["id"])) == 2
    assert await services.library.receipts(stranger, matter["id"]) == []
