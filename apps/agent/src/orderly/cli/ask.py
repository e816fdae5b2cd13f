from __future__ import annotations

import asyncio
import sys
from typing import Any

import click
from rich.console import Console

from orderly.agent.middleware.run_context import RunContext
from orderly.agent.run import Answer, Conversation
from orderly.agent.run import ask as run_graph
from orderly.cli import conversations
from orderly.cli.session import Session, json_option, runs, session, show
from orderly.errors import Invalid, OrderlyError
from orderly.graph import graph
from orderly.services.text import draft_fences

matter_option = click.option("--matter", default=None, help="Number, name or id of the matter to ask about.")


@click.command()
@click.argument("question")
@matter_option
@click.option("--continue", "goes_on", is_flag=True, help="Go on with your last question: “And in the other agreement?”")
@json_option
@runs
async def ask(question: str, matter: str | None, goes_on: bool, as_json: bool) -> None:
    """Ask a question. Prints the steps as they happen, and the answer after its quotations are verified.

    A draft for others (a letter, a clause) is printed alone on the standard output; what stands beside it goes to
    the error output.

    If the matter is unclear, the command asks which one; without a terminal it lists the matters and exits with 2. If the
    language model fails, the answer says why and what was found until then, and the command exits with 1.
    """
    if not question.strip():
        raise Invalid("The question is empty.")
    async with session() as s:
        home, user = s.services.settings.home, s.caller.user_id
        kept = conversations.load(home, user) if goes_on else conversations.Remembered(user)
        if goes_on and not kept.questions:
            raise Invalid("There is no question to go on with. Ask one without --continue first.")
        matter = matter or kept.matter
        answer = await _put(s, question, matter, Conversation.after(kept.questions))
        kept.add(question, matter)
        conversations.save(home, kept)
    data = {"answer": answer.text, "checks": answer.checks, "citations": answer.citations, "seconds": answer.seconds}
    data["run_id"] = answer.run_id
    text, beside = _apart(answer.text)
    if beside and not as_json:
        click.echo(beside, err=True)
    show(data | ({"stopped": answer.stopped} if answer.stopped else {}), text, as_json)
    if answer.stopped:
        raise click.exceptions.Exit(1)


@click.command()
@matter_option
@runs
async def chat(matter: str | None) -> None:
    """Hold a conversation: every question may refer to the ones before it. An empty line ends it."""
    async with session() as s:
        conversation = Conversation()
        while question := (await asyncio.to_thread(_next_question)).strip():
            try:
                click.echo((await _put(s, question, matter, conversation)).text)
            except OrderlyError as error:
                click.echo(f"Error: {error.message}", err=True)
            click.echo()


def _apart(answer: str) -> tuple[str, str]:
    """The drafts of an answer, which can be sent on as they are, and what stands beside them; without one, the answer."""
    drafts, lines, _ = draft_fences(answer)
    if not drafts:
        return answer, ""
    beside, at = [], 0
    for start, end in sorted([*drafts, *lines]):
        beside.append(answer[at:start])
        at = end
    words = "".join([*beside, answer[at:]]).strip()
    return "\n\n".join(answer[start:end].strip() for start, end in drafts), words


def _next_question() -> str:
    """The next line; empty at the end of the input."""
    try:
        return input("? ")
    except EOFError:
        return ""


async def _put(s: Session, question: str, matter: str | None, conversation: Conversation) -> Answer:
    console = Console(stderr=True, highlight=False)
    if matter is not None:
        meant = await s.services.library.matter(s.caller, matter)
        console.print(f"Matter: {meant['number']} {meant['title']}", style="dim", markup=False)
    return await run_graph(
        graph,
        s.services,
        s.caller,
        question,
        context=RunContext(matter_id=matter),
        watch=lambda step: console.print(f"· {step}", style="dim", markup=False),
        choose=_choose if sys.stdin.isatty() else None,
        conversation=conversation,
    )


def _choose(question: dict[str, Any]) -> str:
    click.echo(question["question"], err=True)
    for choice in question["choices"]:
        click.echo(f"- {choice['number']} {choice['title']}", err=True)
    return str(click.prompt("Number of the matter", err=True))
