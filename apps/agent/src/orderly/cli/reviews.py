from __future__ import annotations

import asyncio
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import click

from orderly.agent.rendering import review_line, review_reading, review_text
from orderly.cli.session import Session, json_option, operator_session, runs, session, show
from orderly.services.columns import column_sets
from orderly.services.exports import FORMATS
from orderly.services.reviews import (
    ANSWER_TYPES,
    FILTER_HELP,
    columns_of_questions,
    columns_of_sets,
    columns_to_ask,
    effective_value,
    find_cell,
    named_column,
    read_table,
)
from orderly.store.functions.review_cells import CellValue
from orderly.store.functions.reviews import ColumnChanges, ColumnQuestion, Review
from orderly.wiring.services import Operator

POLL_SECONDS = 0.5
"""Interval of looking for rows that a worker elsewhere holds."""


@click.group()
def review() -> None:
    """Reviews: one question per column, put to every document of a matter."""


@review.command("new")
@click.argument("matter")
@click.argument("name")
@click.option("--column", "questions", multiple=True, metavar="QUESTION", help="Add a column; may be given several times.")
@click.option("--set", "sets", multiple=True, metavar="SET", help=f"Add ready-made columns: {', '.join(column_sets())}.")
@click.option("--document", "documents", multiple=True, metavar="ID", help="Only this document; may be given several times.")
@json_option
@runs
async def new(
    matter: str, name: str, questions: tuple[str, ...], sets: tuple[str, ...], documents: tuple[str, ...], as_json: bool
) -> None:
    """Create the review NAME of MATTER: of every document, also of later ones, or of those given."""
    async with session() as s:
        columns = await columns_to_ask(s.services.engine, questions, sets)
        made = await s.services.reviews.create(s.caller, matter, name, columns, document_ids=list(documents) or None)
    show(made, review_text(made), as_json)


@review.command("columns")
@click.argument("matter")
@click.argument("name")
@click.option("--add", "questions", multiple=True, metavar="QUESTION", help="Add a column; may be given several times.")
@click.option("--set", "sets", multiple=True, metavar="SET", help=f"Add ready-made columns: {', '.join(column_sets())}.")
@click.option("--edit", metavar="COLUMN", help="Change this column (title or id); it is answered again, and no other is.")
@click.option("--remove", metavar="COLUMN", help="Delete this column with its cells.")
@click.option("--title", help="Of the added or changed column.")
@click.option("--question", help="Of the changed column.")
@click.option(
    "--type", "answer_type", type=click.Choice(ANSWER_TYPES), help="Of the answers. Default: as the question suggests."
)
@click.option("--option", "options", multiple=True, help="Of a choice; at least twice.")
@click.option("--subject", help="What to look for, such as a type of clause. Default: the question is put to the document.")
@json_option
@runs
async def columns(
    matter: str,
    name: str,
    questions: tuple[str, ...],
    sets: tuple[str, ...],
    edit: str | None,
    remove: str | None,
    as_json: bool,
    **given: Any,
) -> None:
    """Show the columns of a review, or add, change or delete some."""
    async with session() as s:
        reviews = s.services.reviews
        found = await reviews.find(s.caller, matter, name)
        changes = _changes(given)
        if sets:
            ready = columns_of_sets(sets, [column["title"] for column in found["columns"]])
            found = await reviews.add_columns(s.caller, found["id"], ready) if ready else found
        if questions:
            if len(questions) > 1 and changes:
                raise click.UsageError("Give --title, --type, --option and --subject for one column at a time.")
            asked = await columns_of_questions(s.services.engine, questions, () if changes else found["columns"])
            if asked:
                added = [_changed(column, changes) for column in asked]
                found = await reviews.add_columns(s.caller, found["id"], added)
        if edit:
            found = await reviews.edit_column(s.caller, named_column(edit, found["columns"])["id"], changes)
        if remove:
            found = await reviews.delete_column(s.caller, named_column(remove, found["columns"])["id"])
    show(found["columns"], review_text(found), as_json)


@review.command("run")
@click.argument("matter")
@click.argument("name")
@click.option("--again", is_flag=True, help="Also cells that are answered and have no verdict.")
@click.option("--no-wait", is_flag=True, help="Do not wait: `orderly worker` or the server answers.")
@json_option
@runs
async def run(matter: str, name: str, again: bool, no_wait: bool, as_json: bool) -> None:
    """Answer the cells that are missing, stale or failed. After an interruption, run it again to continue."""
    async with operator_session() as (s, operator):
        found = await s.services.reviews.find(s.caller, matter, name)
        found = await s.services.reviews.run(s.caller, found["id"], again=again)
        if not no_wait:
            from orderly.jobs import end  # noqa: PLC0415  # with the queue comes a framework, which other commands do without

            working = asyncio.create_task(_work(operator, found["id"]))
            try:
                found = await _wait(s, found, working)
            finally:
                await end([working])
    show(found, review_text(found), as_json)


@review.command("cancel")
@click.argument("matter")
@click.argument("name")
@json_option
@runs
async def cancel(matter: str, name: str, as_json: bool) -> None:
    """Stop the work on a review; what is answered stays."""
    async with session() as s:
        found = await s.services.reviews.find(s.caller, matter, name)
        found = await s.services.reviews.cancel(s.caller, found["id"])
    show(found, review_text(found), as_json)


@review.command("export")
@click.argument("matter")
@click.argument("name")
@click.argument("file", type=click.Path(dir_okay=False, writable=True, path_type=Path))
@runs
async def export(matter: str, name: str, file: Path) -> None:
    """Write a review to FILE: .xlsx with typed values, .csv with a line per cell, .docx with pictures of the quoted pages."""
    format = file.suffix.lower().removeprefix(".")
    if format not in FORMATS:
        raise click.BadParameter(f"The name must end in {', '.join(f'.{f}' for f in FORMATS)}.", param_hint="FILE")
    async with session() as s:
        found = await s.services.reviews.find(s.caller, matter, name)
        content = await s.services.exports.export(s.caller, found, format)
    await asyncio.to_thread(file.write_bytes, content)
    click.echo(f"{file}: {len(content):,} bytes")


@review.command("show")
@click.argument("matter")
@click.argument("name", required=False)
@click.option("--where", multiple=True, metavar="FILTER", help=f"Only rows for which this holds. {FILTER_HELP}")
@click.option("--document", help="Only documents whose name contains this.")
@click.option("--count", metavar="COLUMN", help="Also count the documents by the values of this column.")
@json_option
@runs
async def show_review(
    matter: str, name: str | None, where: tuple[str, ...], document: str | None, count: str | None, as_json: bool
) -> None:
    """List the reviews of MATTER, or show the rows of one with their quotations."""
    async with session() as s:
        if name is None:
            listed = await s.services.reviews.of_matter(s.caller, matter)
            show(listed, "\n".join(map(review_line, listed)) or "There are no reviews in this matter.", as_json)
            return
        found = await s.services.reviews.find(s.caller, matter, name)
        table = await s.services.reviews.table(s.caller, found)
    if document is not None:
        named = [r for r in table.rows if document.casefold() in r["document"]["filename"].casefold()]
        table = replace(table, rows=named, total=len(named))
    reading = read_table(table, where, (), count, limit=len(table.rows), offset=0)
    data = {"review": found, "rows": reading.rows, "undecided": reading.undecided, "counts": reading.counts}
    show(data, review_reading(reading), as_json)


@review.command("delete")
@click.argument("matter")
@click.argument("name")
@click.confirmation_option(prompt="Delete the review with its answers and verdicts?")
@runs
async def delete(matter: str, name: str) -> None:
    """Delete a review with its answers and verdicts."""
    async with session() as s:
        found = await s.services.reviews.find(s.caller, matter, name)
        await s.services.reviews.delete(s.caller, found["id"])
    click.echo(f"Deleted {found['name']}.")


@review.command("judge")
@click.argument("matter")
@click.argument("name")
@click.argument("document")
@click.argument("column")
@click.argument("verdict", type=click.Choice(["accept", "correct", "reject", "withdraw"]))
@click.option("--value", help="Of a correction: the value in words.")
@click.option("--note", default="", help="A remark, kept with the verdict.")
@json_option
@runs
async def judge(
    matter: str, name: str, document: str, column: str, verdict: str, value: str | None, note: str, as_json: bool
) -> None:
    """Give a verdict on the cell of DOCUMENT (name or id) and COLUMN."""
    async with session() as s:
        found = await s.services.reviews.find(s.caller, matter, name)
        chosen = named_column(column, found["columns"])
        cell = find_cell(await s.services.reviews.table(s.caller, found), document, chosen)
        kinds = {"accept": "accepted", "correct": "corrected", "reject": "rejected", "withdraw": "none"}
        if (verdict == "correct") != (value is not None):
            raise click.UsageError("Give --value with correct, and with nothing else.")
        corrected: CellValue | None = {"type": chosen["answer_type"], "text": value} if value is not None else None
        judged = await s.services.reviews.judge(
            s.caller, cell["id"], cast(Any, kinds[verdict]), seen=cell["edition"], value=corrected, note=note
        )
    stands = effective_value(judged)
    show(judged, f"{chosen['title']}: {stands['text'] if stands else 'nothing'} [{kinds[verdict]}]", as_json)


async def _work(operator: Operator, review_id: str) -> None:
    """Answers rows until cancelled. Rows that a worker elsewhere holds are that worker's, unless it dies."""
    while True:
        await operator.rows.answer_due(review_id)
        await asyncio.sleep(POLL_SECONDS)


async def _wait(s: Session, review: Review, working: asyncio.Task[None]) -> Review:
    """Shows the progress until nothing waits."""
    total = max(review["waiting"], 1)
    with click.progressbar(range(total), label="Cells", file=sys.stderr) as bar:
        while review["status"] == "running":
            await asyncio.wait((working,), timeout=POLL_SECONDS)
            if working.done():
                working.result()
            review = await s.services.reviews.find(s.caller, review["matter_id"], review["id"])
            bar.update(max(total - review["waiting"] - bar.pos, 0))
    return review


def _changes(given: dict[str, Any]) -> ColumnChanges:
    return cast(ColumnChanges, {k: list(v) if k == "options" else v for k, v in given.items() if v})


def _changed(proposed: ColumnQuestion, changes: ColumnChanges) -> ColumnQuestion:
    """The proposed column with what the person chose; options and subject that belong to another type are dropped."""
    kept = cast(ColumnQuestion, {**proposed, **changes})
    if kept["answer_type"] != proposed["answer_type"]:
        kept["options"] = changes.get("options", [])
        kept["subject"] = changes.get("subject")
    return kept
