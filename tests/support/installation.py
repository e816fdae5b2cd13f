"""An installation of Orderly: runs its command line in separate processes and starts its server."""

from __future__ import annotations

import json
import multiprocessing
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

from orderly.cli import main
from support.engines import engine

_loaded = multiprocessing.get_context("forkserver")
_loaded.set_forkserver_preload(
    ["orderly.cli.session", "orderly.agent.tools", "deepagents", "langchain_openai", "onnxruntime", "pymupdf"]
)

Done = subprocess.CompletedProcess[str]

ORDERLY = Path(sys.executable).parent / "orderly"
MOST_SECONDS = 150
REMOVED_PREFIXES = ("ORDERLY_", "OPENAI_", "ISAACUS_", "SUPABASE_", "PYTHONDONTWRITEBYTECODE")
"""Prefixes of environment variables that are removed. Without bytecode files every command would compile the package."""
LOCAL_USER = "local@orderly.invalid"


def run_in_new_interpreter(arguments: Sequence[str], environment: Mapping[str, str], typed: str | None) -> Done:
    return subprocess.run(
        [ORDERLY, *arguments], check=False, env=environment, capture_output=True, text=True, input=typed, timeout=MOST_SECONDS
    )


def run_in_fork(arguments: Sequence[str], environment: Mapping[str, str], typed: str | None) -> Done:
    """Runs the command in a fork that has the package loaded, since imports take most of a short command's time."""
    with tempfile.TemporaryDirectory() as folder:
        streams = [str(Path(folder) / name) for name in ("in", "out", "err")]
        Path(streams[0]).write_text(typed or "")
        process = _loaded.Process(target=_command, args=(list(arguments), dict(environment), streams))
        process.start()
        process.join(MOST_SECONDS)
        if process.exitcode is None:
            process.kill()
            raise subprocess.TimeoutExpired(list(arguments), MOST_SECONDS)
        output, errors = (Path(stream).read_text() for stream in streams[1:])
        return subprocess.CompletedProcess(list(arguments), process.exitcode, output, errors)


def _command(arguments: list[str], environment: dict[str, str], streams: list[str]) -> None:
    os.environ.clear()
    os.environ.update(environment)
    for number, stream in enumerate(streams):
        os.dup2(os.open(stream, os.O_RDWR | os.O_CREAT), number)
    sys.stdin, sys.stdout, sys.stderr = os.fdopen(0), os.fdopen(1, "w", buffering=1), os.fdopen(2, "w", buffering=1)
    sys.argv = [str(ORDERLY), *arguments]
    main()


@dataclass(frozen=True)
class Installation:
    """One `ORDERLY_HOME`. `run` returns the finished process, `data` its parsed JSON."""

    home: Path
    new_interpreter: bool = False
    """True: every command runs in a new interpreter, as in a shell. False: in a fork of this process."""

    @property
    def environment(self) -> dict[str, str]:
        kept = {k: v for k, v in os.environ.items() if not k.startswith(REMOVED_PREFIXES)}
        return {**kept, "ORDERLY_HOME": str(self.home), "NO_COLOR": "1"}

    def run(
        self, *arguments: str, code: int = 0, typed: str | None = None, **environment: str
    ) -> subprocess.CompletedProcess[str]:
        """`typed`: the text on standard input."""
        environment = {**self.environment, **environment}
        done = (
            run_in_new_interpreter(arguments, environment, typed)
            if self.new_interpreter
            else run_in_fork(arguments, environment, typed)
        )
        assert done.returncode == code, f"{arguments} gave {done.returncode}:\n{done.stdout}\n{done.stderr}"
        return done

    def data(self, *arguments: str, **environment: str) -> Any:
        return json.loads(self.run(*arguments, "--json", **environment).stdout)


@dataclass(frozen=True)
class Office:
    """An installation with a lawyer, a matter of hers with one lease, and a colleague who is no member of the matter."""

    installation: Installation
    matter: str
    matter_id: str
    document_id: str
    token: str
    colleague_token: str
    colleague_id: str
    lawyer: str = LOCAL_USER
    """E-mail address."""
    colleague: str = "colleague@firm.example"
    """E-mail address."""


@dataclass(frozen=True)
class Server:
    url: str
    office: Office
    log: Path
    pid: int
    """The root process; the server's other processes descend from it."""


class started:
    """Context manager: starts the server on a free port; stops it and its child processes at exit."""

    def __init__(self, office: Office, environment: dict[str, str]) -> None:
        self._office, self._environment = office, environment
        self._engine = engine()

    def __enter__(self) -> Server:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        log = self._office.installation.home / f"server-{port}.log"
        environment = {**self._office.installation.environment, **self._environment}
        command, more = self._engine.start(ORDERLY, environment)
        with log.open("wb") as output:
            self._process = subprocess.Popen(
                [*command, "--port", str(port)],
                env={**environment, **more},
                cwd=self._engine.folder(self._office.installation.home),
                stdout=output,
                stderr=output,
                start_new_session=True,
            )
        url = f"http://127.0.0.1:{port}"
        for _ in range(480):
            try:
                if httpx.get(f"{url}{self._engine.health}", timeout=2).is_success:
                    return Server(url, self._office, log, self._process.pid)
            except httpx.HTTPError:
                pass
            assert self._process.poll() is None, log.read_text()
            time.sleep(0.25)
        raise AssertionError(log.read_text())

    def kill(self) -> None:
        """Sends SIGKILL, as the kernel does when memory runs out."""
        os.killpg(self._process.pid, 9)
        self._process.wait(timeout=10)

    def __exit__(self, *_: object) -> None:
        try:
            self._stop()
        finally:
            self._engine.stop()

    def _stop(self) -> None:
        if self._process.poll() is not None:
            return
        os.killpg(self._process.pid, 15)
        try:
            self._process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            os.killpg(self._process.pid, 9)
            self._process.wait(timeout=10)
