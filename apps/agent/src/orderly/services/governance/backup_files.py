"""Copies stored files to and from a backup folder, verifying their hashes."""

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
from orderly.services.files import put_once, sha256_of
from orderly.services.governance.audit_witness import FILES as SIGNED_FILES
from orderly.store.base import Blobs
from orderly.store.blob_keys import validate_key

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
    """Content of a backup. Written last, so that a folder without a manifest is not a valid backup."""

    format: int
    created_at: str
    server_version: str
    migrations: tuple[str, ...]
    database_sha256: str
    database_bytes: int
    conversations_sha256: str | None
    """Of the dump of the production server's database; None if there is none."""
    files: dict[str, str]
    """Storage key -> SHA-256 according to the database."""
    missing: tuple[str, ...]
    """Keys of files that were missing or damaged in storage, and so are missing or damaged in the backup."""
    signed: dict[str, str] = field(default_factory=dict)
    """Files of signed heads at the time of the backup: name -> SHA-256."""


def new_folder(folder: Path) -> None:
    """Creates the folder with mode 0700. Raises Conflict if it is not empty. Blocking."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise Conflict("The folder for the backup is not empty.")
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    folder.chmod(0o700)


async def copy_out(blobs: Blobs, files: Iterable[Named], folder: Path) -> list[str]:
    """Copies stored files to the backup folder. Returns the keys of missing and damaged files."""
    missing = []
    for file in files:
        target = folder / FILES / validate_key(file.key)
        await asyncio.to_thread(target.parent.mkdir, mode=0o700, parents=True, exist_ok=True)
        try:
            intact = await _copy_blob(blobs, file.key, target) == file.sha256
        except StorageFailed:
            intact = False
        if not intact:
            missing.append(file.key)
    return missing


async def _copy_blob(blobs: Blobs, key: str, target: Path) -> str:
    digest = hashlib.sha256()
    writing = await asyncio.to_thread(target.open, "wb")
    try:
        async for block in blobs.stream(key):
            digest.update(block)
            await asyncio.to_thread(writing.write, block)
        await asyncio.to_thread(_sync, writing)
    finally:
        await asyncio.to_thread(writing.close)
    return digest.hexdigest()


def _sync(file: Any) -> None:
    file.flush()
    os.fsync(file.fileno())


async def copy_in(blobs: Blobs, manifest: Manifest, folder: Path) -> None:
    """Restores all intact files. Raises Damaged if a file has changed, before any file is stored."""
    for key, sha256 in manifest.files.items():
        source = folder / FILES / validate_key(key)
        if key in manifest.missing:
            continue
        if not source.is_file() or await asyncio.to_thread(sha256_of, source) != sha256:
            raise Damaged(f"The backup is damaged: the file {key} is missing or changed. Nothing was restored.")
    for key, sha256 in manifest.files.items():
        source = folder / FILES / validate_key(key)
        if source.is_file():
            await put_once(blobs, key, source, sha256)


def copy_signed(lengths: Mapping[Path, int], folder: Path) -> dict[str, str]:
    """Copies the first `lengths[path]` bytes of each file, and returns SHA-256 by file name. Blocking."""
    for path, length in lengths.items():
        target = folder / SIGNED / path.name
        target.parent.mkdir(mode=0o700, exist_ok=True)
        with path.open("rb") as source, target.open("wb") as writing:
            while block := source.read(min(_BLOCK, length - writing.tell())):
                writing.write(block)
            _sync(writing)
    return {path.name: sha256_of(folder / SIGNED / path.name) for path in lengths}


def signed_to_restore(manifest: Manifest, folder: Path, target: Path) -> list[Path]:
    """Lists the backup's files of signed heads that `target` lacks. An existing, longer file is kept. Blocking.

    Raises Damaged if a file of the backup has changed, Conflict if `target` has a different file of that name.
    """
    missing = []
    for name, sha256 in manifest.signed.items():
        source = folder / SIGNED / name
        if name != source.name or not fnmatch(name, SIGNED_FILES) or not source.is_file() or sha256_of(source) != sha256:
            raise Damaged(f"The backup is damaged: {SIGNED}/{name} is missing or changed. Nothing was restored.")
        if not (existing := target / name).exists():
            missing.append(source)
        elif not existing.read_bytes().startswith(source.read_bytes()):
            raise Conflict(f"Another record was signed in {name} of the folder for signed heads. Nothing was restored.")
    return missing


def write_manifest(folder: Path, manifest: Manifest) -> None:
    """Writes the manifest atomically. Blocking."""
    unfinished = folder / f".{MANIFEST}"
    with unfinished.open("w", encoding="utf-8") as file:
        json.dump(asdict(manifest), file, indent=1)
        _sync(file)
    unfinished.rename(folder / MANIFEST)


def read_manifest(folder: Path) -> Manifest:
    """Reads a manifest. Raises Invalid if the folder is not a backup, Damaged if a dump has changed. Blocking."""
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
        if sha256 is not None and (not dumped.is_file() or sha256_of(dumped) != sha256):
            raise Damaged(f"The backup is damaged: {name} is missing or changed.")
    return manifest
