"""Stored files into a backup folder and back, each held to its hash on the way."""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from fnmatch import fnmatch
from pathlib import Path
from typing import Any, Protocol

from orderly.errors import Conflict, Damaged, Invalid, StorageFailed
from orderly.services.files import put_once
from orderly.services.governance.audit_witness import FILES as SIGNED_FILES
from orderly.store.base import Blobs
from orderly.store.blob_keys import checked

FORMAT = 1
MANIFEST, DATABASE, FILES = "manifest.json", "database.dump", "files"
CONVERSATIONS = "conversations.dump"
SIGNED = "audit"
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
    signed: dict[str, str] = field(default_factory=dict)
    """Files of signed heads of the record, as far as they went then: from name to SHA-256."""


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
            await put_once(blobs, key, source, sha256)


def copy_signed(lengths: Mapping[Path, int], folder: Path) -> dict[str, str]:
    """The beginning of each file, so long. Its SHA-256, by its name. Blocking."""
    for path, length in lengths.items():
        target = folder / SIGNED / path.name
        target.parent.mkdir(mode=0o700, exist_ok=True)
        with path.open("rb") as source, target.open("wb") as writing:
            while block := source.read(min(_BLOCK, length - writing.tell())):
                writing.write(block)
            _flushed(writing)
    return {path.name: file_sha256(folder / SIGNED / path.name) for path in lengths}


def signed_to_restore(manifest: Manifest, folder: Path, target: Path) -> list[Path]:
    """Those files of the backup that `target` has not: one that has been added to since says more. Blocking.

    Raises Damaged for one that has changed, Conflict where another is there by its name.
    """
    missing = []
    for name, sha256 in manifest.signed.items():
        kept = folder / SIGNED / name
        if name != kept.name or not fnmatch(name, SIGNED_FILES) or not kept.is_file() or file_sha256(kept) != sha256:
            raise Damaged(f"The backup is damaged: {SIGNED}/{name} is missing or changed. Nothing was restored.")
        if not (there := target / name).exists():
            missing.append(kept)
        elif not there.read_bytes().startswith(kept.read_bytes()):
            raise Conflict(f"Another record was signed in {name} of the folder for signed heads. Nothing was restored.")
    return missing


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
