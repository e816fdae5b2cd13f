from __future__ import annotations

import importlib.util
import logging
import os
from functools import partial

import click

from orderly.aegra import server
from orderly.cli.serve import require_free
from orderly.cli.session import runs
from orderly.settings import load_settings
from orderly.upgrade import upgrade
from orderly.version import version


@click.group()
def node() -> None:
    """Nodes of the production server (Aegra), which share one Postgres and one Redis."""


@node.command("upgrade")
@click.option("--without-backup", is_flag=True, help="Make no backup before tables of an earlier version are migrated.")
@runs
async def upgrade_databases(without_backup: bool) -> None:
    """Bring the databases up to this version, after a backup into ORDERLY_HOME/backups. Run once, before its nodes start."""
    logging.basicConfig(level=logging.WARNING)
    settings = load_settings()
    if settings.store_kind == "supabase":
        await server.prepare_conversations(settings, server.conversations_on_supabase(settings))
        click.echo("The database of the conversations is up to date; `supabase db push` migrates the project's.")
        return
    installed = importlib.util.find_spec("aegra_api") is not None
    done = await upgrade(
        settings,
        partial(server.conversations_outdated, settings) if installed else None,
        partial(server.prepare_conversations, settings) if installed else None,
        backup=not without_backup,
    )
    if done.backup is not None:
        click.echo(f"Backed up to {done.backup}, without the keys.")
    click.echo(f"The {'databases are' if installed else 'database is'} up to date with Orderly {version()}.")
    if not installed:
        click.echo("The production server is not installed here: its database of conversations, if any, was left as it is.")


@node.command("serve")
@click.option("--host", default="127.0.0.1", show_default=True, help="Keep the default behind a TLS proxy.")
@click.option("--port", default=2026, show_default=True, type=click.IntRange(1, 65535))
@click.option("--runs", "run_count", default=10, show_default=True, type=click.IntRange(1, 200), help="Concurrent runs.")
@runs
async def serve(host: str, port: int, run_count: int) -> None:
    """Serve requests and work on runs until stopped. Refuses to start if a route answers without authentication."""
    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(levelname)s %(name)s %(message)s")
    os.environ["ORDERLY_BIND_HOST"] = host
    require_free(host, port)
    await server.serve(load_settings(), host, port, run_count)
