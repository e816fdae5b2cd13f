from __future__ import annotations

import time
from importlib.resources import as_file, files

import click

from orderly.agent.middleware.run_context import RunContext
from orderly.agent.run import Answer
from orderly.agent.run import ask as run_graph
from orderly.cli.ingest import files_under, find_or_create_matter, ingest_all
from orderly.cli.session import json_option, operator_session, runs, show
from orderly.graph import graph

MATTER = "Demonstration"
QUESTIONS = (
    "Find and quote the notice period for termination in the Lucid distributor agreement.",
    "Which documents are in this matter?",
    "What clauses does the Halitron sponsorship agreement contain?",
    "Which law governs the Hertz intellectual property agreement?",
    "Find and quote the confidentiality obligations in the Intricon strategic alliance agreement.",
    "Compare the governing law of the Intricon strategic alliance agreement and the GoCall promotion agreement.",
    "Is any party obliged to plant trees or to offset carbon emissions?",
)


@click.command()
@json_option
@runs
async def demo(as_json: bool) -> None:
    """Ingest eight real contracts and answer questions about them. Needs no key and no account."""
    began = time.perf_counter()
    async with operator_session() as (s, operator):
        matter_id = await find_or_create_matter(s, MATTER)
        with as_file(files("orderly") / "demo_documents") as folder:
            documents = [p for p in files_under((folder,)).files if p.suffix != ".md"]
            click.echo(f"Reading {len(documents)} documents (Word, text, PDF as filed, and a scan) ...", err=True)
            reports, refused = await ingest_all(s, operator.file_ingestor, matter_id, documents)
        ingested = time.perf_counter() - began
        click.echo(f"Ready after {ingested:.1f} s.\n", err=True)
        answers: list[tuple[str, Answer]] = []
        for question in QUESTIONS:
            context = RunContext(matter_id=matter_id)
            answer = await run_graph(graph, s.services, s.caller, question, context=context)
            answers.append((question, answer))
            if not as_json:
                click.echo(f"{'─' * 100}\nQ: {question}\n\n{answer.text}\n\n({answer.seconds:.1f} s)\n")
    if as_json:
        data = [{"question": q, "answer": a.text, "citations": a.citations, "seconds": a.seconds} for q, a in answers]
        show({"ingested_seconds": ingested, "answers": data}, "", True)
    click.echo(f"Done in {time.perf_counter() - began:.1f} s.", err=True)
    if refused or any(r.status not in ("ready", "partial") for r in reports):
        raise click.exceptions.Exit(1)
