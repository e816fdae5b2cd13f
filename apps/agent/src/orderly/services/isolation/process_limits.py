"""Limits of a child process, and how the system enforces them."""

from __future__ import annotations

import ctypes
import os
import resource
import signal
import sys
from dataclasses import dataclass
from pathlib import Path

_PR_SET_PDEATHSIG = 1
_CPU_GRACE_S = 10
"""Added to a child's processor time, because the parent's timer ends a slow child first."""

_OPEN_FILES = 64
_NICENESS = 5
_MIB = 1 << 20


@dataclass(frozen=True, slots=True)
class ProcessLimits:
    """Limits of a process pool and of each of its children."""

    processes: int = 2
    """Number of children."""
    seconds: float = 600.0
    """Time limit of a request without a time limit of its own."""
    memory_mb: int = 2048
    """Address space in MiB, including program and libraries (about 300 MiB)."""
    purpose: str = ""
    """Distinguishes pools of the same program and limits, so that their requests do not wait for each other."""


def confine(memory_mb: int) -> None:
    """Limits this process's memory and open files, forbids core dumps and lowers its priority below the server's.

    A core dump would hold a client's document.
    """
    os.nice(_NICENESS)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_NOFILE, (_OPEN_FILES, _OPEN_FILES))
    if sys.platform == "linux":  # elsewhere the system refuses or ignores it; docs/fidelity.md says so
        resource.setrlimit(resource.RLIMIT_AS, (memory_mb * _MIB, memory_mb * _MIB))


def allow_seconds(seconds: float) -> None:
    """Limits further processor time, which ends a loop in native code if the parent is gone."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    _, most = resource.getrlimit(resource.RLIMIT_CPU)
    soft = int(used.ru_utime + used.ru_stime + seconds) + _CPU_GRACE_S
    resource.setrlimit(resource.RLIMIT_CPU, (soft, most))


def die_with_parent(parent: int) -> None:
    """Ends this process when its parent ends: on Linux at once, elsewhere when it next reads from the closed pipe."""
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        sys.exit(0)


def memory_mb() -> float:
    """Returns the MiB of memory that this process holds; on systems without /proc, its maximum."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    except FileNotFoundError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / _MIB  # bytes on macOS
    return pages * resource.getpagesize() / _MIB
