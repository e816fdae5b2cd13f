"""Deletion, holds, receipts, and retries of file deletions that storage refuses."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import psycopg
import pytest

from integration.mails import mail
from orderly.errors import Conflict, Denied, StorageFailed
from orderly.models import Caller
from orderly.services.governance.purge import purge
from orderly.services.ingestion.pipeline import Ingested
from orderly.store.blobs_local import LocalBlobs
from orderly.wiring.services import Operator, Services
from support.files_left import files_below
from support.lease import LEASE

Add = Callable[[str, bytes], Awaitable[Ingested]]
TABLES = ("documents", "document_files", "document_revisions", "document_pages", "sections", "chunks", "chunk_embeddings",
          "citations", "attachment_links", "private.blob_deletions")  # fmt: skip


@pytest.fixture
def add(operator: Operator, ada: Caller, matter: dict[str, Any], tmp_path: Path) -> Add:
    async def take(name: str, content: bytes) -> Ingested:
        (tmp_path / name).write_bytes(content)
        return await operator.file_ingestor.add(ada, matter["id"], tmp_path / name)

    return take


@pytest.fixture
def names(services: Services, ada: Caller, matter: dict[str, Any]) -> Callable[[], Awaitable[set[str]]]:
    async def listed() -> set[str]:
        found = (await services.store.rpc(ada, "list_documents", {"matter_ref": matter["id"]}))["documents"]
        return {d["filename"] for d in found}

    return listed


def left_over(database_url: str) -> dict[str, int]:
    with psycopg.connect(database_url) as db:
        counts = {t: db.execute(f"select count(*) from {t}").fetchone() for t in TABLES}
    return {t: row[0] for t, row in counts.items() if row and row[0]}


def stored(services: Services) -> list[Path]:
    return files_below(services.settings.home / "files")


async def test_a_document_is_deleted_with_versions_and_attachments_and_leaves_receipts(
    add: Add, operator: Operator, services: Services, ada: Caller, matter: dict[str, Any], tmp_path: Path, database_url: str
) -> None:
    report = await add("mail.eml", mail("one", ("lease.txt", LEASE.encode())).as_bytes())
    (tmp_path / "mail.eml").write_bytes(mail("two", ("b.txt", b"Clause b.")).as_bytes())
    await operator.file_ingestor.add(ada, matter["id"], tmp_path / "mail.eml", on_duplicate="new_version")
    revision = (await services.store.rpc(ada, "get_document", {"document_id": report.document_id}))["revision"]["id"]
    span = {"document_id": report.document_id, "revision_id": revision, "start": 0, "end": 4}
    await services.store.rpc(ada, "save_citation", span)
    assert len(stored(services)) == 4
    receipt = await services.store.rpc(ada, "delete_document", {"document_id": report.document_id})
    assert [a["filename"] for a in receipt["attachments"]] == ["lease.txt", "b.txt"]
    found = await services.library.search(ada, matter["id"], "insolvent lessee", 3)
    assert found.passages == ()
    assert [r["purged_at"] for r in await services.library.receipts(ada, matter["id"])] == [None] * 3
    assert await purge(operator.worker, services.blobs, operator.ingestor.visuals, None) == 0
    assert (left_over(database_url), stored(services)) == ({}, [])
    receipts = await services.library.receipts(ada, matter["id"])
    assert {r["filename"] for r in receipts} == {"mail.eml", "lease.txt", "b.txt"}
    assert all(r["purged_at"] and r["deleted_by"] == "ada@firm.example" and len(r["sha256"]) == 64 for r in receipts)


async def test_an_attachment_shared_with_another_document_stays(
    add: Add, services: Services, ada: Caller, names: Callable[[], Awaitable[set[str]]]
) -> None:
    first = await add("one.eml", mail("one", ("lease.txt", LEASE.encode()), ("a.txt", b"Clause a.")).as_bytes())
    second = await add("two.eml", mail("two", ("lease.txt", LEASE.encode())).as_bytes())
    receipt = await services.store.rpc(ada, "delete_document", {"document_id": first.document_id})
    assert [(k["filename"], k["attached_to"]) for k in receipt["kept"]] == [("lease.txt", "two.eml")]
    assert await names() == {"two.eml", "lease.txt"}
    [linked] = (await services.library.health(ada, second.document_id))["attachments"]
    assert linked["status"] == "ready"
    receipt = await services.store.rpc(ada, "delete_document", {"document_id": second.document_id})
    assert await names() == set() and [a["filename"] for a in receipt["attachments"]] == ["lease.txt"]


async def test_a_hold_covers_carrier_and_attachments(
    add: Add, operator: Operator, services: Services, ada: Caller, names: Callable[[], Awaitable[set[str]]]
) -> None:
    report = await add("mail.eml", mail("one", ("a.txt", b"Clause a.")).as_bytes())
    mail_id, attached = {"document_id": report.document_id}, {"document_id": report.attachments[0].document_id}
    for held, message in (
        (mail_id, "This document is attached to one under a legal hold"),
        (attached, "under a legal hold"),
    ):
        assert (await services.store.rpc(ada, "hold_document", {**held, "held": True}))["legal_hold"]
        with pytest.raises(Conflict, match=message):
            await services.store.rpc(ada, "delete_document", attached)
        with pytest.raises(Conflict, match=r"under a legal hold"):
            await services.store.rpc(ada, "delete_document", mail_id)
        assert (await services.store.rpc(ada, "get_document", attached))["legal_hold"]
        await services.store.rpc(ada, "hold_document", {**held, "held": False})
    await services.store.rpc(ada, "delete_document", attached)
    await services.store.rpc(ada, "hold_document", {**mail_id, "held": True})
    assert await purge(operator.worker, services.blobs, operator.ingestor.visuals, None) == 0
    assert len(stored(services)) == 2, "a hold set after the deletion must still keep the files"
    await services.store.rpc(ada, "hold_document", {**mail_id, "held": False})
    await services.store.rpc(ada, "delete_document", mail_id)
    await purge(operator.worker, services.blobs, operator.ingestor.visuals, None)
    assert stored(services) == [] and await names() == set()


async def test_owners_delete_and_hold_and_editors_do_not(
    add: Add, services: Services, ada: Caller, stranger: Caller, matter: dict[str, Any]
) -> None:
    report = await add("lease.txt", LEASE.encode())
    member = {"matter_ref": matter["id"], "member_email": "stranger@firm.example", "member_role": "editor"}
    await services.store.rpc(ada, "add_matter_member", member)
    document = {"document_id": report.document_id}
    for function, params in (("delete_document", document), ("hold_document", {**document, "held": True})):
        with pytest.raises(Denied, match="Only an owner of this matter"):
            await services.store.rpc(stranger, function, params)


async def test_a_failed_file_deletion_is_retried_until_it_succeeds(
    add: Add, operator: Operator, services: Services, ada: Caller, database_url: str
) -> None:
    class FailingBlobs(LocalBlobs):
        async def delete(self, key: str) -> None:
            raise StorageFailed("The file storage could not be read or written.")

    report = await add("lease.txt", LEASE.encode())
    await services.store.rpc(ada, "delete_document", {"document_id": report.document_id})
    assert await purge(operator.worker, FailingBlobs(services.settings.home / "files"), operator.ingestor.visuals, None) == 1
    assert left_over(database_url) == {"private.blob_deletions": 1} and len(stored(services)) == 1
    assert await purge(operator.worker, services.blobs, operator.ingestor.visuals, None) == 0
    assert left_over(database_url) == {} and stored(services) == []


async def test_the_file_of_an_unfinished_upload_is_deleted_repeatedly_for_a_day(
    operator: Operator, services: Services, ada: Caller, matter: dict[str, Any], database_url: str, tmp_path: Path
) -> None:
    upload = {
        "matter_ref": matter["id"],
        "filename": "a.txt",
        "content_type": "text/plain",
        "size_bytes": 1,
        "sha256": "0" * 64,
    }
    made = await services.store.rpc(ada, "register_document", upload)
    await services.store.rpc(ada, "delete_document", {"document_id": made["document"]["id"]})
    assert await purge(operator.worker, services.blobs, operator.ingestor.visuals, None) == 0
    (tmp_path / "late").write_text("x")
    await services.blobs.put(made["storage_key"], tmp_path / "late")
    await purge(operator.worker, services.blobs, operator.ingestor.visuals, None)
    assert stored(services) == [] and left_over(database_url) == {"private.blob_deletions": 1}
    with psycopg.connect(database_url) as db:
        db.execute("update private.blob_deletions set again_until = now()")
    await purge(operator.worker, services.blobs, operator.ingestor.visuals, None)
    assert left_over(database_url) == {}


async def test_deleting_a_matter_deletes_its_files(
    add: Add, operator: Operator, services: Services, matter: dict[str, Any], database_url: str
) -> None:
    await add("lease.txt", LEASE.encode())
    with psycopg.connect(database_url) as db:
        db.execute("delete from matters where id = %s", (matter["id"],))
    await purge(operator.worker, services.blobs, operator.ingestor.visuals, None)
    assert stored(services) == [] and left_over(database_url) == {}
