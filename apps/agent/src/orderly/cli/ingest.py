from __future__ import annotations

import asyncio
import dataclasses
import os
import re
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import click

from orderly.cli.ingest_report import progress_of, show_report, summary, tree, unread
from orderly.cli.session import Session, json_option, operator_session, runs, show
from orderly.errors import Denied, Invalid, MatterNotFound, Misconfigured, NotFound, OrderlyError, StoreUnavailable
from orderly.models import PENDING_STATUSES, DuplicatePolicy
from orderly.services.ingestion import Choice, Choose, Duplicates, FileIngestor, Ingested
from orderly.store.functions.matters import create_matter

_REFERENCE = re.compile(r"[A-Za-z]{1,5}-\d{4}-\d+|[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")

_ANSWERS: dict[str, DuplicatePolicy] = {"s": "skip", "k": "keep", "v": "new_version"}


@click.command()
@click.argument("paths", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path))
@click.option("--matter", required=True, help="Number, id or title of the matter. Created with that title if there is none.")
@click.option(
    "--on-duplicate",
    type=click.Choice(["ask", "skip", "keep", "version"]),
    default=None,
    help="What to do if the matter already has the same content; keep and version apply also to another file of the same name. "
    "Default: ask on a terminal; else skip the same content, and refuse other content under a name that the matter has.",
)
@click.option("--version-of", default=None, metavar="DOCUMENT_ID", help="The file is a new version of this document.")
@click.option("--no-wait", is_flag=True, help="Do not wait: `orderly worker` reads the files.")
@json_option
@runs
async def ingest(
    paths: tuple[Path, ...],
    matter: str,
    on_duplicate: Literal["ask", "skip", "keep", "version"] | None,
    version_of: str | None,
    no_wait: bool,
    as_json: bool,
) -> None:
    """Upload files and folders to a matter and ingest them, with the attachments of e-mails and PDFs."""
    found = files_under(paths)
    if not found.files:
        raise Invalid("There are no files in that folder.")
    if version_of is not None and len(found.files) > 1:
        raise Invalid("A new version of a document is one file.")
    asks = on_duplicate == "ask" or (on_duplicate is None and sys.stdin.isatty() and sys.stderr.isatty())
    policies: dict[str | None, DuplicatePolicy] = {"keep": "keep", "version": "new_version"}
    async with operator_session() as (s, operator):
        matter_id = await find_or_create_matter(s, matter)
        choose: Choose | None = DuplicatePrompt().choose if asks else None
        if not asks and on_duplicate is None:
            listed = await s.services.library.documents(s.caller, matter_id)
            choose = UnattendedChoice(frozenset(d["id"] for d in listed.documents)).choose
        reports, refused = await ingest_all(
            s,
            operator.file_ingestor,
            matter_id,
            found.files,
            policies.get(on_duplicate, "skip"),
            choose=choose,
            version_of=version_of,
            wait=not no_wait,
        )
    for text in summary(reports, refused, found.hidden):
        click.echo(text, err=True)
    if as_json:
        show([*(dataclasses.asdict(r) for r in reports), *refused], "", True)
    if refused or any(unread(r) and not (no_wait and r.status in PENDING_STATUSES) for r in tree(reports)):
        raise click.exceptions.Exit(1)


async def ingest_all(
    s: Session,
    file_ingestor: FileIngestor,
    matter_id: str,
    files: list[Path],
    on_duplicate: DuplicatePolicy = "skip",
    *,
    choose: Choose | None = None,
    version_of: str | None = None,
    wait: bool = True,
) -> tuple[list[Ingested], list[dict[str, str]]]:
    """Ingests the files in order and prints a line for each. Returns the reports, and the refused files with their errors."""
    reports: list[Ingested] = []
    refused: list[dict[str, str]] = []
    for file in files:
        try:
            with progress_of(file.name) as update:
                report = await file_ingestor.add(
                    s.caller, matter_id, file, on_duplicate=on_duplicate, choose=choose, version_of=version_of, progress=update,
                    wait=wait,
                )  # fmt: skip
        except (Denied, NotFound, StoreUnavailable, Misconfigured):
            raise  # the next file would fail too
        except OrderlyError as error:
            refused.append({"filename": file.name, "error": error.message})
            click.echo(f"✗ {file.name}: {error.message}", err=True)
            continue
        reports.append(report)
        show_report(report)
    return reports, refused


@dataclass
class DuplicatePrompt:
    """Asks on the terminal what to do with a duplicate. A capital letter answers for all later duplicates of the kind."""

    _answers: dict[bool, str] = field(default_factory=dict)
    """Answers for all later duplicates, by whether the content is the same."""

    async def choose(self, found: Duplicates) -> Choice:
        same = found.same_content is not None
        answer: str = self._answers.get(same, "") or await asyncio.to_thread(_prompt, found)
        if answer.isupper():
            self._answers[same] = answer
        other = found.same_content or found.same_name
        assert other is not None  # called only for duplicates
        policy = _ANSWERS[answer.lower()]
        return Choice(policy, other["id"] if policy == "new_version" else None, leave_out=policy == "skip")


@dataclass(frozen=True)
class UnattendedChoice:
    """Stands in for a person who cannot be asked: the same content is skipped, an edited file is refused."""

    before: frozenset[str]
    """Ids of the documents that the matter held before. Files of one name from several folders are different files."""

    async def choose(self, found: Duplicates) -> Choice:
        namesake = found.same_name
        if found.same_content is not None or namesake is None:
            return Choice("skip")
        if namesake["id"] not in self.before:
            return Choice("keep")
        raise Invalid(
            f"Not taken in: another file of this name is in this matter (received {str(namesake['created_at'])[:10]}). "
            "To make this one its new version, add --on-duplicate version; to keep both, --on-duplicate keep."
        )


def _prompt(found: Duplicates) -> str:
    if found.same_content is not None:
        known = found.same_content
        how = "was an earlier version of" if known["superseded"] else "is in this matter already, as"
        click.echo(f"\n{found.filename}: its content {how} {known['filename']} ({known['status']}).", err=True)
    else:
        assert found.same_name is not None
        received = str(found.same_name["created_at"])[:10]
        click.echo(f"\n{found.filename}: another file of this name is in this matter (received {received}).", err=True)
    question = "[s]kip it, [k]eep both, or make it a new [v]ersion? A capital letter answers for all others like it"
    default = "s" if found.same_content is not None else "k"
    choice = click.prompt(question, type=click.Choice([*"skvSKV"]), default=default, show_choices=False, err=True)
    return str(choice)


@dataclass
class FoundFiles:
    files: list[Path]
    hidden: int = 0
    """Number of skipped hidden files and folders."""


def files_under(paths: tuple[Path, ...]) -> FoundFiles:
    """Lists the files of folders recursively, sorted by name. Skips hidden files, and reports skipped links and devices."""
    found = FoundFiles([])
    for path in paths:
        if path.is_dir():
            _walk(path, found)
        else:
            found.files.append(path)
    return found


def _walk(folder: Path, found: FoundFiles) -> None:
    for place, folders, names in os.walk(folder, onerror=_not_opened):
        found.hidden += sum(name.startswith(".") for name in (*folders, *names))
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in [n for n in folders if (Path(place) / n).is_symlink()]:
            click.echo(f"- {name}: skipped, a link to somewhere else", err=True)
        for path in (Path(place) / name for name in sorted(names) if not name.startswith(".")):
            if path.is_symlink():
                click.echo(f"- {path.name}: skipped, a link to somewhere else", err=True)
            elif path.is_file():
                found.files.append(path)
            else:
                click.echo(f"- {path.name}: skipped, not a file", err=True)


def _not_opened(error: OSError) -> None:
    click.echo(f"- {Path(error.filename).name}: skipped, the folder cannot be opened", err=True)


async def find_or_create_matter(s: Session, name: str) -> str:
    """The id of a matter by number, id or title; creates a matter of that title if there is none."""
    try:
        return (await s.services.library.matter(s.caller, name))["id"]
    except MatterNotFound:
        if _REFERENCE.fullmatch(name):
            raise  # a mistyped number or id must not become the title of a new matter
    made = await create_matter(s.services.store, s.caller, name)
    click.echo(f"Created matter {made['number']} {made['title']}", err=True)
    return made["id"]
