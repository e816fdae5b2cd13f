from __future__ import annotations

import sys
from typing import Any

import click
from rich.console import Console

from orderly.agent.middleware.briefing import RunContext
from orderly.agent.run import ask as run_graph
from orderly.cli.session import json_option, runs, session, show
from orderly.errors import Invalid
from orderly.graph import graph


@click.command()
@click.argument("question")
@click.option("--matter", default=None, help="Number or id of the matter to ask about.")
@json_option
@runs
async def ask(question: str, matter: str | None, as_json: bool) -> None:
    """Ask a question. Prints the steps as they happen, and the answer after its quotations are verified.

    If the matter is unclear, the command asks which one; without a terminal it lists the matters and exits with 2.
    """
    if not question.strip():
        raise Invalid("The question is empty.")
    console = Console(stderr=True, highlight=False)
    async with session() as s:
        if matter is not None:
            await s.services.library.matter(s.caller, matter)
        answer = await run_graph(
            graph,
            s.services,
            s.caller,
            question,
            context=RunContext(matter_id=matter),
            watch=lambda step: console.print(f"· {step}", style="dim", markup=False),
            choose=_choose if sys.stdin.isatty() else None,
        )
    data = {"answer": answer.text, "citations": answer.citations, "seconds": answer.seconds, "run_id": answer.run_id}
    show(data, answer.text, as_json)


def _choose(question: dict[str, Any]) -> str:
    click.echo(question["question"], err=True)
    for choice in question["choices"]:
        click.echo(f"- {choice['number']} {choice['title']}", err=True)
    return str(click.prompt("Number of the matter", err=True))
