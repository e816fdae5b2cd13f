"""A program that a process pool runs, as the pool sees it."""

from __future__ import annotations

from typing import Protocol


class ChildProgram(Protocol):
    """A module that calls `serve` when it is run, and the errors that its callers see."""

    @property
    def module(self) -> str:
        """Dotted name."""
        ...

    def reported(self, error: str, message: str) -> Exception:
        """Builds the error that a child reported by its class name. Raises KeyError for a name that it may not report."""
        ...

    def too_long(self, operation: str, seconds: float) -> Exception: ...

    def too_much_memory(self, memory_mb: int) -> Exception: ...

    def crashed(self) -> Exception: ...


class ChildBug(Exception):
    """A child raised an error that its program does not report; the text is the child's traceback."""
