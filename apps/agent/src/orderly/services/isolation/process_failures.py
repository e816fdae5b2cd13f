"""The failures that a process which reads files may report by name, and the words for those that it cannot report."""

from __future__ import annotations

import signal

from orderly.errors import Damaged, Empty, OcrFailed, OrderlyError, PasswordProtected, TooCostly, Unreadable, Unsupported
from orderly.services.isolation.process_limits import ProcessLimits

_BY_NAME: dict[str, type[OrderlyError]] = {kind.__name__: kind for kind in (Damaged, Empty, OcrFailed, TooCostly, Unsupported)}


class ReaderBug(Exception):
    """A reader raised what readers do not raise; the text is the traceback of its process."""


def failure_called(name: str, message: str) -> OrderlyError:
    """Raises KeyError for a name that a reader has no business with."""
    return PasswordProtected() if name == PasswordProtected.__name__ else _BY_NAME[name](message)


def too_much_memory(limits: ProcessLimits) -> Unreadable:
    return TooCostly(
        f"Reading the file takes more than {limits.memory_mb:,} MB of memory, the limit for one file, so it was not read. "
        "Split it, or save it anew without what makes it so large."
    )


def too_long(seconds: float, what: str) -> Unreadable:
    """`what`: "file" or "page"."""
    return TooCostly(
        f"Reading the {what} took longer than {seconds:,.0f} seconds, the limit for one {what}, so it was not read. "
        "Split the file, or save it anew in a simpler form."
    )


def crashed(code: int, limits: ProcessLimits) -> Unreadable:
    """`code`: as `subprocess` gives it, negative for a signal."""
    if code == -signal.SIGKILL:  # not ours, those are known: the system was short of memory
        return too_much_memory(limits)
    if code == -signal.SIGXCPU:
        return too_long(limits.seconds, "file")
    return Damaged("The file brought down the program that reads it, so it was not read. Save it anew and upload it again.")
