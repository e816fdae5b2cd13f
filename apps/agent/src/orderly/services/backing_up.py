"""Stored files into a backup folder and back, each held to its hash on the way."""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Protocol

from orderly.errors import Conflict, Damaged, Invalid, StorageFailed
from orderly.services.keeping import keep
from orderly.store.base import Blobs
from orderly.store.blob_keys import checked

FORMAT = 1
MANIFEST, DATABASE, FILES = "manifest.json", "database.dump", "files"
CONVERSATIONS = "conversations.dump"
_BLOCK = 1 << 20


class Named(Protocol):
    @property
    def key(self) -> str: ...
    @property
    def sha256(self) -> str: ...


@dataclass(frozen=True)
class Manifest:
    """What a backup holds. It is written last: a folder without it is no backup."""

    format: int
    created_at: str
    server_version: str
    migrations: tuple[str, ...]
    database_sha256: str
    database_bytes: int
    conversations_sha256: str | None
    """Of the production server's own database; None where there is none."""
    files: dict[str, str]
    """From storage key to SHA-256, as the database says it."""
    missing: tuple[str, ...]
    """Keys of files that the store itself had lost or damaged: they are not in the backup, or not as they should be."""


def new_folder(folder: Path) -> None:
    """For the owner's eyes alone. Raises Conflict where something is there already. Blocking."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise Conflict("The folder for the backup is not empty.")
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    folder.chmod(0o700)


async def copy_out(blobs: Blobs, files: Iterable[Named], folder: Path) -> list[str]:
    """Keys of those that could not be read, or are not what they were when they were stored."""
    missing = []
    for file in files:
        target = folder / FILES / checked(file.key)
        await asyncio.to_thread(target.parent.mkdir, mode=0o700, parents=True, exist_ok=True)
        try:
            good = await _copied(blobs, file.key, target) == file.sha256
        except StorageFailed:
            good = False
        if not good:
            missing.append(file.key)
    return missing


async def _copied(blobs: Blobs, key: str, target: Path) -> str:
    digest = hashlib.sha256()
    writing = await asyncio.to_thread(target.open, "wb")
    try:
        async for block in blobs.stream(key):
            digest.update(block)
            await asyncio.to_thread(writing.write, block)
        await asyncio.to_thread(_flushed, writing)
    finally:
        await asyncio.to_thread(writing.close)
    return digest.hexdigest()


def _flushed(file: Any) -> None:
    file.flush()
    os.fsync(file.fileno())


async def copy_in(blobs: Blobs, manifest: Manifest, folder: Path) -> None:
    """Every file that the backup has whole. Raises Damaged before anything is stored that is not what it should be."""
    for key, sha256 in manifest.files.items():
        source = folder / FILES / checked(key)
        if key in manifest.missing:
            continue
        if not source.is_file() or await asyncio.to_thread(file_sha256, source) != sha256:
            raise Damaged(f"The backup is damaged: the file {key} is missing or changed. Nothing was restored.")
    for key, sha256 in manifest.files.items():
        source = folder / FILES / checked(key)
        if source.is_file():
            await keep(blobs, key, source, sha256)


def file_sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def write_manifest(folder: Path, manifest: Manifest) -> None:
    """All of it or nothing. Blocking."""
    unfinished = folder / f".{MANIFEST}"
    with unfinished.open("w", encoding="utf-8") as file:
        json.dump(asdict(manifest), file, indent=1)
        _flushed(file)
    unfinished.rename(folder / MANIFEST)


def read_manifest(folder: Path) -> Manifest:
    """Raises Invalid for what is no backup, Damaged for one whose database file has changed. Blocking."""
    try:
        data = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise Invalid("That folder holds no backup, or one that was never finished.") from None
    except ValueError as error:
        raise Damaged("The backup is damaged: its manifest cannot be read.") from error
    if data.get("format") != FORMAT:
        raise Invalid(f"The backup has format {data.get('format')}; this version of Orderly reads format {FORMAT}.")
    manifest = Manifest(**{**data, "migrations": tuple(data["migrations"]), "missing": tuple(data["missing"])})
    for name, sha256 in ((DATABASE, manifest.database_sha256), (CONVERSATIONS, manifest.conversations_sha256)):
        dumped = folder / name
        if sha256 is not None and (not dumped.is_file() or file_sha256(dumped) != sha256):
            raise Damaged(f"The backup is damaged: {name} is missing or changed.")
    return manifest
