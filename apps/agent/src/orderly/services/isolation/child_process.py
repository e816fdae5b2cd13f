"""One child process, as its parent holds it. Blocking."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import orderly
from orderly.services.isolation.messages import Broken, pack, receive, send

MISBEHAVED = 1
"""Exit code told of a process that had to be ended."""


class ChildProcess:
    """Started with nothing of the server's environment: no key, no address of a database."""

    def __init__(self, module: str, memory_mb: int) -> None:
        self._process = subprocess.Popen(  # noqa: S603  # nothing of it comes from outside
            [sys.executable, "-P", "-X", "utf8", "-m", module, str(os.getpid()), str(memory_mb)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd="/",
            env=_environment(),
            start_new_session=True,  # an interrupt at the terminal is the parent's affair
        )
        assert self._process.stdin is not None and self._process.stdout is not None
        self._to, self._from = self._process.stdin, self._process.stdout
        self.used = False
        try:
            _, self.spent = receive(self._from)
        except Broken as exc:
            raise RuntimeError(f"The program {module} did not start: it ended with {self.end(patience=5)}.") from exc

    def ask(self, operation: str, argument: bytes, seconds: float) -> bytes:
        """The packed reply. Raises Broken when the child is gone; `spent` tells that this was its last one."""
        self.used = True
        send(self._to, pack([operation, argument, seconds]))
        reply, self.spent = receive(self._from)
        return reply

    def kill(self) -> None:
        """From any thread: whoever waits for a reply gets Broken."""
        self._process.kill()

    def end(self, *, patience: float = 0) -> int:
        """Its exit code, negative for a signal; after `patience` seconds it is not waited for but killed."""
        try:
            code = self._process.wait(patience)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
            code = MISBEHAVED
        for pipe in (self._to, self._from):
            with suppress(OSError):  # what is left in it has no reader
                pipe.close()
        return code


def _environment() -> dict[str, str]:
    """Where this very package lies, and one thread for libraries that would take as many as there are processors."""
    return {
        "PYTHONPATH": str(Path(orderly.__file__).parents[1]),
        "LC_ALL": "C.UTF-8",
        "OMP_THREAD_LIMIT": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "MALLOC_ARENA_MAX": "1",
    }
