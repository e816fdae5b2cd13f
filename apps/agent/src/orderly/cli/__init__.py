"""The command line interface, `orderly`."""

from __future__ import annotations

import gc
import importlib
import logging
import sys
from dataclasses import dataclass

import click

from orderly.errors import Denied, Invalid, NotFound, OrderlyError
from orderly.version import version

EXIT_CODES: tuple[tuple[type[OrderlyError], int], ...] = ((NotFound, 4), (Denied, 5), (Invalid, 2))
"""Exit codes for scripts; any other error exits with 1."""

GROUPS: dict[str, dict[str, tuple[str, str]]] = {
    "Ask and read": {
        "ask": ("ask:ask", "Ask a question about a matter, or about all of them."),
        "chat": ("ask:chat", "Ask several questions that refer to each other."),
        "search": ("questions:search", "Search the documents of a matter, or of all matters."),
        "extract": ("questions:extract", "Find the words of a document that answer a question."),
        "classify": ("questions:classify", "Find the clauses of an agreement by type."),
        "verify": ("verification:verify", "Check that a document contains a quotation word for word."),
        "grep": ("browse:grep", "Find exact words or a regular expression."),
        "look": ("pages:look", "Find pages by drawings, tables, signatures and stamps."),
        "browse": ("browse:browse", "List matters, or what a matter or folder contains."),
        "list": ("documents:list_documents", "List the documents of a matter."),
        "find": ("browse:find", "Find matters, folders and documents by name."),
        "info": ("browse:info", "Describe an id."),
        "read": ("browse:read", "Read a document, section or passage."),
        "around": ("browse:around", "Read the text before and after a passage."),
        "text": ("questions:text", "Print the text of a document."),
        "page": ("pages:page", "Write an image of a page, with a citation highlighted."),
        "review": ("reviews:review", "Put questions to every document of a matter, as a table."),
    },
    "Documents": {
        "ingest": ("ingest:ingest", "Add files and folders to a matter."),
        "reingest": ("documents:reingest", "Read a document's file again."),
        "health": ("health:health", "Report how a document was read, and what was not read."),
        "folders": ("folders:folders", "Folders of a matter."),
        "delete": ("documents:delete", "Delete a document and its attachments."),
        "receipts": ("documents:receipts", "List the deleted documents of a matter."),
        "hold": ("documents:hold", "Put a document under a legal hold, or lift it."),
        "restrict": ("firm:restrict", "Restrict a document to a group within its matter."),
    },
    "Matters and people": {
        "matters": ("matters:matters", "Matters, their members and their walls."),
        "user": ("people:user", "Users of this installation, and their tokens."),
        "firm": ("firm:firm", "People, groups, tools and matter members, for administrators."),
        "processors": ("processors:processors", "Which outside services may receive the text of a matter."),
        "retention": ("retention:retention", "Rules by which documents and conversations are removed."),
        "audit": ("audit:audit", "Who read, searched, asked and changed what."),
        "usage": ("usage:usage", "Requests to the legal engine and their tokens."),
    },
    "Installation": {
        "demo": ("demo:demo", "Read eight real contracts and answer questions about them."),
        "doctor": ("doctor:doctor", "Check what is configured, what works and what is missing."),
        "serve": ("serve:serve", "Start the development server and the page."),
        "node": ("node:node", "Nodes of the production server."),
        "worker": ("worker:worker", "Read documents and answer reviews from the queue until stopped."),
        "mcp": ("mcp:mcp", "Serve the tools to an MCP client over standard input."),
        "backup": ("backup:backup", "Write a backup of database and files."),
        "restore": ("backup:restore", "Restore a backup into an empty installation."),
        "verify-store": ("backup:verify_store", "Check the stored text, vectors and citations."),
        "reembed": ("reembed:reembed", "Embed documents again, with the engine that is configured."),
        "eval": ("evaluation:evaluate", "Measure the engine on documents with gold answers."),
    },
}
"""Module and function of each command, with its line in the overview. A module is imported on use: the graph takes a second."""

COMMANDS = {name: target for group in GROUPS.values() for name, (target, _) in group.items()}


class Commands(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module, function = COMMANDS[cmd_name].split(":")
        gc.disable()  # what a command loads stays: collections meanwhile free nothing, and take a tenth of the time
        try:
            command: click.Command = getattr(importlib.import_module(f"orderly.cli.{module}"), function)
        finally:
            gc.freeze()
            gc.enable()
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Writes the commands by subject, without importing them."""
        for title, group in GROUPS.items():
            with formatter.section(title):
                formatter.write_dl([(name, summary) for name, (_, summary) in group.items()])


@dataclass(frozen=True)
class State:
    """Values of the options before the command."""

    user: str | None


START = """\b
Start with:
  orderly demo
  orderly ingest FILE --matter "Smith v Jones"
  orderly ask "What is the notice period?" --matter "Smith v Jones"
"""


def _print_version(context: click.Context, _: click.Parameter, wanted: bool) -> None:
    if wanted:
        click.echo(f"orderly {version()}")
        context.exit()


@click.group(cls=Commands, epilog=START, context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--as", "user", metavar="EMAIL", envvar="ORDERLY_USER", help="Act for this user (operator only).")
@click.option("--version", is_flag=True, is_eager=True, expose_value=False, callback=_print_version, help="Print the version.")
@click.pass_context
def cli(context: click.Context, user: str | None) -> None:
    """Answers from a matter's documents, with quotations verified on the cited page."""
    context.obj = State(user)


def main() -> None:
    """Runs the command line. Prints an error of Orderly as one line, with an exit code; other exceptions propagate."""
    # These loggers report each retry; the command reports the final error.
    for name in ("psycopg.pool", "procrastinate"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    try:
        cli()
    except OrderlyError as error:
        click.echo(f"Error: {error.operator}", err=True)
        sys.exit(next((code for kind, code in EXIT_CODES if isinstance(error, kind)), 1))
