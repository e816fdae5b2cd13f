"""Upgrade of a home to a newer major version of Postgres by backup and restore; the reverse is refused.

The package of the embedded Postgres contains the binaries of two major versions.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest
from pydantic import SecretStr

from orderly.backup import back_up, restore_backup
from orderly.errors import Misconfigured
from orderly.models import Caller
from orderly.services.governance.backup_files import Manifest
from orderly.services.governance.integrity import prove
from orderly.settings import Settings
from orderly.store import embedded
from orderly.store.blobs_local import LocalBlobs
from orderly.store.embedded import EmbeddedPostgres, postgres_binaries
from orderly.store.migrate import migrate
from orderly.store.postgres import open_postgres, open_postgres_worker
from orderly.store.server_account import ServerAccount, reachable_binaries
from support.revisions import publish, register_text, revision_of

TEXT = "The rent is one dollar.\n\nIt is due monthly."
OLD = ("pginstall", "data16")


@contextmanager
def version_installed(build: str, data: str) -> Iterator[None]:
    """Simulates a release of Orderly that came with that Postgres."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(embedded, "_BUILD", build)
        patch.setattr(embedded, "_DATA", data)
        yield


@pytest.fixture
def parent() -> Iterator[Path]:
    """A folder that the server's account may traverse; pytest's folders do not allow that."""
    made = Path(tempfile.mkdtemp(prefix="orderly-homes-"))
    made.chmod(0o711)
    yield made
    shutil.rmtree(made)


def older_home(parent: Path, name: str) -> Path:
    home = parent / name
    server = home / "postgres" / "postgres"
    server.mkdir(parents=True)
    account = ServerAccount.current()
    for folder in (home, server.parent):
        folder.chmod(0o711)
    os.chown(server, account.uid, account.gid)
    with version_installed(*OLD):
        binaries = reachable_binaries(postgres_binaries(), account)
        subprocess.run(
            [binaries / "bin" / "initdb", "-D", "data16", "-U", "postgres", "-A", "trust", "-E", "UTF8", "-N"],
            check=True,
            cwd=server,
            capture_output=True,
            user=account.uid if account.differs else None,
            group=account.gid if account.differs else None,
            extra_groups=[] if account.differs else None,
        )
    return home


async def filled(home: Path, folder: Path) -> Manifest:
    """Backs up a home with one document, without its file."""
    async with EmbeddedPostgres(home / "postgres") as server:
        await migrate(server.database_url)
        store, worker = await open_postgres(server.caller_url), await open_postgres_worker(server.database_url)
        await worker.rpc("create_tenant", {"name": "Firm"})
        person = {"email": "ada@firm.example", "display_name": "Ada", "tenant": "Firm", "is_admin": False}
        ada = Caller((await worker.rpc("create_user", person))["user_id"])
        matter = await store.rpc(ada, "create_matter", {"title": "Lease"})
        blobs = LocalBlobs(home / "files")
        document = await register_text(store, ada, matter["id"], "lease.txt", TEXT)
        with psycopg.connect(server.database_url) as admin:
            [file] = admin.execute("select storage_key from document_files").fetchall()
        (home / "lease.txt").write_text(TEXT)
        await blobs.put(file[0], home / "lease.txt")
        await publish(worker, revision_of(document, TEXT))
        await store.close()
        await worker.close()
        return await back_up(server.database_url, blobs, folder)


async def test_a_backup_restores_into_a_newer_major_version_and_not_into_an_older_one(parent: Path) -> None:
    old, new = older_home(parent, "old"), Settings(home=parent / "new", _env_file=None)
    with version_installed(*OLD):
        manifest = await filled(old, parent / "backup")
    assert manifest.server_version.startswith("16.")
    with pytest.raises(Misconfigured, match=r"Postgres 16, and Postgres 18 is installed.*docs/operations\.md"):
        async with EmbeddedPostgres(old / "postgres"):
            pass
    assert (old / "postgres" / "postgres" / "data16" / "PG_VERSION").read_text() == "16\n"
    await restore_backup(new, parent / "backup")
    async with EmbeddedPostgres(new.home / "postgres") as server:
        worker, blobs = await open_postgres_worker(server.database_url), LocalBlobs(new.home / "files")
        proof = await prove(worker, blobs)
        await worker.close()
        newer = await back_up(server.database_url, blobs, parent / "newer")
    assert (proof.revisions, proof.files, proof.faults) == (1, 1, [])
    assert newer.server_version.startswith("18.")
    await refused_by_an_older_server(older_home(parent, "older"), parent / "newer")


async def refused_by_an_older_server(home: Path, backup: Path) -> None:
    """Restores with the newer programs on an older server, which must refuse."""
    with version_installed(*OLD):
        older = await EmbeddedPostgres(home / "postgres").__aenter__()
    try:
        target = Settings(home=home / "target", database_url=SecretStr(older.database_url), _env_file=None)
        with pytest.raises(Misconfigured, match="Postgres 18 or newer"):
            await restore_backup(target, backup)
        assert not (home / "target" / "files").exists()
    finally:
        with version_installed(*OLD):
            await older.__aexit__(None, None, None)
