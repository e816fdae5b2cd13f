from __future__ import annotations

import asyncio
import importlib.util
import os
import socket
import sys
from pathlib import Path

import click

from orderly.errors import Misconfigured
from orderly.settings import Settings, is_loopback, load_settings
from orderly.store.file_lock import FileLock
from orderly.wiring.server_files import server_folder
from orderly.wiring.services import open_services


@click.command()
@click.option("--host", default="127.0.0.1", show_default=True)
@click.option("--port", default=2024, show_default=True, type=click.IntRange(1, 65535))
@click.option("--jobs", default=40, show_default=True, type=click.IntRange(1), help="Concurrent runs.")
def serve(host: str, port: int, jobs: int) -> None:
    """Start the development server: the graph behind the LangGraph API."""
    settings = load_settings()
    if settings.studio_token is not None and not is_loopback(host):
        raise Misconfigured("ORDERLY_STUDIO_TOKEN lets Studio in without a token; it works on a loopback address only.")
    require_free(host, port)
    if importlib.util.find_spec("langgraph_cli") is None or importlib.util.find_spec("langgraph_api") is None:
        raise Misconfigured("The development server is not installed: install the package langgraph-cli[inmem].")
    asyncio.run(_require_usable(settings))
    config = server_folder("langgraph.json", settings) / "langgraph.json"
    address = f"http://{f'[{host}]' if ':' in host else host}:{port}"
    hold_home(settings.home, address)
    click.echo(f"The page: {address}/app  (API reference: {address}/docs). Stop with Ctrl-C.")
    command = [
        sys.executable, "-m", "langgraph_cli", "dev", "--config", str(config), "--host", host, "--port", str(port),
        "--n-jobs-per-worker", str(jobs), "--no-browser", "--no-reload",
    ]  # fmt: skip
    # The server has another current folder, where relative paths would name other places.
    paths = {f"ORDERLY_{name.upper()}": str(value) for name, value in settings if isinstance(value, Path)}
    # The authentication reads ORDERLY_BIND_HOST: Studio may connect on a loopback address only.
    environment = {**os.environ, **paths, "ORDERLY_BIND_HOST": host}
    if settings.log_json:
        environment |= {"LOG_JSON": "true", "LOG_COLOR": "false"}
    os.chdir(config.parent)
    sys.stdout.flush()
    # Replaces this process, so that signals reach the server.
    os.execve(command[0], command, environment)  # noqa: S606  # no user input in the arguments


async def _require_usable(settings: Settings) -> None:
    """Raises Misconfigured and StoreUnavailable for what every request would fail of."""
    async with open_services(settings):
        pass


def hold_home(home: Path, address: str) -> None:
    """Holds the home for the server at this address until the process ends. Raises Misconfigured if another one holds it.

    A development server keeps conversations in its own memory: with two, people would find different ones.
    """
    file = home / "serve.lock"
    try:
        home.mkdir(parents=True, exist_ok=True)
        lock = FileLock(file)
    except OSError as error:
        raise Misconfigured(
            "The server cannot write to its folder.",
            operator=f"The server cannot write to {home} (ORDERLY_HOME): {error.strerror}.",
        ) from error
    if not lock.try_acquire():
        raise Misconfigured(
            "A server runs on this home already.",
            operator=f"A server runs on {home} already, at {file.read_text() or 'an address of its own'}: "
            "stop it, or set ORDERLY_HOME to another folder.",
        )
    file.write_text(address)
    lock.keep_over_exec()


def require_free(host: str, port: int) -> None:
    """Raises Misconfigured if the port is in use, or the address is not one of this machine."""
    try:
        with socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET):
            pass
    except OSError as error:
        said = os.strerror(error.errno) if error.errno and error.errno > 0 else "unknown address"
        raise Misconfigured(f"The server cannot listen on {host} port {port}: {said}. See --host and --port.") from error
