from __future__ import annotations

import logging
import os

import click

from orderly.aegra import server
from orderly.cli.session import runs
from orderly.settings import load_settings


@click.group()
def node() -> None:
    """The production server, Aegra: one node of it here, more of them elsewhere on the same Postgres and Redis."""


@node.command("upgrade")
@runs
async def upgrade() -> None:
    """Bring the databases to this version. Once, before the nodes of this version start."""
    logging.basicConfig(level=logging.WARNING)
    await server.upgrade(load_settings())
    click.echo("The databases are up to date.")


@node.command("serve")
@click.option("--host", default="127.0.0.1", show_default=True, help="Behind a proxy that speaks TLS, leave it as it is.")
@click.option("--port", default=2026, show_default=True, type=click.IntRange(1, 65535))
@click.option("--runs", "at_once", default=10, show_default=True, type=click.IntRange(1, 200), help="Runs at a time.")
@runs
async def serve(host: str, port: int, at_once: int) -> None:
    """Serve and work on runs until stopped. Refuses to start where somebody who is not signed in would be answered."""
    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(levelname)s %(name)s %(message)s")
    os.environ["ORDERLY_BIND_HOST"] = host
    await server.serve(load_settings(), host, port, at_once)
