from __future__ import annotations

import asyncio
import logging
import signal

import click

from orderly.cli.session import runs
from orderly.jobs import Worker
from orderly.settings import load_settings
from orderly.telemetry.logs import log_to_standard_error
from orderly.wiring.services import open_operator, open_services


@click.command()
@click.option("--jobs", "--concurrency", default=1, show_default=True, type=click.IntRange(1, 32), help="Concurrent documents.")
@click.option("--once", is_flag=True, help="Stop when nothing is waiting.")
@click.option("--verbose", is_flag=True, help="Log each step.")
@runs
async def worker(jobs: int, once: bool, verbose: bool) -> None:
    """Ingest queued documents and answer queued reviews until stopped. Several workers may run, on one or more machines."""
    settings = load_settings()
    log_to_standard_error(logging.INFO if verbose else logging.WARNING, as_json=settings.log_json)
    async with open_services(settings) as services, open_operator(services) as operator:
        running = Worker(operator, settings, jobs=jobs)
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, running.stop)
        click.echo("Working. Stop with Ctrl-C.", err=True)
        await running.run(until_idle=once)
    click.echo("Stopped.", err=True)
