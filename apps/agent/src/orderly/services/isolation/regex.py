"""Matches regular expressions of callers in child processes, within limits of time and memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from orderly.errors import Invalid
from orderly.services.isolation.pool import ProcessPool
from orderly.services.isolation.regex_matching import Matches


class TooSlow(Exception):
    """The expression took more time or memory than allowed. Never leaves the services."""


class RegexProgram:
    """Satisfies `ChildProgram`."""

    module = "orderly.services.isolation.regex_child"

    def reported(self, error: str, message: str) -> Invalid:
        return {Invalid.__name__: Invalid}[error](message)

    def too_long(self, _operation: str, _seconds: float) -> TooSlow:
        return TooSlow()

    def too_much_memory(self, _memory_mb: int) -> TooSlow:
        return TooSlow()

    def crashed(self) -> TooSlow:
        return TooSlow()


REGEX = RegexProgram()


@dataclass(frozen=True, slots=True)
class RegexMatcher:
    pool: ProcessPool
    """Runs the program `REGEX`."""

    async def match(
        self, pattern: str, text: str, spans: Sequence[Sequence[int]] | None, *, ignore_case: bool, seconds: float
    ) -> Matches:
        """Finds matches inside `spans`, or anywhere where that is None. `^` and `$` match at line ends too.

        Raises:
            Invalid: the pattern cannot be compiled.
            TooSlow: the time or memory limit was exceeded.

        """
        asked = {"pattern": pattern, "text": text, "spans": spans, "ignore_case": ignore_case}
        return await self.pool.call("match", asked, _matches, seconds=seconds)


def _matches(plain: Any) -> Matches:
    spans = [(int(start), int(end)) for start, end in plain["spans"]]
    return Matches(int(plain["count"]), spans, int(plain["groups"]))
