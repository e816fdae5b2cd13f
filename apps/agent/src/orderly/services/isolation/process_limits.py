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
"""The parent's clock comes first; the processor's limit is for a child whose parent can no longer watch."""

_OPEN_FILES = 64
_NICENESS = 5
_MIB = 1 << 20


@dataclass(frozen=True, slots=True)
class ProcessLimits:
    """Of a process pool, and of each child in it."""

    processes: int = 2
    """That work at the same time."""
    seconds: float = 600.0
    """For one request that brings no limit of its own."""
    memory_mb: int = 2048
    """MiB of address space, program and libraries (some 300) included."""
    purpose: str = ""
    """Tells pools of the same program and limits apart, whose work must not wait for each other."""


def confine(memory_mb: int) -> None:
    """No more memory than that, no core dumps, which would hold a client's document, few open files, and less of the
    processors than the server, which answers people.
    """
    os.nice(_NICENESS)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_NOFILE, (_OPEN_FILES, _OPEN_FILES))
    if sys.platform == "linux":  # elsewhere the system refuses or ignores it; docs/fidelity.md says so
        resource.setrlimit(resource.RLIMIT_AS, (memory_mb * _MIB, memory_mb * _MIB))


def allow_seconds(seconds: float) -> None:
    """Of processor time from now on, for a native loop that outlives its parent."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    _, most = resource.getrlimit(resource.RLIMIT_CPU)
    soft = int(used.ru_utime + used.ru_stime + seconds) + _CPU_GRACE_S
    resource.setrlimit(resource.RLIMIT_CPU, (soft, most))


def die_with_parent(parent: int) -> None:
    """Where the system offers it, at once; elsewhere the closed pipe ends the child when it next looks at it."""
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        sys.exit(0)


def memory_mb() -> float:
    """MiB of memory that this process holds now; its largest so far where the system does not tell."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    except FileNotFoundError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / _MIB  # bytes on macOS
    return pages * resource.getpagesize() / _MIB
