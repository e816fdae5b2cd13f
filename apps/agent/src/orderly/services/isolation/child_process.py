"""The parent's side of one child process. Blocking."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from contextlib import suppress
from pathlib import Path

import orderly
from orderly.services.isolation.messages import Broken, pack, receive, send

MISBEHAVED = 1
"""Exit code that is returned for a child that had to be killed."""


class ChildProcess:
    """A child that gets no key, no database address and nothing else of the server's environment.

    Where the system allows it, the child can also not reach them, and reads no files but programs and temporary ones
    (confinement.py).
    """

    def __init__(self, module: str, memory_mb: int) -> None:
        self.temporary = tempfile.gettempdir()
        self._process = subprocess.Popen(  # noqa: S603  # no argument comes from outside
            [sys.executable, "-P", "-X", "utf8", "-m", module, str(os.getpid()), str(memory_mb), self.temporary],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd="/",
            env=_environment(),
            start_new_session=True,  # an interrupt at the terminal reaches only the parent
        )
        assert self._process.stdin is not None and self._process.stdout is not None
        self._to, self._from = self._process.stdin, self._process.stdout
        self.used = False
        try:
            missing, self.spent = receive(self._from)
        except Broken as exc:
            raise RuntimeError(f"The program {module} did not start: it ended with {self.end(patience=5)}.") from exc
        self.unconfined = missing.decode()
        """Why the system does not confine the child; empty where it does."""

    def ask(self, operation: str, argument: bytes, seconds: float) -> bytes:
        """Returns the packed reply and sets `spent` if it is the child's last. Raises Broken if the child has ended."""
        self.used = True
        send(self._to, pack([operation, argument, seconds]))
        reply, self.spent = receive(self._from)
        return reply

    def kill(self) -> None:
        """Kills the child; `ask` then raises Broken. Thread-safe."""
        self._process.kill()

    def end(self, *, patience: float = 0) -> int:
        """Waits `patience` seconds for the child to end, then kills it. Returns the exit code, negative for a signal."""
        try:
            code = self._process.wait(patience)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
            code = MISBEHAVED
        for pipe in (self._to, self._from):
            with suppress(OSError):  # unsent bytes are lost
                pipe.close()
        return code


def _environment() -> dict[str, str]:
    """Names this package's folder, and limits numerical libraries to one thread."""
    return {
        "PYTHONPATH": str(Path(orderly.__file__).parents[1]),
        "LC_ALL": "C.UTF-8",
        "HOME": "/nonexistent",  # else libraries look the user up, in files out of the child's reach
        "OMP_THREAD_LIMIT": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "MALLOC_ARENA_MAX": "1",
    }
