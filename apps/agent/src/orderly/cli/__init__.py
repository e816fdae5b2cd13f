"""The command line interface, `orderly`."""

from __future__ import annotations

import importlib
import logging
import sys

import click

from orderly.cli.state import State
from orderly.errors import Denied, Invalid, NotFound, OrderlyError

EXIT_CODES: tuple[tuple[type[OrderlyError], int], ...] = ((NotFound, 4), (Denied, 5), (Invalid, 2))
"""Exit codes for scripts; any other error exits with 1."""

COMMANDS = {
    "around": "browse:around",
    "ask": "ask:ask",
    "audit": "audit:audit",
    "backup": "backup:backup",
    "browse": "browse:browse",
    "chat": "ask:chat",
    "classify": "questions:classify",
    "delete": "documents:delete",
    "demo": "demo:demo",
    "doctor": "doctor:doctor",
    "eval": "evaluation:evaluate",
    "extract": "questions:extract",
    "find": "browse:find",
    "firm": "firm:firm",
    "folders": "folders:folders",
    "grep": "browse:grep",
    "health": "health:health",
    "hold": "documents:hold",
    "info": "browse:info",
    "ingest": "ingest:ingest",
    "list": "documents:list_documents",
    "look": "pages:look",
    "matters": "matters:matters",
    "mcp": "mcp:mcp",
    "node": "node:node",
    "page": "pages:page",
    "processors": "processors:processors",
    "read": "browse:read",
    "receipts": "documents:receipts",
    "reembed": "reembed:reembed",
    "reingest": "documents:reingest",
    "restore": "backup:restore",
    "restrict": "firm:restrict",
    "retention": "retention:retention",
    "review": "reviews:review",
    "search": "questions:search",
    "serve": "serve:serve",
    "text": "questions:text",
    "usage": "usage:usage",
    "user": "people:user",
    "verify": "verification:verify",
    "verify-store": "backup:verify_store",
    "worker": "worker:worker",
}
"""Module and function of each command, imported on use: importing the graph takes a second."""


class Commands(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module, function = COMMANDS[cmd_name].split(":")
        command: click.Command = getattr(importlib.import_module(f"orderly.cli.{module}"), function)
        return command


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--as", "user", metavar="EMAIL", envvar="ORDERLY_USER", help="Act for this user (operator only).")
@click.version_option(package_name="orderly")
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
        click.echo(f"Error: {error.message}", err=True)
        sys.exit(next((code for kind, code in EXIT_CODES if isinstance(error, kind)), 1))
