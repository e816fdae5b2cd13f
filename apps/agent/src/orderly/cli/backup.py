from __future__ import annotations

import asyncio
from dataclasses import asdict
from pathlib import Path

import click

from orderly.backup import back_up, copy_keys, missing_keys, restore_backup
from orderly.cli.session import json_option, operator_session, runs, show
from orderly.errors import Invalid
from orderly.services.governance import Manifest, Proof, prove
from orderly.settings import load_settings
from orderly.wiring.keys import audit_folder

KEYS_APART = (
    "The keys are not part of it. Keep apart, and safe: the files secret and audit.key of ORDERLY_HOME "
    "(--keys FOLDER copies them), and your .env."
)


@click.command()
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False))
@click.option("--keys", type=click.Path(path_type=Path, file_okay=False), help="Copy the installation's keys into this folder.")
@json_option
@runs
async def backup(folder: Path, keys: Path | None, as_json: bool) -> None:
    """Write a consistent backup of the database and the files to the empty FOLDER. The installation stays in use."""
    if keys is not None and keys.resolve().is_relative_to(folder.resolve()):
        raise Invalid("The keys belong apart from the backup: choose a folder outside it.")
    async with operator_session() as (session, operator):
        settings = session.services.settings
        if keys is not None:
            await asyncio.to_thread(missing_keys, settings.home, keys)  # before the work of the backup
        manifest = await back_up(
            operator.queue_url,
            operator.blobs,
            folder.absolute(),
            conversations=operator.conversations_url,
            audit=audit_folder(settings),
        )
        copied = [] if keys is None else await asyncio.to_thread(copy_keys, settings.home, keys)
    lines = [
        f"Backed up the database ({manifest.database_bytes:,} bytes) and {len(manifest.files) - len(manifest.missing)} files."
    ]
    lines += [f"✗ missing or damaged in the store itself: {key}" for key in manifest.missing]
    lines.append(f"Keys copied: {', '.join(copied)}." if copied else KEYS_APART)
    show({**_data(manifest), "keys": copied}, "\n".join(lines), as_json)
    if manifest.missing:
        raise click.exceptions.Exit(1)


@click.command()
@click.argument("folder", type=click.Path(path_type=Path, exists=True, file_okay=False))
@click.option(
    "--keys", type=click.Path(path_type=Path, exists=True, file_okay=False), help="The folder that `backup --keys` wrote."
)
@json_option
@runs
async def restore(folder: Path, keys: Path | None, as_json: bool) -> None:
    """Restore a backup into an empty installation (ORDERLY_HOME, or the database of DATABASE_URL), and verify it."""
    settings = load_settings()
    manifest = await restore_backup(settings, folder.absolute())
    if keys is not None:
        await asyncio.to_thread(copy_keys, keys, settings.home)
    async with operator_session() as (_, operator):
        proof = await prove(operator.worker, operator.blobs)
    lines = [f"Restored the backup of {manifest.created_at}.", *_lines(proof)]
    show({**_data(manifest), "proof": asdict(proof)}, "\n".join(lines), as_json)
    if proof.faults:
        raise click.exceptions.Exit(1)


@click.command("verify-store")
@json_option
@runs
async def verify_store(as_json: bool) -> None:
    """Verify text, chunks, vectors and citations of every revision, and the hash of every file. Exits with 1 on any fault."""
    async with operator_session() as (_, operator):
        proof = await prove(operator.worker, operator.blobs)
    show(asdict(proof), "\n".join(_lines(proof)), as_json)
    if proof.faults:
        raise click.exceptions.Exit(1)


def _data(manifest: Manifest) -> dict[str, object]:
    return {**asdict(manifest), "files": len(manifest.files)}


def _lines(proof: Proof) -> list[str]:
    checked = (
        f"{proof.revisions} texts ({proof.characters:,} characters), {proof.chunks:,} chunks, {proof.vectors:,} vectors, "
        f"{proof.citations:,} citations, {proof.files} files ({proof.bytes:,} bytes)"
    )
    if not proof.faults:
        return [f"All is accounted for: {checked}."]
    return [f"✗ {f.filename} ({f.document}): {f.what}" for f in proof.faults] + [f"{len(proof.faults)} faults in {checked}."]
