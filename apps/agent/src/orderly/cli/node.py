from __future__ import annotations

import logging
import os

import click

from orderly.aegra import server
from orderly.cli.session import runs
from orderly.settings import load_settings


@click.group()
def node() -> None:
    """Nodes of the production server (Aegra), which share one Postgres and one Redis."""


@node.command("upgrade")
@runs
async def upgrade() -> None:
    """Migrate the databases to this version. Run once, before the nodes of this version start."""
    logging.basicConfig(level=logging.WARNING)
    await server.upgrade(load_settings())
    click.echo("The databases are up to date.")


@node.command("serve")
@click.option("--host", default="127.0.0.1", show_default=True, help="Keep the default behind a TLS proxy.")
@click.option("--port", default=2026, show_default=True, type=click.IntRange(1, 65535))
@click.option("--runs", "run_count", default=10, show_default=True, type=click.IntRange(1, 200), help="Concurrent runs.")
@runs
async def serve(host: str, port: int, run_count: int) -> None:
    """Serve requests and work on runs until stopped. Refuses to start if a route answers without authentication."""
    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(levelname)s %(name)s %(message)s")
    os.environ["ORDERLY_BIND_HOST"] = host
    await server.serve(load_settings(), host, port, run_count)
