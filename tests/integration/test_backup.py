"""A backup is a consistent snapshot of a store in use and restores completely; verification finds damage."""

from __future__ import annotations

import asyncio
import errno
import hashlib
import json
import os
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

import psycopg
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from pydantic import SecretStr

from orderly.backup import back_up, copy_keys, restore_backup
from orderly.errors import Conflict, Damaged, Invalid, Misconfigured, OrderlyError, StorageFailed, StoreUnavailable
from orderly.models import Caller
from orderly.services.governance.audit import sign_heads, verify_record
from orderly.services.governance.audit_witness import Witness
from orderly.services.governance.integrity import prove
from orderly.services.governance.purge import purge
from orderly.settings import Settings
from orderly.store.blobs_local import LocalBlobs
from orderly.store.conversations import make_database, sibling
from orderly.store.embedded import EmbeddedPostgres
from orderly.store.migrate import migrate
from orderly.store.postgres import PostgresStore, PostgresWorkerStore, open_postgres, open_postgres_worker
from orderly.wiring.stores import conversations_url
from support.revisions import publish, revision_of

TEXTS = {"lease.txt": "The rent is one dollar.\n\nIt is due monthly.", "deed.txt": "This deed is made.\n\nBetween two parties."}

TABLES = """
select c.oid::regclass::text from pg_class c
where c.relnamespace in ('public'::regnamespace, 'private'::regnamespace, 'queue'::regnamespace, 'auth'::regnamespace)
  and c.relkind = 'r' and c.relname <> 'schema_migrations'
"""
COUNT = "select count(*) from {}"


@dataclass(frozen=True)
class FilledStore:
    """A store with two documents of Ada's and their files."""

    url: str
    store: PostgresStore
    worker: PostgresWorkerStore
    blobs: LocalBlobs
    ada: Caller
    documents: dict[str, str]


@pytest.fixture
async def kept(
    database_url: str,
    store: PostgresStore,
    worker_store: PostgresWorkerStore,
    make_user: Callable[..., Any],
    make_matter: Callable[..., Any],
    tmp_path: Path,
) -> FilledStore:
    ada = await make_user("ada@firm.example")
    matter = await make_matter(ada)
    blobs, documents = LocalBlobs(tmp_path / "files"), {}
    for name, text in TEXTS.items():
        (tmp_path / name).write_text(text)
        upload = {
            "matter_ref": matter["id"], "filename": name, "content_type": "text/plain", "size_bytes": len(text),
            "sha256": hashlib.sha256(text.encode()).hexdigest(),
        }  # fmt: skip
        registered = await store.rpc(ada, "register_document", upload)
        await blobs.put(registered["storage_key"], tmp_path / name)
        documents[name] = registered["document"]["id"]
        await store.rpc(ada, "document_stored", {"document_id": documents[name]})
        content = revision_of(documents[name], text)
        await publish(worker_store, content)
        span = {"document_id": documents[name], "revision_id": content.revision_id, "start": 0, "end": 8}
        await store.rpc(ada, "save_citation", span)
    return FilledStore(database_url, store, worker_store, blobs, ada, documents)


@pytest.fixture
async def empty_installation(embedded_postgres: EmbeddedPostgres, tmp_path: Path) -> AsyncIterator[Settings]:
    """An empty installation."""
    name = f"restored_{uuid4().hex[:12]}"
    with psycopg.connect(embedded_postgres.database_url, autocommit=True) as admin:
        admin.execute(f"create database {name}")
        yield Settings(home=tmp_path / "elsewhere", database_url=SecretStr(embedded_postgres.url_of(name)))
        admin.execute(f"drop database {name} with (force)")


async def faults_of(settings: Settings) -> tuple[int, list[str]]:
    """Returns the number of revisions and the faults that verification finds."""
    assert settings.database_url is not None
    worker = await open_postgres_worker(settings.database_url.get_secret_value())
    try:
        proof = await prove(worker, LocalBlobs(settings.home / "files"))
    finally:
        await worker.close()
    return proof.revisions, [fault.what for fault in proof.faults]


class _NoCopies:
    async def purge_copies(self) -> int:
        return 0


class PurgingBlobs(LocalBlobs):
    """Deletes and purges all documents while the first file is copied."""

    def __init__(self, kept: FilledStore, root: Path) -> None:
        super().__init__(root)
        self._kept: FilledStore | None = kept

    async def stream(self, key: str) -> AsyncIterator[bytes]:
        if self._kept is not None:
            kept, self._kept = self._kept, None
            for document in kept.documents.values():
                await kept.store.rpc(kept.ada, "delete_document", {"document_id": document})
            await purge(kept.worker, kept.blobs, _NoCopies(), None)  # type: ignore[arg-type]
        async for block in super().stream(key):
            yield block


async def test_documents_deleted_and_purged_during_a_backup_are_complete_in_it(
    kept: FilledStore, empty_installation: Settings, tmp_path: Path
) -> None:
    manifest = await back_up(kept.url, PurgingBlobs(kept, tmp_path / "files"), tmp_path / "backup")
    assert len(manifest.files) == len(TEXTS)
    assert not manifest.missing
    await restore_backup(empty_installation, tmp_path / "backup")
    assert await faults_of(empty_installation) == (len(TEXTS), [])
    await purge(kept.worker, kept.blobs, _NoCopies(), None)  # type: ignore[arg-type]
    assert not list((tmp_path / "files").rglob("*.txt")), "the purge that the backup postponed must delete the files"


class BusyOffice:
    """Simulates users: each round stores and publishes a document; every third round deletes and purges an earlier one."""

    def __init__(self, kept: FilledStore, folder: Path) -> None:
        self._kept, self._folder = kept, folder
        self.confirmed: dict[str, str] = {}
        self.deleted: set[str] = set()
        self.rounds = 0
        self._round_done = asyncio.Condition()

    async def work(self) -> None:
        kept = self._kept
        matter = (await kept.store.rpc(kept.ada, "get_document", {"document_id": kept.documents["lease.txt"]}))["matter_id"]
        while True:
            name = f"memo-{self.rounds}.txt"
            kept.documents[name] = await self._stored(matter, name)
            self.confirmed[name] = kept.documents[name]
            if self.rounds % 3 == 2:
                leaving = f"memo-{self.rounds - 1}.txt"
                await kept.store.rpc(kept.ada, "delete_document", {"document_id": kept.documents[leaving]})
                self.deleted.add(leaving)
                await purge(kept.worker, kept.blobs, _NoCopies(), None)  # type: ignore[arg-type]
            async with self._round_done:
                self.rounds += 1
                self._round_done.notify_all()

    async def _stored(self, matter: str, name: str) -> str:
        text = f"Memorandum {name}.\n\nThe rent of {self.rounds} is due."
        (self._folder / name).write_text(text)
        upload = {
            "matter_ref": matter, "filename": name, "content_type": "text/plain", "size_bytes": len(text),
            "sha256": hashlib.sha256(text.encode()).hexdigest(),
        }  # fmt: skip
        registered = await self._kept.store.rpc(self._kept.ada, "register_document", upload)
        await self._kept.blobs.put(registered["storage_key"], self._folder / name)
        document: str = registered["document"]["id"]
        await self._kept.store.rpc(self._kept.ada, "document_stored", {"document_id": document})
        await publish(self._kept.worker, revision_of(document, text))
        return document

    async def until(self, rounds: int) -> None:
        async with self._round_done:
            await self._round_done.wait_for(lambda: self.rounds >= rounds)


class BlobsInUse(LocalBlobs):
    """Delays each copy until another round of work is done."""

    def __init__(self, office: BusyOffice, root: Path) -> None:
        super().__init__(root)
        self._office = office

    async def stream(self, key: str) -> AsyncIterator[bytes]:
        await self._office.until(self._office.rounds + 1)
        async for block in super().stream(key):
            yield block


async def test_a_backup_under_load_restores_completely_and_later_damage_is_found(
    kept: FilledStore, empty_installation: Settings, tmp_path: Path
) -> None:
    office = BusyOffice(kept, tmp_path)
    working = asyncio.create_task(office.work())
    await office.until(4)
    confirmed, deleted, begun = set(office.confirmed), set(office.deleted), office.rounds
    manifest = await back_up(kept.url, BlobsInUse(office, tmp_path / "files"), tmp_path / "backup")
    assert office.rounds >= begun + len(manifest.files), "no work was done during the backup"
    working.cancel()
    await asyncio.gather(working, return_exceptions=True)
    await restore_backup(empty_installation, tmp_path / "backup")
    revisions, faults = await faults_of(empty_installation)
    assert faults == [], faults
    with psycopg.connect(empty_installation.database_url.get_secret_value(), autocommit=True) as admin:  # type: ignore[union-attr]
        names = [name for (name,) in admin.execute("select filename from documents where deleted_at is null").fetchall()]
        assert revisions <= len(names) == len(set(names))
        assert confirmed - office.deleted <= set(names), "a document confirmed before the backup is missing from it"
        assert not deleted & set(names), "a document deleted before the backup was restored"
        flip(next((empty_installation.home / "files").rglob("lease.txt")))
        chunk = (
            "select id from chunks where ordinal = 1 and document_id = (select id from documents where filename = 'deed.txt')"
        )
        assert admin.execute(f"delete from chunks where id = ({chunk})").rowcount == 1  # type: ignore[call-overload]
    found = " ".join((await faults_of(empty_installation))[1])
    assert "lease.txt is not the file that was stored" in found
    assert "1 of its 2 chunks" in found


async def test_a_backup_is_restored_into_an_empty_installation_only_and_works(
    kept: FilledStore, empty_installation: Settings, tmp_path: Path
) -> None:
    folder = tmp_path / "backup"
    await back_up(kept.url, kept.blobs, folder)
    with pytest.raises(Conflict, match="not empty"):
        await back_up(kept.url, kept.blobs, folder)
    await restore_backup(empty_installation, folder)
    with pytest.raises(Conflict, match="not empty"):
        await restore_backup(empty_installation, folder)
    url = empty_installation.database_url.get_secret_value()  # type: ignore[union-attr]
    store = await open_postgres(url.replace("//postgres@", "//authenticator@"))
    try:
        revision = await store.rpc(kept.ada, "get_revision", {"document_id": kept.documents["lease.txt"]})
        assert revision["text"] == TEXTS["lease.txt"]
        with pytest.raises(OrderlyError):
            await store.rpc(Caller(str(uuid4())), "get_revision", {"document_id": kept.documents["lease.txt"]})
    finally:
        await store.close()


async def test_a_backup_includes_the_production_servers_conversations(
    kept: FilledStore, empty_installation: Settings, tmp_path: Path
) -> None:
    there = conversations_url(empty_installation, empty_installation.database_url.get_secret_value())  # type: ignore[union-attr]
    here = sibling(kept.url, "_conversations")
    await make_database(here)
    try:
        with psycopg.connect(here, autocommit=True) as server:
            server.execute("create table alembic_version as select 'one' as version_num")
        await back_up(kept.url, kept.blobs, tmp_path / "backup", conversations=here)
        await restore_backup(empty_installation, tmp_path / "backup")
        with psycopg.connect(there) as server:
            assert server.execute("select version_num from alembic_version").fetchone() == ("one",)
        flip(tmp_path / "backup" / "conversations.dump")
        with pytest.raises(Damaged, match=r"conversations\.dump"):
            await restore_backup(empty_installation, tmp_path / "backup")
    finally:
        with psycopg.connect(kept.url, autocommit=True) as admin:
            for url in (here, there):
                admin.execute(f"drop database if exists {url.partition('?')[0].rpartition('/')[2]}")


class SigningBlobs(LocalBlobs):
    """Before each copy, a document is read and the audit record is signed."""

    def __init__(self, kept: FilledStore, root: Path, witness: Witness) -> None:
        super().__init__(root)
        self._kept, self._witness = kept, witness

    async def stream(self, key: str) -> AsyncIterator[bytes]:
        await self._kept.store.rpc(self._kept.ada, "get_revision", {"document_id": self._kept.documents["lease.txt"]})
        assert await sign_heads(self._kept.worker, self._witness)
        async for block in super().stream(key):
            yield block


async def test_a_backup_includes_the_signatures_of_the_record_and_they_verify(
    kept: FilledStore, empty_installation: Settings, tmp_path: Path
) -> None:
    audit, folder, key = tmp_path / "audit", tmp_path / "backup", Ed25519PrivateKey.generate()
    witness = Witness(audit, key, "node")
    await sign_heads(kept.worker, witness)
    await back_up(kept.url, SigningBlobs(kept, tmp_path / "files", witness), folder, audit=audit)
    flip(folder / "audit" / "heads-node.jsonl")
    with pytest.raises(Damaged, match=r"heads-node\.jsonl"):
        await restore_backup(empty_installation, folder)
    flip(folder / "audit" / "heads-node.jsonl")
    other = empty_installation.home / "audit" / "heads-node.jsonl"
    other.parent.mkdir(parents=True)
    other.write_text("{}\n")
    with pytest.raises(Conflict, match=r"heads-node\.jsonl"):
        await restore_backup(empty_installation, folder)
    other.unlink()
    await restore_backup(empty_installation, folder)
    assert other.stat().st_mode & 0o777 == 0o600
    worker = await open_postgres_worker(empty_installation.database_url.get_secret_value())  # type: ignore[union-attr]
    try:
        verdicts, faults = await verify_record(worker, Witness(other.parent, key, "elsewhere"))
    finally:
        await worker.close()
    assert verdicts and all(v.intact and v.unsigned == 0 for v in verdicts), verdicts
    assert faults == []


async def test_a_backup_without_signatures_is_restored(kept: FilledStore, empty_installation: Settings, tmp_path: Path) -> None:
    folder = tmp_path / "backup"
    await back_up(kept.url, kept.blobs, folder, audit=tmp_path / "audit")
    manifest = json.loads((folder / "manifest.json").read_text())
    assert manifest.pop("signed") == {}
    (folder / "manifest.json").write_text(json.dumps(manifest))
    await restore_backup(empty_installation, folder)
    assert await faults_of(empty_installation) == (len(TEXTS), [])


async def test_a_backup_that_cannot_be_written_fails_and_is_not_restorable(
    kept: FilledStore, empty_installation: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "taken").write_text("")
    with pytest.raises(StorageFailed, match="Not a directory"):
        await back_up(kept.url, kept.blobs, tmp_path / "taken" / "backup")

    def full(file: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("orderly.services.governance.backup_files.os.fsync", full)
    with pytest.raises(StorageFailed, match="No space left"):
        await back_up(kept.url, kept.blobs, tmp_path / "backup")
    with pytest.raises(Invalid, match="no backup"):
        await restore_backup(empty_installation, tmp_path / "backup")


async def test_backup_is_refused_for_supabase_projects(tmp_path: Path) -> None:
    with pytest.raises(Misconfigured, match="Supabase"):
        await back_up(None, LocalBlobs(tmp_path), tmp_path / "other")


async def test_a_second_concurrent_backup_is_refused(
    kept: FilledStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("orderly.store.dumps.LOCK_TRIES", 1)
    with psycopg.connect(kept.url, autocommit=True) as other:
        other.execute("select pg_advisory_lock(private.backup_lock())")
        with pytest.raises(Conflict, match="Another backup"):
            await back_up(kept.url, kept.blobs, tmp_path / "backup")


async def test_a_damaged_backup_is_refused_and_restores_nothing(
    kept: FilledStore, empty_installation: Settings, tmp_path: Path
) -> None:
    folder = tmp_path / "backup"
    await back_up(kept.url, kept.blobs, folder)
    for damaged in (next((folder / "files").rglob("*.txt")), folder / "database.dump", folder / "manifest.json"):
        flip(damaged)
        with pytest.raises(Damaged):
            await restore_backup(empty_installation, folder)
        flip(damaged)
    assert not (empty_installation.home / "files").exists()
    with psycopg.connect(empty_installation.database_url.get_secret_value()) as looking:  # type: ignore[union-attr]
        assert looking.execute("select to_regclass('public.documents')").fetchone() == (None,)


async def test_a_backup_of_a_newer_version_and_a_folder_without_backup_are_refused(
    kept: FilledStore, empty_installation: Settings, tmp_path: Path
) -> None:
    with pytest.raises(Invalid, match="no backup"):
        await restore_backup(empty_installation, tmp_path)
    folder = tmp_path / "backup"
    await back_up(kept.url, kept.blobs, folder)
    manifest = json.loads((folder / "manifest.json").read_text())
    manifest["migrations"].append("99991231000000_future")
    (folder / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(Invalid, match="99991231000000_future"):
        await restore_backup(empty_installation, folder)


OTHER_MIGRATIONS = "update private.schema_migrations set name = '20261120090000_identity' where name like '%baseline'"
OTHER_TEXT = "update private.schema_migrations set sha256 = '0' where name like '%baseline'"


def make_other_version(
    url: str, ledger: str = OTHER_MIGRATIONS, change: str = "drop function public.run_opening(text)"
) -> None:
    """Changes the database to that of a version with other migrations."""
    with psycopg.connect(url, autocommit=True) as admin:
        admin.execute(ledger)  # type: ignore[arg-type]
        admin.execute(change)  # type: ignore[arg-type]


@pytest.mark.parametrize("ledger", [OTHER_MIGRATIONS, OTHER_TEXT])
async def test_a_backup_of_another_version_is_restored_into_this_versions_tables(
    kept: FilledStore, empty_installation: Settings, tmp_path: Path, ledger: str
) -> None:
    make_other_version(kept.url, ledger)
    with psycopg.connect(kept.url, autocommit=True) as admin:
        rows = {table: admin.execute(COUNT.format(table)).fetchall() for (table,) in admin.execute(TABLES)}
    await back_up(kept.url, kept.blobs, tmp_path / "backup")
    await restore_backup(empty_installation, tmp_path / "backup")
    url = empty_installation.database_url.get_secret_value()  # type: ignore[union-attr]
    assert await migrate(url) == [], "the restored database must record this version's migrations"
    assert await faults_of(empty_installation) == (2, [])
    with psycopg.connect(url, autocommit=True) as looking:
        assert {table: looking.execute(COUNT.format(table)).fetchall() for (table,) in looking.execute(TABLES)} == rows
        assert rows["documents"] == rows["private.document_changes"] == [(2,)] and rows["auth.users"] == [(1,)]
    store = await open_postgres(url)
    assert (await store.rpc(kept.ada, "run_opening", {"client_id": "orderly"}))["matters"]
    await store.rpc(kept.ada, "create_matter", {"title": "Next"})
    await store.close()


async def test_a_backup_whose_rows_do_not_fit_is_refused(
    kept: FilledStore, empty_installation: Settings, tmp_path: Path
) -> None:
    make_other_version(kept.url, change="alter table public.citations add column colour text")
    await back_up(kept.url, kept.blobs, tmp_path / "backup")
    with pytest.raises(StoreUnavailable, match=r"Another version.*none of them was.*Restore it with the version that made it"):
        await restore_backup(empty_installation, tmp_path / "backup")
    with psycopg.connect(empty_installation.database_url.get_secret_value(), autocommit=True) as looking:  # type: ignore[union-attr]
        counted = {table: looking.execute(COUNT.format(table)).fetchall() for (table,) in looking.execute(TABLES)}
    assert set(map(tuple, counted.values())) == {((0,),)}


async def test_a_backup_names_files_missing_from_the_store(kept: FilledStore, tmp_path: Path) -> None:
    lost = next((tmp_path / "files").rglob("lease.txt"))
    lost.unlink()
    manifest = await back_up(kept.url, kept.blobs, tmp_path / "backup")
    assert manifest.missing == (str(lost.relative_to(tmp_path / "files")),)


def flip(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 0x81
    path.write_bytes(data)


async def test_an_intact_store_verifies(kept: FilledStore) -> None:
    proof = await prove(kept.worker, kept.blobs)
    assert (proof.revisions, proof.chunks, proof.vectors, proof.citations, proof.files, proof.faults) == (2, 4, 4, 2, 2, [])


async def test_a_flipped_byte_in_a_file_is_found(kept: FilledStore, tmp_path: Path) -> None:
    flip(next((tmp_path / "files").rglob("lease.txt")))
    [fault] = (await prove(kept.worker, kept.blobs)).faults
    assert fault.filename == "lease.txt"
    assert "not the file that was stored" in fault.what


OF = "(select d.current_revision_id from public.documents d where d.filename = '{}')"
LEASE, DEED = OF.format("lease.txt"), OF.format("deed.txt")
DAMAGE = {
    f"delete from public.chunks where ordinal = 1 and revision_id = {LEASE}": "1 of its 2 chunks",
    f"delete from public.document_pages where revision_id = {LEASE}": "0 of its 1 pages",
    f"update public.citations set quote = 'The rent is free' where revision_id = {LEASE}": "is not what stands at its place",
    f"update public.chunks set text = 'No deed.' where ordinal = 0 and revision_id = {DEED}": "chunk 0 is not what stands",
    "delete from public.chunk_embeddings e using public.chunks c"
    f" where c.id = e.chunk_id and c.ordinal = 1 and c.revision_id = {DEED}": "and 1 chunks have none",
    "update public.document_revisions set text = replace(text, 'i', 'j')": "not the text that was stored",
    "update public.documents set current_revision_id = null": "has no revision",
}


async def test_every_deleted_or_changed_row_is_found(kept: FilledStore) -> None:
    with psycopg.connect(kept.url, autocommit=True) as admin:
        for damage, expected in DAMAGE.items():
            assert not any(expected in fault.what for fault in (await prove(kept.worker, kept.blobs)).faults)
            admin.execute(damage)  # type: ignore[call-overload]
            faults = (await prove(kept.worker, kept.blobs)).faults
            assert any(expected in fault.what for fault in faults), (damage, faults)


def test_keys_are_copied_for_their_owner_and_never_replaced(tmp_path: Path) -> None:
    home, apart = tmp_path / "home", tmp_path / "apart"
    home.mkdir()
    (home / "secret").write_bytes(b"s" * 32)
    assert copy_keys(home, apart) == ["secret"]
    assert (apart / "secret").stat().st_mode & 0o777 == 0o600
    assert copy_keys(home, apart) == ["secret"], "a second backup must find the keys already copied"
    (home / "secret").write_bytes(b"t" * 32)
    with pytest.raises(Conflict, match="another secret"):
        copy_keys(home, apart)
    assert (apart / "secret").read_bytes() == b"s" * 32
