from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from zoneinfo import ZoneInfo

import click
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from orderly.cli.session import Session, json_option, operator_session, runs, session, show
from orderly.errors import Denied, Invalid, MatterNotFound, Misconfigured, NotFound, OrderlyError, StoreUnavailable
from orderly.models import PENDING_STATUSES, READABLE_STATUSES
from orderly.services.claims import Progress as Update
from orderly.services.ingestion import Ingested, Ingestor, OnDuplicate
from orderly.services.page_images import purge_page_images
from orderly.tools.rendering import document_list

_REFERENCE = re.compile(r"[A-Za-z]{1,5}-\d{4}-\d+|[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")

STAGES = {
    "waiting": "another worker has it",
    "extracting": "reading",
    "ocr": "recognising",
    "chunking": "finding sections",
    "embedding": "embedding",
}


@click.command()
@click.argument("paths", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path))
@click.option("--matter", required=True, help="Number, id or title. A matter of that title is created if there is none.")
@click.option(
    "--on-duplicate",
    type=click.Choice(["skip", "keep", "version"]),
    default="skip",
    show_default=True,
    help="When the matter holds the same content already.",
)
@click.option("--no-wait", is_flag=True, help="Leave the reading to `orderly worker`.")
@json_option
@runs
async def ingest(paths: tuple[Path, ...], matter: str, on_duplicate: OnDuplicate, no_wait: bool, as_json: bool) -> None:
    """Take files and folders into a matter."""
    files = list(files_under(paths))
    if not files:
        raise Invalid("There are no files in that folder.")
    async with operator_session() as (s, operator):
        matter_id = await matter_called(s, matter)
        reports, refused = await ingest_all(s, operator.ingestor, matter_id, files, on_duplicate, wait=not no_wait)
    if as_json:
        show([*(dataclasses.asdict(r) for r in reports), *refused], "", True)
    unread = [r for r in reports if r.status not in READABLE_STATUSES and not (no_wait and r.status in PENDING_STATUSES)]
    if unread or refused:
        raise click.exceptions.Exit(1)


async def ingest_all(
    s: Session,
    ingestor: Ingestor,
    matter_id: str,
    files: list[Path],
    on_duplicate: OnDuplicate = "skip",
    *,
    wait: bool = True,
) -> tuple[list[Ingested], list[dict[str, str]]]:
    """One file after the other, with a line for each. A refused file does not stop the others."""
    console = Console(stderr=True, highlight=False)
    reports: list[Ingested] = []
    refused: list[dict[str, str]] = []
    for file in files:
        with _progress(console, file.name) as update:
            try:
                report = await ingestor.add(s.caller, matter_id, file, on_duplicate=on_duplicate, progress=update, wait=wait)
            except (Denied, NotFound, StoreUnavailable, Misconfigured):
                raise  # the next file would fare no better
            except OrderlyError as error:
                refused.append({"filename": file.name, "error": error.message})
                click.echo(f"✗ {file.name}: {error.message}", err=True)
                continue
        reports.append(report)
        click.echo(_line(report), err=True)
    return reports, refused


def files_under(paths: tuple[Path, ...]) -> Iterator[Path]:
    """Folders are walked in order; hidden files are left out, and what is no file of the folder's own is named and skipped."""
    for path in paths:
        yield from _files_of(path) if path.is_dir() else [path]


def _files_of(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.rglob("*")):
        if any(part.startswith(".") for part in path.relative_to(folder).parts):
            continue
        if path.is_symlink():
            click.echo(f"- {path.name}: skipped, a link to somewhere else", err=True)
        elif path.is_file():
            yield path
        elif not path.is_dir():
            click.echo(f"- {path.name}: skipped, not a file", err=True)


async def matter_called(s: Session, name: str) -> str:
    """By number or id, else by title, else a new matter of that title."""
    try:
        return str((await s.services.library.matter(s.caller, name))["id"])
    except MatterNotFound:
        if _REFERENCE.fullmatch(name):
            raise  # a number or an id that is mistyped is not the title of a new matter
        own = await s.services.library.matters(s.caller)
    titled = [m for m in own if m["title"].lower() == name.lower()]
    if len(titled) > 1:
        raise Invalid(f"{len(titled)} matters are called {name!r}; name one by its number.")
    if titled:
        return str(titled[0]["id"])
    made = await s.services.store.rpc(s.caller, "create_matter", {"title": name, "number": None})
    click.echo(f"Created matter {made['number']} {made['title']}", err=True)
    return str(made["id"])


@contextmanager
def _progress(console: Console, name: str) -> Iterator[Update]:
    if not console.is_terminal:
        yield lambda stage, done, total: None
        return
    columns = TextColumn("{task.description}", markup=False), BarColumn(bar_width=24), TimeElapsedColumn()
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task(name, total=None)

        def update(stage: str, done: int, total: int) -> None:
            progress.update(task, description=f"{name}: {STAGES.get(stage, stage)}", completed=done, total=total or None)

        yield update


def _line(report: Ingested) -> str:
    if report.duplicate:
        return f"= {report.filename}: in this matter already ({report.status})"
    if report.status in PENDING_STATUSES:
        return f"… {report.filename}: {report.status}"
    if report.status not in ("ready", "partial"):
        return f"✗ {report.filename}: {report.status}: {report.reason}"
    mark, why = ("✓", "") if report.status == "ready" else ("!", f" (partial: {report.reason})")
    pages = f" from {report.pages} page{'' if report.pages == 1 else 's'}" if report.pages else ""
    chunks = f"{report.chunks} chunk{'' if report.chunks == 1 else 's'}"
    return f"{mark} {report.filename}: {chunks}{pages}{why}"


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
@click.argument("document_id")
@click.option("--yes", is_flag=True, help="Do not ask.")
@json_option
@runs
async def delete(document_id: str, yes: bool, as_json: bool) -> None:
    """Delete a document: hidden at once, then removed with its file. Prints the receipt."""
    async with operator_session() as (s, operator):
        document = await s.services.store.rpc(s.caller, "get_document", {"document_id": document_id})
        if not yes:
            click.confirm(f"Delete {document['filename']}?", abort=True)
        receipt = await s.services.store.rpc(s.caller, "delete_document", {"document_id": document_id})
        for key in await operator.worker.rpc("purge_deleted", {}):
            await s.services.blobs.delete(key)
        await purge_page_images(operator.worker, s.services.blobs)
        left = await operator.ingestor.visuals.purge_copies()
        if left:
            click.echo(f"Still to be deleted at ColiVara, tried again with the next deletion: {left}", err=True)
    show(receipt, f"Deleted {receipt['filename']}. Receipt: {receipt['receipt_id']}", as_json)
