"""Orderly as installed: the command line in processes of their own, and the development server really started."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

from engines import engine

ORDERLY = Path(sys.executable).parent / "orderly"
FOREIGN = ("ORDERLY_", "OPENAI_", "ISAACUS_", "SUPABASE_", "PYTHONDONTWRITEBYTECODE")
"""Settings of whoever runs the tests. Without bytecode every command would compile the whole package anew."""
LOCAL_USER = "local@orderly.invalid"


@dataclass(frozen=True)
class Installation:
    """One `ORDERLY_HOME`. `run` gives the finished process, `data` its JSON."""

    home: Path

    @property
    def environment(self) -> dict[str, str]:
        kept = {k: v for k, v in os.environ.items() if not k.startswith(FOREIGN)}
        return {**kept, "ORDERLY_HOME": str(self.home), "NO_COLOR": "1"}

    def run(
        self, *arguments: str, code: int = 0, typed: str | None = None, **environment: str
    ) -> subprocess.CompletedProcess[str]:
        """`typed`: what a person answers."""
        done = subprocess.run(
            [ORDERLY, *arguments],
            check=False,
            env={**self.environment, **environment},
            capture_output=True,
            text=True,
            input=typed,
            timeout=150,
        )
        assert done.returncode == code, f"{arguments} gave {done.returncode}:\n{done.stdout}\n{done.stderr}"
        return done

    def data(self, *arguments: str, **environment: str) -> Any:
        return json.loads(self.run(*arguments, "--json", **environment).stdout)


@dataclass(frozen=True)
class Office:
    """An installation with a lawyer, her matter and its lease, and a colleague who is no member of it."""

    installation: Installation
    matter: str
    matter_id: str
    document_id: str
    token: str
    colleague_token: str
    colleague_id: str


@dataclass(frozen=True)
class Server:
    url: str
    office: Office
    log: Path
    pid: int
    """Of the process that everything else of it descends from."""


class started:
    """The server on a free port, stopped with everything it started."""

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
        """As the kernel does when memory runs out: no warning, no clean-up."""
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
