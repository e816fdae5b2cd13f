"""Output of `orderly ingest`: progress, a line per file with its attachments below, and a summary."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from threading import Event, Thread

import click
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from orderly.models import PENDING_STATUSES, READABLE_STATUSES
from orderly.services.ingestion import LEFT_OUT, Ingested
from orderly.services.ingestion import Progress as Update

STAGES = {
    "waiting": "another worker has it",
    "extracting": "reading",
    "ocr": "recognising",
    "chunking": "finding sections",
    "embedding": "embedding",
}


SECONDS_BETWEEN_LINES = 15.0
"""Where the output is no terminal, and shows no bar."""


@contextmanager
def progress_of(name: str) -> Iterator[Update]:
    console = Console(stderr=True, highlight=False)
    if not console.is_terminal:
        with _lines_of(name) as update:
            yield update
        return
    columns = TextColumn("{task.description}", markup=False), BarColumn(bar_width=24), TimeElapsedColumn()
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task(name, total=None)

        def update(stage: str, done: int, total: int) -> None:
            progress.update(task, description=f"{name}: {STAGES.get(stage, stage)}", completed=done, total=total or None)

        yield update


@contextmanager
def _lines_of(name: str) -> Iterator[Update]:
    """Prints now and then how far a file is, from a thread, since some stages report nothing for minutes."""
    shown, ended = "reading", Event()

    def update(stage: str, done: int, total: int) -> None:
        nonlocal shown
        shown = STAGES.get(stage, stage) + (f", {done:,} of {total:,}" if total else "")

    def tell() -> None:
        while not ended.wait(SECONDS_BETWEEN_LINES):
            click.echo(f"… {name}: {shown}", err=True)

    teller = Thread(target=tell, daemon=True)
    teller.start()
    try:
        yield update
    finally:
        ended.set()
        teller.join()


def tree(reports: Sequence[Ingested]) -> Iterator[Ingested]:
    """Yields the reports and their attachments, each attachment after its carrier."""
    for report in reports:
        yield report
        yield from tree(report.attachments)


def unread(report: Ingested) -> bool:
    return report.status not in READABLE_STATUSES


def show_report(report: Ingested, depth: int = 0) -> None:
    click.echo("  " * depth + line(report), err=True)
    for attached in report.attachments:
        show_report(attached, depth + 1)


def line(report: Ingested) -> str:
    if report.note == LEFT_OUT:
        return f"- {report.filename}: left out, as chosen"
    if report.duplicate:
        known = f", as {report.note}" if report.note else ""
        why = f": {report.reason}" if report.status in ("failed", "unsupported") else ""
        return f"= {report.filename}: in this matter already{known} ({report.status}{why})"
    if report.status in PENDING_STATUSES:
        return f"… {report.filename}: {report.status}"
    if unread(report):
        return f"✗ {report.filename}: {report.status}: {report.reason}"
    mark, why = ("✓", "") if report.status == "ready" else ("!", f" (partial: {report.reason})")
    pages = f" from {report.pages} page{'' if report.pages == 1 else 's'}" if report.pages else ""
    chunks = f"{report.chunks} chunk{'' if report.chunks == 1 else 's'}"
    return f"{mark} {report.filename}: {chunks}{pages}{why}"


def summary(reports: Sequence[Ingested], refused: Sequence[dict[str, str]], hidden: int) -> list[str]:
    """Counts by status, then the unreadable and refused files with their reasons. Empty for a single file."""
    everything = list(tree(reports))
    if len(everything) + len(refused) < 2 and not hidden:
        return []
    fresh = [r for r in everything if not r.duplicate]
    count = Counter(r.status for r in fresh)
    known = len(everything) - len(fresh)
    parts = [f"{count[status]} {status}" for status in ("ready", "partial", "failed", "unsupported") if count[status]]
    waiting = len(fresh) - sum(count[s] for s in ("ready", "partial", "failed", "unsupported"))
    parts += [f"{waiting} still to be read"] if waiting else []
    parts += [f"{len(refused)} refused"] if refused else []
    parts += [f"{known} skipped (in this matter already, or left out)"] if known else []
    parts += [f"{hidden} hidden left out"] if hidden else []
    lines = [f"{_files(len(everything) + len(refused))}: {', '.join(parts)}."]
    reasons = [(r.filename, r.reason) for r in fresh if r.status in ("failed", "unsupported")]
    reasons += [(r["filename"], r["error"]) for r in refused]
    if reasons:
        lines += ["Not readable:", *(f"  {name}: {reason}" for name, reason in reasons)]
    return lines


def _files(count: int) -> str:
    return f"{count} file{'' if count == 1 else 's'}"
