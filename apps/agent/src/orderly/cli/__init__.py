"""`orderly`: everything the product does, in a terminal."""

from __future__ import annotations

import sys

import click

from orderly.cli import asking, demo, doctor, documents, matters, people, serving
from orderly.cli.session import State
from orderly.errors import Denied, Invalid, NotFound, OrderlyError

EXIT_CODES: tuple[tuple[type[OrderlyError], int], ...] = ((NotFound, 4), (Denied, 5), (Invalid, 2))
"""What a script can tell apart; any other failure exits with 1."""


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--as", "user", metavar="EMAIL", envvar="ORDERLY_USER", help="Act for this user (operator only).")
@click.version_option(package_name="orderly")
@click.pass_context
def cli(context: click.Context, user: str | None) -> None:
    """Answers from a matter's documents, with quotations that stand on the named page."""
    context.obj = State(user)


for command in (
    people.user,
    matters.matters,
    documents.ingest,
    documents.list_documents,
    documents.delete,
    asking.search,
    asking.extract,
    asking.classify,
    asking.text,
    asking.ask,
    doctor.doctor,
    serving.serve,
    demo.demo,
):
    cli.add_command(command)


def main() -> None:
    """Domain errors end as one line and an exit code; anything else is a bug and shows itself."""
    try:
        cli()
    except OrderlyError as error:
        click.echo(f"Error: {error.message}", err=True)
        sys.exit(next((code for kind, code in EXIT_CODES if isinstance(error, kind)), 1))
