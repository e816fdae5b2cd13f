from __future__ import annotations

from dataclasses import asdict

import click

from orderly.agent import rendering
from orderly.cli.session import json_option, runs, session, show
from orderly.models import RESULTS
from orderly.services.search import Mode


@click.command()
@click.argument("matter")
@click.argument("query")
@click.option("--max-results", default=RESULTS, show_default=True, type=click.IntRange(1, 100))
@click.option("--mode", type=click.Choice(["hybrid", "semantic"]), default="hybrid", show_default=True)
@click.option("--within", multiple=True, help="Id of a document, folder or section to search; may be given several times.")
@json_option
@runs
async def search(matter: str, query: str, max_results: int, mode: Mode, within: tuple[str, ...], as_json: bool) -> None:
    """Search the documents of a matter ("all": of all your matters)."""
    async with session() as s:
        result = await s.services.library.search(s.caller, matter, query, max_results, within or None, mode)
    data = {
        "matter": result.matter["number"],
        "query": result.query,
        "stages": result.stages,
        "named_documents": result.named,
        "words_only": result.words_only,
        "repeated": result.repeated,
        "engine": result.engine,
        "engine_failed": result.engine_failed,
        "results": [passage.record() for passage in result.passages],
        "raw_text": [asdict(piece) for piece in result.raw],
        "not_searched": rendering.unread_notes(result.documents, result.raw_searched, result.raw_unread),
    }
    show(data, rendering.search_results(result), as_json)


@click.command()
@click.argument("document_id")
@click.argument("question")
@json_option
@runs
async def extract(document_id: str, question: str, as_json: bool) -> None:
    """Extract the exact words of a document that answer a question."""
    async with session() as s:
        result = await s.services.library.extract(s.caller, document_id, question)
    data = {
        "document": result.document_name,
        "question": result.question,
        "answer": result.answer.record() if result.answer else None,
        "answers": [passage.record() for passage in result.answers],
        "confidence": result.confidence,
        "inextractability_score": result.inextractability_score,
        "candidates": [passage.record() for passage in result.candidates],
        "engine": result.engine,
    }
    show(data, rendering.extraction(result), as_json)


@click.command()
@click.argument("document_id")
@click.option(
    "--type", "types", multiple=True, help="A clause type; may be given several times. Default: the ten standard types."
)
@json_option
@runs
async def classify(document_id: str, types: tuple[str, ...], as_json: bool) -> None:
    """Find the clauses of an agreement by type."""
    async with session() as s:
        report = await s.services.library.classify(s.caller, document_id, list(types) or None)
    data = {
        "document": report.document_name,
        "is_contract": report.is_contract,
        "clauses": {kind: [passage.record() for passage in found] for kind, found in report.found.items()},
        "engine": report.engine,
    }
    show(data, rendering.clause_report(report), as_json)


@click.command()
@click.argument("document_id")
@click.option("--first-page", default=None, type=click.IntRange(1))
@click.option("--last-page", default=None, type=click.IntRange(1))
@json_option
@runs
async def text(document_id: str, first_page: int | None, last_page: int | None, as_json: bool) -> None:
    """Print the text of a document."""
    async with session() as s:
        found = await s.services.library.text(s.caller, document_id, first_page, last_page)
    data = {
        "document": found.name,
        "status": found.status,
        "paged": found.paged,
        "total": found.total,
        "complete": found.complete,
        "parts": [{"number": part.number, "text": part.text, "flags": part.flags} for part in found.parts],
    }
    show(data, rendering.document_text(found), as_json)
