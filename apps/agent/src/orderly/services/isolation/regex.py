"""Regular expressions from outside, matched in a process of their own that is ended when it takes too long."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from orderly.errors import Invalid
from orderly.services.isolation import regex_child
from orderly.services.isolation.regex_child import receive, send

CPU_SECONDS = 300
"""After that the process ends even when its parent is gone."""


@dataclass(frozen=True, slots=True)
class Matches:
    count: int
    spans: Sequence[tuple[int, int]]
    """Of the first `regex_child.MOST_MATCHES`."""
    groups: int
    """Groups of the expression that took part in a match."""


class TooSlow(Exception):
    """The expression was not done in the time given. Never leaves the services."""


class Matcher:
    """One expression. Blocking: use it in a thread. A text that takes too long costs a new process for the next one."""

    def __init__(self, pattern: str, *, ignore_case: bool) -> None:
        self._asked = {"pattern": pattern, "ignore_case": ignore_case, "cpu_seconds": CPU_SECONDS}
        self._process: subprocess.Popen[bytes] | None = None

    def match(self, text: str, spans: Sequence[Sequence[int]] | None, seconds: float) -> Matches:
        """Matches inside `spans`, or anywhere where that is None.

        Raises:
            Invalid: the expression is none.
            TooSlow: it took longer than `seconds`, or more memory than it may.
        """
        clock = threading.Timer(seconds, self.close)
        clock.start()
        try:
            found = self._ask(text, spans)
        except (OSError, ValueError) as exc:  # its pipes were closed when it was ended
            self.close()
            raise TooSlow from exc
        finally:
            clock.cancel()
        if found is None:
            self.close()
            raise TooSlow
        return Matches(found["count"], [(start, end) for start, end in found["matches"]], found["groups"])

    def close(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.wait()
            for pipe in (process.stdin, process.stdout):
                with suppress(BrokenPipeError):  # what it had not read yet
                    if pipe is not None:
                        pipe.close()

    def _ask(self, text: str, spans: Sequence[Sequence[int]] | None) -> Any:
        """None where the process ended before it answered."""
        process = self._process or self._started()
        if process is None:
            return None
        assert process.stdin is not None and process.stdout is not None
        send(process.stdin, {"text": text, "spans": spans})
        return receive(process.stdout)

    def _started(self) -> subprocess.Popen[bytes] | None:
        # No environment: it holds keys. No site packages: nothing but the standard library is needed.
        command = [sys.executable, "-I", "-S", regex_child.__file__]
        pipe = subprocess.PIPE
        process = self._process = subprocess.Popen(  # noqa: S603  # our own file
            command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, env={}
        )
        assert process.stdin is not None and process.stdout is not None
        send(process.stdin, self._asked)
        answer = receive(process.stdout)
        if answer is None:
            return None
        if answer["error"]:
            raise Invalid(f"The regular expression cannot be used: {answer['error']}.")
        return process
