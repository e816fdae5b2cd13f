"""Receiving files: duplicates, concurrent uploads, new versions and failures."""

from __future__ import annotations

import asyncio
import errno
import os
import socket
from collections.abc import Awaitable, Callable
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

import psycopg
import pymupdf
import pytest

from orderly.errors import Conflict, DocumentNotFound, Invalid, NotFound, StorageFailed
from orderly.models import Caller
from orderly.services.governance.purge import purge
from orderly.services.ingestion.registration import Choice, Duplicates, FileIngestor
from orderly.settings import Settings
from orderly.store.blobs_local import LocalBlobs
from orderly.wiring.services import Operator, Services
from support.files_left import files_below
from support.lease import LEASE

Add = Callable[[str, str], Awaitable[str]]
LOCKED = Path(__file__).parents[1] / "fixtures/files/own_user_password.pdf"
SECOND = LEASE.replace("ninety (90) days", "thirty (30) days")


@pytest.fixture
def file_ingestor(operator: Operator) -> FileIngestor:
    return operator.file_ingestor


@pytest.fixture
def files(settings: Settings) -> Callable[[], list[Path]]:
    return lambda: files_below(settings.home / "files")


async def documents(services: Services, ada: Caller, matter: dict[str, Any]) -> list[dict[str, Any]]:
    listing: list[dict[str, Any]] = (await services.store.rpc(ada, "list_documents", {"matter_ref": matter["id"]}))["documents"]
    return listing


async def test_concurrent_uploads_of_the_same_content_are_one_document_and_the_second_is_a_duplicate(
    file_ingestor: FileIngestor,
    services: Services,
    ada: Caller,
    matter: dict[str, Any],
    tmp_path: Path,
    files: Callable[[], list[Path]],
) -> None:
    paths = [tmp_path / f"copy {n}.txt" for n in range(4)]
    for path in paths:
        path.write_text(LEASE)
    reports = await asyncio.gather(*(file_ingestor.add(ada, matter["id"], path) for path in paths))
    [only] = await documents(services, ada, matter)
    assert {r.document_id for r in reports} == {only["id"]}
    assert sorted(r.duplicate for r in reports) == [False, True, True, True]
    assert only["status"] == "ready" and len(files()) == 1
    told = await file_ingestor.add(ada, matter["id"], paths[1])
    assert (told.duplicate, told.filename) == (True, "copy 1.txt")
    assert told.note == ("" if only["filename"] == "copy 1.txt" else only["filename"])


async def test_an_interrupted_upload_is_completed_by_the_next_one(
    file_ingestor: FileIngestor, services: Services, ada: Caller, matter: dict[str, Any], tmp_path: Path
) -> None:
    (tmp_path / "lease.txt").write_text(LEASE)
    died = replace(file_ingestor, blobs=_FailingBlobs(tmp_path / "elsewhere", asyncio.CancelledError()))
    with pytest.raises(asyncio.CancelledError):
        await died.add(ada, matter["id"], tmp_path / "lease.txt")
    [waiting] = await documents(services, ada, matter)
    assert waiting["status"] == "uploading"
    done = await file_ingestor.add(ada, matter["id"], tmp_path / "lease.txt")
    assert (done.document_id, done.status, done.duplicate) == (waiting["id"], "ready", False)
    assert len(await documents(services, ada, matter)) == 1


class _FailingBlobs(LocalBlobs):
    """Raises after a part or all of the file was stored."""

    def __init__(self, root: Path, error: BaseException) -> None:
        super().__init__(root)
        self.error = error

    async def put(self, key: str, source: Path) -> None:
        raise self.error


async def test_a_file_that_cannot_be_stored_leaves_no_document_behind(
    file_ingestor: FileIngestor, services: Services, ada: Caller, matter: dict[str, Any], tmp_path: Path
) -> None:
    (tmp_path / "lease.txt").write_text(LEASE)
    full = replace(file_ingestor, blobs=_FailingBlobs(tmp_path / "full", StorageFailed("The file storage is full.")))
    with pytest.raises(StorageFailed, match="full"):
        await full.add(ada, matter["id"], tmp_path / "lease.txt")
    assert await documents(services, ada, matter) == []
    document = (await file_ingestor.add(ada, matter["id"], tmp_path / "lease.txt")).document_id
    (tmp_path / "lease.txt").write_text(SECOND)
    with pytest.raises(StorageFailed):
        await full.add(ada, matter["id"], tmp_path / "lease.txt", on_duplicate="new_version")
    health = await services.library.health(ada, document)
    assert len(health["versions"]) == 1 and health["document"]["status"] == "ready"


async def test_a_failed_upload_does_not_withdraw_another_one_of_the_same_content(
    services: Services, ada: Caller, matter: dict[str, Any]
) -> None:
    upload = {
        "matter_ref": matter["id"],
        "filename": "a.txt",
        "content_type": "text/plain",
        "size_bytes": 1,
        "sha256": "0" * 64,
    }
    first = await services.store.rpc(ada, "register_document", upload)
    second = await services.store.rpc(ada, "register_document", upload)
    assert first["storage_key"] == second["storage_key"]
    file = {"document_id": first["document"]["id"], "storage_key": first["storage_key"]}
    assert await services.store.rpc(ada, "withdraw_upload", file) == {"withdrawn": False}
    assert (await services.store.rpc(ada, "document_stored", file))["arrived"] is True
    assert (await services.store.rpc(ada, "document_stored", file))["arrived"] is False
    assert await services.store.rpc(ada, "withdraw_upload", file) == {"withdrawn": False}
    assert (await services.store.rpc(ada, "get_document", {"document_id": file["document_id"]}))["status"] == "queued"


async def test_a_blob_under_the_same_key_is_kept_if_identical_and_replaced_otherwise(
    file_ingestor: FileIngestor, ada: Caller, matter: dict[str, Any], tmp_path: Path, settings: Settings
) -> None:
    (tmp_path / "lease.txt").write_text(LEASE)
    (tmp_path / "torn").write_text(LEASE[:40])

    class TruncatingBlobs(LocalBlobs):
        async def put(self, key: str, source: Path) -> None:
            if not (settings.home / "files" / key).exists():
                await super().put(key, tmp_path / "torn")
            await super().put(key, source)

    torn = replace(file_ingestor, blobs=TruncatingBlobs(settings.home / "files"))
    with pytest.raises(Conflict):  # this storage truncates each time, so the second attempt also finds a truncated blob
        await torn.add(ada, matter["id"], tmp_path / "lease.txt")
    assert (await file_ingestor.add(ada, matter["id"], tmp_path / "lease.txt")).status == "ready"


async def test_a_stored_file_that_differs_from_the_received_one_is_not_read(
    file_ingestor: FileIngestor, ada: Caller, matter: dict[str, Any], tmp_path: Path, files: Callable[[], list[Path]]
) -> None:
    (tmp_path / "lease.txt").write_text(LEASE)
    left = await file_ingestor.add(ada, matter["id"], tmp_path / "lease.txt", wait=False)
    [stored] = files()
    stored.write_text(LEASE.replace("ninety", "nine"))
    report = await file_ingestor.finish(left.document_id)
    assert report.status == "failed" and "SHA-256 differs" in report.reason


async def test_the_duplicate_callback_decides_and_is_called_only_for_duplicates(
    file_ingestor: FileIngestor, services: Services, ada: Caller, matter: dict[str, Any], tmp_path: Path
) -> None:
    asked: list[Duplicates] = []
    answers = [
        Choice("skip", leave_out=True),
        Choice("keep"),
    ]

    async def choose(found: Duplicates) -> Choice:
        asked.append(found)
        return answers.pop(0)

    path = tmp_path / "lease.txt"
    path.write_text(LEASE)
    first = await file_ingestor.add(ada, matter["id"], path, choose=choose)
    assert asked == []
    path.write_text(SECOND)
    left_out = await file_ingestor.add(ada, matter["id"], path, choose=choose)
    assert left_out.duplicate and left_out.document_id == first.document_id
    assert asked[0].same_content is None and asked[0].same_name is not None
    path.write_text(LEASE)
    both = await file_ingestor.add(ada, matter["id"], path, choose=choose)
    assert asked[1].same_content is not None and asked[1].same_content["id"] == first.document_id
    assert both.status == "ready" and both.document_id != first.document_id
    assert len(await documents(services, ada, matter)) == 2


async def test_a_new_version_is_used_after_publication_and_old_citations_keep_their_text(
    file_ingestor: FileIngestor,
    services: Services,
    operator: Operator,
    ada: Caller,
    matter: dict[str, Any],
    tmp_path: Path,
    add_file: Add,
) -> None:
    document = await add_file("lease.txt", LEASE)
    old = (await services.store.rpc(ada, "get_document", {"document_id": document}))["revision"]
    start = LEASE.index("not less than ninety")
    cited = await services.store.rpc(ada, "save_citation", {
        "document_id": document, "revision_id": old["id"], "start": start, "end": start + 30,
    })  # fmt: skip
    (tmp_path / "renewed.txt").write_text(SECOND)
    waiting = await file_ingestor.add(ada, matter["id"], tmp_path / "renewed.txt", version_of=document, wait=False)
    assert waiting.document_id == document and waiting.status == "queued"
    view = await services.store.rpc(ada, "get_revision", {"document_id": document})
    assert "ninety (90) days" in view["text"], "the old version must be used until the new one is published"
    assert (await file_ingestor.finish(document)).status == "ready"
    view = await services.store.rpc(ada, "get_revision", {"document_id": document})
    assert "thirty (30) days" in view["text"] and view["document"]["filename"] == "renewed.txt"
    kept = await services.store.rpc(ada, "get_citation", {"citation_id": cited["id"]})
    assert kept["quote"] == LEASE[start : start + 30] and kept["current"] is False
    assert kept["section_title"] == cited["section_title"]
    page = {"document_id": document, "revision_id": kept["revision_id"], "page_number": 1}
    place = await services.store.rpc(ada, "document_page", page)
    assert (place["current"], place["text"]) == (False, LEASE)
    await services.blobs.get(old["storage_key"], tmp_path / "old")
    assert (tmp_path / "old").read_text() == LEASE
    versions = (await services.library.health(ada, document))["versions"]
    assert [(v["filename"], [r["current"] for r in v["revisions"]]) for v in versions] == [
        ("renewed.txt", [True]), ("lease.txt", [False]),
    ]  # fmt: skip
    (tmp_path / "lease.txt").write_text(LEASE)
    again = await file_ingestor.add(ada, matter["id"], tmp_path / "lease.txt")
    assert again.duplicate and again.note == "an earlier version of renewed.txt"


async def test_an_unreadable_new_version_leaves_the_old_one_and_its_reason(
    file_ingestor: FileIngestor, services: Services, ada: Caller, matter: dict[str, Any], tmp_path: Path, add_file: Add
) -> None:
    document = await add_file("lease.txt", LEASE)
    (tmp_path / "lease.pdf").write_bytes(LOCKED.read_bytes())
    report = await file_ingestor.add(ada, matter["id"], tmp_path / "lease.pdf", version_of=document)
    assert report.status == "failed" and "password-protected" in report.reason
    found = await services.store.rpc(ada, "get_document", {"document_id": document})
    assert (found["status"], found["filename"], found["has_revision"]) == ("failed", "lease.txt", True)
    assert "password-protected" in found["status_reason"]
    searched = await services.library.search(ada, matter["id"], "written notice", 5)
    assert {p.document_name for p in searched.passages} == {"lease.txt"}
    newest, older = (await services.library.health(ada, document))["versions"]
    assert "password-protected" in newest["unread_reason"] and older["unread_reason"] is None
    told = await file_ingestor.add(ada, matter["id"], tmp_path / "lease.pdf")
    assert told.duplicate and "could not be read" in told.note
    (tmp_path / "opened.txt").write_text(SECOND)
    assert (await file_ingestor.add(ada, matter["id"], tmp_path / "opened.txt", version_of=document)).status == "ready"
    assert (await services.store.rpc(ada, "get_document", {"document_id": document}))["status_reason"] == ""


async def test_the_last_version_wins_even_over_one_being_processed(
    file_ingestor: FileIngestor,
    services: Services,
    operator: Operator,
    ada: Caller,
    matter: dict[str, Any],
    tmp_path: Path,
    add_file: Add,
) -> None:
    document = await add_file("lease.txt", LEASE)
    taken: list[str] = []

    class SlowProcessor(type(operator.ingestor.processor)):  # type: ignore[misc]
        async def extract(self, *arguments: Any, **more: Any) -> Any:
            read = await super().extract(*arguments, **more)
            if not taken:
                taken.append("once")
                (tmp_path / "third.txt").write_text(SECOND.replace("thirty (30)", "ten (10)"))
                await file_ingestor.add(ada, matter["id"], tmp_path / "third.txt", version_of=document, wait=False)
            return read

    slow = SlowProcessor(None)
    ingestor = replace(operator.ingestor, processor=slow)
    (tmp_path / "second.txt").write_text(SECOND)
    await replace(file_ingestor, ingestor=ingestor).add(ada, matter["id"], tmp_path / "second.txt", version_of=document)
    view = await services.store.rpc(ada, "get_revision", {"document_id": document})
    assert "ten (10) days" in view["text"]
    assert len((await services.library.health(ada, document))["versions"]) == 3


async def test_a_document_deleted_during_processing_stays_deleted(
    file_ingestor: FileIngestor,
    services: Services,
    operator: Operator,
    ada: Caller,
    matter: dict[str, Any],
    tmp_path: Path,
    files: Callable[[], list[Path]],
    database_url: str,
) -> None:
    class DeletingProcessor(type(operator.ingestor.processor)):  # type: ignore[misc]
        async def extract(self, *arguments: Any, **more: Any) -> Any:
            read = await super().extract(*arguments, **more)
            [document] = await documents(services, ada, matter)
            await services.store.rpc(ada, "delete_document", {"document_id": document["id"]})
            return read

    ingestor = replace(operator.ingestor, processor=DeletingProcessor(None))
    (tmp_path / "lease.txt").write_text(LEASE)
    with pytest.raises(NotFound):
        await services.store.rpc(ada, "get_document", {"document_id": (
            await replace(file_ingestor, ingestor=ingestor).add(ada, matter["id"], tmp_path / "lease.txt")
        ).document_id})  # fmt: skip
    assert await purge(operator.worker, services.blobs, operator.ingestor.visuals, None) == 0
    assert files() == []
    with psycopg.connect(database_url) as db:
        for table in ("documents", "document_files", "document_revisions", "chunks", "chunk_embeddings"):
            assert db.execute(f"select count(*) from {table}").fetchall() == [(0,)], table


async def test_a_document_deleted_during_its_upload_leaves_no_file(
    file_ingestor: FileIngestor,
    services: Services,
    ada: Caller,
    matter: dict[str, Any],
    tmp_path: Path,
    files: Callable[[], list[Path]],
) -> None:
    class DeletingBlobs(LocalBlobs):
        async def put(self, key: str, source: Path) -> None:
            await super().put(key, source)
            await services.store.rpc(ada, "delete_document", {"document_id": key.split("/")[2]})

    (tmp_path / "lease.txt").write_text(LEASE)
    blobs = DeletingBlobs(services.settings.home / "files")
    with pytest.raises(Invalid, match=r"lease\.txt was deleted while it was being taken in"):
        await replace(file_ingestor, blobs=blobs).add(ada, matter["id"], tmp_path / "lease.txt")
    assert files() == []


async def test_reprocessing_uses_the_newest_file_and_a_missing_document_is_not_found(
    file_ingestor: FileIngestor, services: Services, ada: Caller, add_file: Add
) -> None:
    document = await add_file("lease.txt", LEASE)
    before = (await services.store.rpc(ada, "get_document", {"document_id": document}))["revision"]
    await services.store.rpc(ada, "reprocess_document", {"document_id": document})
    assert (await file_ingestor.finish(document)).status == "ready"
    after = (await services.store.rpc(ada, "get_document", {"document_id": document}))["revision"]
    assert after["ordinal"] == before["ordinal"] + 1 and after["storage_key"] == before["storage_key"]
    await services.store.rpc(ada, "delete_document", {"document_id": document})
    with pytest.raises(DocumentNotFound):
        await services.store.rpc(ada, "reprocess_document", {"document_id": document})


async def test_the_number_of_files_in_a_chat_is_limited(
    file_ingestor: FileIngestor, ada: Caller, database_url: str, tmp_path: Path
) -> None:
    with psycopg.connect(database_url) as db:
        row = db.execute(
            "insert into matters (tenant_id, number, title, kind, thread_id)"
            " select tenant_id, 'W-1', 'Chat', 'workspace', 't-1' from profiles where user_id = %s returning id::text",
            (ada.user_id,),
        ).fetchone()
        assert row is not None
        db.execute("insert into matter_members values (%s, %s, 'owner')", (row[0], ada.user_id))
        db.execute("select public.set_limits(2, 5000, 20000, 250000, 1000000)")
    few = file_ingestor
    in_chat = Caller(ada.user_id, thread_id="t-1")
    for n in range(2):
        (tmp_path / f"{n}.txt").write_text(f"{n}. The tenant pays {n} dollars.")
        await few.add(in_chat, row[0], tmp_path / f"{n}.txt", wait=False)
    assert (await few.add(in_chat, row[0], tmp_path / "0.txt", wait=False)).document_id
    (tmp_path / "more.txt").write_text("One more.")
    with pytest.raises(Conflict, match="A chat holds at most 2 files"):
        await few.add(in_chat, row[0], tmp_path / "more.txt")
    with psycopg.connect(database_url) as db:
        db.execute("delete from private.limits")


async def test_files_that_wait_to_be_read_are_limited_by_person(
    file_ingestor: FileIngestor, services: Services, ada: Caller, matter: dict[str, Any], database_url: str, tmp_path: Path
) -> None:
    for n in range(3):
        (tmp_path / f"{n}.txt").write_text(f"{n}. The tenant pays {n} dollars.")
    with psycopg.connect(database_url) as db:
        [(waiting,)] = db.execute(
            "select count(*) from documents where uploaded_by = %s and status = 'queued' and deleted_at is null", (ada.user_id,)
        ).fetchall()
        db.execute("select public.set_limits(50, %s, 20000, 250000, 1000000)", (waiting + 2,))
    for n in range(2):
        await file_ingestor.add(ada, matter["id"], tmp_path / f"{n}.txt", wait=False)
    with pytest.raises(Conflict, match="the most that one person may"):
        await file_ingestor.add(ada, matter["id"], tmp_path / "2.txt", wait=False)
    with psycopg.connect(database_url) as db:
        db.execute("delete from private.limits")
    await file_ingestor.add(ada, matter["id"], tmp_path / "2.txt", wait=False)


async def test_files_that_wait_to_be_read_are_limited_by_firm(
    file_ingestor: FileIngestor, services: Services, make_user: Any, database_url: str, tmp_path: Path
) -> None:
    with psycopg.connect(database_url) as db:
        db.execute("select public.set_limits(50, 1, 20000, 250000, 1000000)")
    try:
        for n in range(12):
            person = await make_user(f"p{n}@crowd.example", tenant="Crowd" if n < 11 else "Neighbours")
            theirs = await services.store.rpc(person, "create_matter", {"title": f"Matter {n}"})
            (tmp_path / f"{n}.txt").write_text(f"{n}. The tenant pays {n} dollars.")
            with pytest.raises(Conflict, match="Your firm has too many") if n == 10 else nullcontext():
                await file_ingestor.add(person, theirs["id"], tmp_path / f"{n}.txt", wait=False)
    finally:
        with psycopg.connect(database_url) as db:
            db.execute("delete from private.limits")


@pytest.mark.parametrize("kind", ["directory", "pipe", "socket", "gone", "denied", "loop"])
async def test_an_unreadable_path_is_refused_at_once_and_named(
    file_ingestor: FileIngestor,
    services: Services,
    ada: Caller,
    matter: dict[str, Any],
    tmp_path: Path,
    kind: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    path = tmp_path / "thing"
    message = "thing is not a file"
    match kind:
        case "directory":
            path.mkdir()
        case "pipe":
            os.mkfifo(path)
        case "socket":
            monkeypatch.chdir(tmp_path)
            with socket.socket(socket.AF_UNIX) as bound:
                bound.bind("thing")
        case "gone":
            message = "thing cannot be opened: it is no longer there"
        case "denied":
            path.write_text("x")
            message = "thing cannot be opened: there is no permission to read it"
            _refuse(monkeypatch, path)
        case "loop":
            path.symlink_to(path)
            message = "thing cannot be opened: its links lead in a circle"
    async with asyncio.timeout(5):
        with pytest.raises(Invalid, match=message):
            await file_ingestor.add(ada, matter["id"], path)
    assert await documents(services, ada, matter) == []


def _refuse(monkeypatch: pytest.MonkeyPatch, path: Path) -> None:
    """Denies reading `path`; file permissions do not apply when the tests run as root."""
    opened = os.open

    def refusing(place: Any, *arguments: Any, **more: Any) -> int:
        if place == path:
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        return opened(place, *arguments, **more)

    monkeypatch.setattr(os, "open", refusing)


async def test_a_full_disk_is_reported_and_the_file_deleted(
    file_ingestor: FileIngestor,
    services: Services,
    ada: Caller,
    matter: dict[str, Any],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (tmp_path / "lease.txt").write_text(LEASE)
    monkeypatch.setattr("tempfile.tempdir", "/dev/full-of-nothing")
    with pytest.raises(StorageFailed, match=r"lease\.txt could not be kept on this machine"):
        await file_ingestor.add(ada, matter["id"], tmp_path / "lease.txt")
    assert await documents(services, ada, matter) == []


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("..\u202ecod.txt", ".._cod.txt"),
        ("\u200b\u2028", "unnamed"),
        ("e\u0301te\u0301.txt", "été.txt"),
        ("…\ttab .txt", "…_tab .txt"),
    ],
)
async def test_control_characters_are_replaced_in_displayed_names(
    file_ingestor: FileIngestor, services: Services, ada: Caller, matter: dict[str, Any], tmp_path: Path, name: str, shown: str
) -> None:
    (tmp_path / name).write_text(LEASE)
    await file_ingestor.add(ada, matter["id"], tmp_path / name, wait=False)
    [document] = await documents(services, ada, matter)
    assert document["filename"] == shown


async def test_pages_and_passages_that_wait_to_be_read_are_limited(
    file_ingestor: FileIngestor, ada: Caller, matter: dict[str, Any], database_url: str, tmp_path: Path
) -> None:
    def allow(pages: int, passages: int) -> None:
        with psycopg.connect(database_url) as db:
            db.execute("select public.set_limits(50, 5000, 20000, %s, %s)", (pages, passages))

    async def send(name: str) -> None:
        await file_ingestor.add(ada, matter["id"], tmp_path / name, wait=False)

    with psycopg.connect(database_url) as db:
        db.execute("update documents set deleted_at = now() where status = 'queued'")
    long = pymupdf.open()
    for number in range(40):
        long.new_page().insert_text((72, 72), f"Page {number}")
    (tmp_path / "long.pdf").write_bytes(long.tobytes())
    (tmp_path / "long.txt").write_text("".join(f"The tenant pays {n} dollars.\n" for n in range(5_000)))
    (tmp_path / "short.txt").write_text("The rent is due.")
    try:
        allow(pages=40, passages=1_000_000)
        await send("long.pdf")
        with pytest.raises(Conflict, match=r"1 files \(0 MB, some 40 pages and 120 passages\) waiting"):
            await send("short.txt")
        allow(pages=41, passages=1_000_000)
        await send("long.txt")
        with pytest.raises(Conflict, match=r"some 90 pages"):
            await send("short.txt")
        allow(pages=1_000_000, passages=250)
        with pytest.raises(Conflict, match=r"and 2\d\d passages"):
            await send("short.txt")
        allow(pages=1_000_000, passages=1_000)
        await send("short.txt")
        with psycopg.connect(database_url) as db:
            db.execute(
                "update documents set status = 'embedding', stage_done = 10, stage_total = 3000 where filename = 'long.pdf'"
            )
        (tmp_path / "other.txt").write_text("The rent is overdue.")
        with pytest.raises(Conflict, match=r"3\d\d\d passages"):
            await send("other.txt")
    finally:
        with psycopg.connect(database_url) as db:
            db.execute("delete from private.limits")
