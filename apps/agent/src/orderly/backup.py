"""Backup and restore of an installation: a database snapshot and the files that it references."""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path

from orderly.errors import Conflict, Invalid, Misconfigured, StorageFailed
from orderly.services.files import sha256_of
from orderly.services.governance import Manifest, backup_files, block_signing
from orderly.settings import Settings
from orderly.store.base import Blobs
from orderly.store.conversations import make_database, schema_revision
from orderly.store.dumps import (
    Snapshot,
    applied_migrations,
    dump,
    held_snapshot,
    require_empty,
    require_no_older,
    restore,
    restore_rows,
)
from orderly.store.migrate import continues, migrate, migration_names
from orderly.store.rights import needs_of, require_all
from orderly.wiring.keys import audit_folder
from orderly.wiring.stores import conversations_url, open_database

KEYS = ("secret", "audit.key")
"""Key files of the home folder, which are never part of a backup."""

NOT_ON_SUPABASE = (
    "On Supabase the project's own backups hold the database, and its Storage the files; see docs/operations.md. "
    "`orderly verify-store` works there too."
)


async def back_up(
    database_url: str | None, blobs: Blobs, folder: Path, *, conversations: str | None = None, audit: Path | None = None
) -> Manifest:
    """Writes a backup to the empty folder `folder`. `audit`: folder of the signed audit log heads.

    Raises Conflict if `folder` is not empty or another backup is running, Misconfigured on Supabase, StorageFailed if writing
    fails.
    """
    if database_url is None:
        raise Misconfigured(NOT_ON_SUPABASE)
    try:
        return await _back_up(database_url, blobs, folder, conversations, audit)
    except OSError as error:
        why = error.strerror or type(error).__name__
        raise StorageFailed(
            f"The backup could not be made: {why}. What is in its folder is none: it has no manifest.",
            operator=f"The backup could not be made in {folder}: {why}. What is in this folder is none: it has no manifest.",
        ) from error


async def _back_up(database_url: str, blobs: Blobs, folder: Path, conversations: str | None, audit: Path | None) -> Manifest:
    await asyncio.to_thread(backup_files.new_folder, folder)
    dump_file = folder / backup_files.DATABASE
    async with _consistent_snapshot(database_url, audit) as (snapshot, signed):
        await dump(database_url, dump_file, snapshot)
        missing = await backup_files.copy_out(blobs, snapshot.files, folder)
    # The later snapshot of the conversations is safe: neither database depends on rows of the other.
    has_conversations = conversations is not None and await schema_revision(conversations) is not None
    if conversations is not None and has_conversations:
        await dump(conversations, folder / backup_files.CONVERSATIONS)
    manifest = Manifest(
        format=backup_files.FORMAT,
        created_at=datetime.now(UTC).isoformat(timespec="seconds"),
        server_version=snapshot.server_version,
        migrations=snapshot.migrations,
        database_sha256=await asyncio.to_thread(sha256_of, dump_file),
        database_bytes=dump_file.stat().st_size,
        conversations_sha256=await asyncio.to_thread(sha256_of, folder / backup_files.CONVERSATIONS)
        if has_conversations
        else None,
        files={file.key: file.sha256 for file in snapshot.files},
        missing=tuple(missing),
        signed=await asyncio.to_thread(backup_files.copy_signed, signed, folder),
    )
    await asyncio.to_thread(backup_files.write_manifest, folder, manifest)
    return manifest


@asynccontextmanager
async def _consistent_snapshot(database_url: str, audit: Path | None) -> AsyncIterator[tuple[Snapshot, dict[Path, int]]]:
    """Snapshot and lengths of the signed files. Signing is locked meanwhile, so both match."""
    async with AsyncExitStack() as stack:
        with ExitStack() as signing_lock:
            signed = await asyncio.to_thread(signing_lock.enter_context, block_signing(audit)) if audit else {}
            snapshot = await stack.enter_async_context(held_snapshot(database_url))
        yield snapshot, signed


async def restore_backup(settings: Settings, folder: Path) -> Manifest:
    """Restores a backup into an empty installation. Files are restored before the database that references them.

    The rows of a backup whose migrations begin with another baseline, or another text of it, go into this version's tables.
    """
    if settings.store_kind == "supabase":
        raise Misconfigured(NOT_ON_SUPABASE)
    manifest = await asyncio.to_thread(backup_files.read_manifest, folder)
    applied = await applied_migrations(folder / backup_files.DATABASE)
    continued = await asyncio.to_thread(continues, applied)
    if continued and (unknown := set(manifest.migrations) - migration_names()):
        raise Invalid(f"The backup was made by a newer version of Orderly: this one does not know {sorted(unknown)[0]}.")
    heads = audit_folder(settings)
    signed = await asyncio.to_thread(backup_files.signed_to_restore, manifest, folder, heads)
    async with AsyncExitStack() as stack:
        url, blobs = await open_database(settings, stack)
        dumps = [(url, backup_files.DATABASE)]
        if manifest.conversations_sha256 is not None:
            dumps.append((conversations_url(settings, url), backup_files.CONVERSATIONS))
            await make_database(dumps[-1][0])
        require_all(await needs_of(url, None))
        for target, _ in dumps:
            await require_no_older(target, manifest.server_version)
            await require_empty(target)
        await backup_files.copy_in(blobs, manifest, folder)
        for target, name in dumps:
            if name == backup_files.CONVERSATIONS or continued:
                await restore(target, folder / name)
                if name == backup_files.DATABASE:
                    await migrate(target, upgrade=True)
            else:
                await migrate(target)
                await restore_rows(target, folder / name)
    for file in signed:
        await asyncio.to_thread(copy_private, file, heads)
    return manifest


def copy_keys(source: Path, target: Path) -> list[str]:
    """Copies the keys to `target` with mode 0600 and returns their names. Raises as `missing_keys` does. Blocking."""
    for name in missing_keys(source, target):
        copy_private(source / name, target)
    return [name for name in KEYS if (source / name).is_file()]


def missing_keys(source: Path, target: Path) -> list[str]:
    """The keys that `target`, which is made, lacks. Raises Conflict if one differs, StorageFailed. Blocking."""
    found = [name for name in KEYS if (source / name).is_file()]
    try:
        target.mkdir(mode=0o700, parents=True, exist_ok=True)
        existing = [name for name in found if (target / name).exists()]
        other = next((name for name in existing if (target / name).read_bytes() != (source / name).read_bytes()), None)
        with tempfile.TemporaryFile(dir=target):
            pass
    except OSError as error:
        raise StorageFailed(
            "The keys cannot be written.", operator=f"The keys cannot be written to {target}: {error.strerror}."
        ) from error
    if other is not None:
        raise Conflict(f"There is another {other} already, and keys are not replaced.")
    return [name for name in found if name not in existing]


def copy_private(file: Path, folder: Path) -> None:
    """Copies `file` into `folder` with mode 0600. Blocking."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    shutil.copyfile(file, folder / file.name)
    (folder / file.name).chmod(0o600)
