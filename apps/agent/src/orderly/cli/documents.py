from __future__ import annotations

import dataclasses
from zoneinfo import ZoneInfo

import click

from orderly.agent.rendering import document_list, local_time, size
from orderly.cli.ingest_report import progress_of, show_report, tree, unread
from orderly.cli.session import json_option, operator_session, runs, session, show
from orderly.services.documents import EDITION
from orderly.services.governance import purge
from orderly.services.ingestion import Ingested
from orderly.store.functions.deletion import delete_document, hold_document
from orderly.store.functions.documents import get_document, reprocess_document
from orderly.store.functions.ingestion import queue_outdated

OUTDATED_BATCH = 20
"""Documents queued at a time, so that files of people who upload meanwhile wait for few."""


@click.command("list")
@click.argument("matter")
@click.option("--name", "pattern", default=None, help='Glob of file names, e.g. "*.pdf".')
@click.option("--type", "content_type", default=None, help='Prefix of content types, e.g. "text/".')
@json_option
@runs
async def list_documents(matter: str, pattern: str | None, content_type: str | None, as_json: bool) -> None:
    """List the documents of a matter."""
    async with session() as s:
        listing = await s.services.library.documents(s.caller, matter, pattern, content_type)
        zone = ZoneInfo(s.services.settings.timezone)
    show(listing.documents, document_list(listing.matter, listing.documents, zone), as_json)


@click.command()
@click.argument("document_id", required=False)
@click.option("--outdated", is_flag=True, help="Every document that an earlier edition of the readers has read.")
@json_option
@runs
async def reingest(document_id: str | None, outdated: bool, as_json: bool) -> None:
    """Read a document's newest file again. The current revision serves until then, and stays if reading fails."""
    if outdated == (document_id is not None):
        raise click.UsageError("Name a document, or give --outdated.")
    if document_id is None:
        await _reingest_outdated(as_json=as_json)
        return
    async with operator_session() as (s, operator):
        document = await reprocess_document(s.services.store, s.caller, document_id)
        with progress_of(document["filename"]) as update:
            report = await operator.file_ingestor.finish(document["id"], update)
    if as_json:
        show(dataclasses.asdict(report), "", True)
    show_report(report)
    if any(unread(r) for r in tree([report])):
        raise click.exceptions.Exit(1)


async def _reingest_outdated(*, as_json: bool) -> None:
    reports: list[Ingested] = []
    async with operator_session() as (_, operator):
        after = 0
        while queued := await queue_outdated(operator.worker, EDITION, after=after, row_count=OUTDATED_BATCH):
            for document in queued:
                with progress_of(document["filename"]) as update:
                    reports.append(await operator.file_ingestor.finish(document["document_id"], update))
                if not as_json:
                    show_report(reports[-1])
            after = queued[-1]["upload_order"]
    failed = sum(unread(report) for report in reports)
    read = len(reports) - failed
    text = f"{read} {'document was' if read == 1 else 'documents were'} read again."
    if failed:
        text += f" {failed} could not be read; what was read before is searched and quoted as it was."
    show([dataclasses.asdict(report) for report in reports], text, as_json)
    if any(map(unread, tree(reports))):
        raise click.exceptions.Exit(1)


@click.command()
@click.argument("document_id")
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
@json_option
@runs
async def delete(document_id: str, yes: bool, as_json: bool) -> None:
    """Delete a document and its attachments: hidden immediately, then removed with their files. Prints the receipts."""
    from orderly.jobs.conversation_redaction import redactable  # noqa: PLC0415  # imports LangGraph

    async with operator_session() as (s, operator):
        document = await get_document(s.services.store, s.caller, document_id)
        if not yes:
            click.confirm(f"Delete {document['filename']}, all its versions and what is attached to it?", abort=True)
        receipt = await delete_document(s.services.store, s.caller, document_id)
        conversations = await redactable(operator.conversations_url)
        left = await purge(operator.worker, operator.blobs, operator.ingestor.visuals, conversations)
    lines = [f"Deleted {receipt['filename']}. Receipt: {receipt['receipt_id']}"]
    lines += [f"Deleted {a['filename']}, attached to it. Receipt: {a['receipt_id']}" for a in receipt["attachments"]]
    lines += [f"Kept {k['filename']}: it is attached to {k['attached_to']} as well." for k in receipt["kept"]]
    if left:
        files = "stored file" if left == 1 else "stored files"
        lines.append(f"{left} {files} could not be removed just now; the next purge tries again.")
    show({**receipt, "files_left": left}, "\n".join(lines), as_json)


@click.command()
@click.argument("document_id")
@click.option("--on/--off", "held", required=True, default=None, help="Set or lift the hold.")
@json_option
@runs
async def hold(document_id: str, held: bool, as_json: bool) -> None:
    """Put a document and its attachments under a legal hold: they cannot be deleted. For owners of the matter."""
    async with session() as s:
        document = await hold_document(s.services.store, s.caller, document_id, held=held)
    state = "is under a legal hold" if document["legal_hold"] else "is under no legal hold"
    if document["legal_hold"] and not held:
        carrier = document["attached_to"]
        carried_by = f"{carrier['filename']}, which carries it," if carrier else "the document that carries it"
        state = f"has no hold of its own any more, but {carried_by} is held"
    show(document, f"{document['filename']} {state}.", as_json)


@click.command()
@click.argument("matter")
@json_option
@runs
async def receipts(matter: str, as_json: bool) -> None:
    """List the deleted documents of a matter: name, who deleted them and when, and when they were removed."""
    async with session() as s:
        found = await s.services.library.receipts(s.caller, matter)
        zone = ZoneInfo(s.services.settings.timezone)
    lines = []
    for r in found:
        gone = f"removed {local_time(r['purged_at'], zone)}" if r["purged_at"] else "hidden, not removed yet"
        lines += [
            f"{r['filename']} ({size(r['size_bytes'])}): deleted {local_time(r['deleted_at'], zone)} "
            f"by {r['deleted_by'] or 'a user who is gone'}; {gone}",
            f"   Receipt: {r['receipt_id']}  Document: {r['document_id']}",
            f"   SHA-256: {r['sha256']}",
        ]
    show(found, "\n".join(lines) or "Nothing was deleted from this matter.", as_json)
