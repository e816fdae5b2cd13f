"""Processor time of child processes: what they work, whatever else the machine does."""

from __future__ import annotations

import os
from pathlib import Path

_TICKS = os.sysconf("SC_CLK_TCK")


def children_seconds(parent: int | None = None) -> float:
    """User and system seconds of the running descendants of a process (default: this one)."""
    threads = Path(f"/proc/{parent or os.getpid()}/task").glob("*/children")
    children = [int(child) for thread in threads for child in thread.read_text().split()]
    return sum(_own_seconds(child) + children_seconds(child) for child in children)


def _own_seconds(process: int) -> float:
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except FileNotFoundError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / _TICKS
