"""Resident memory and processor time of a server's processes, from /proc."""

from __future__ import annotations

import os
import re
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlsplit


def listening_process(root: int, url: str) -> int:
    """Returns the process among `root` and its descendants that listens at the port of `url`."""
    port = f":{urlsplit(url).port:04X} "
    lines = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines() if f"{port}00000000:0000 0A" in line]
    sockets = {f"socket:[{fields[9]}]" for fields in lines}
    for pid in _tree(root):
        for link in Path(f"/proc/{pid}/fd").iterdir():
            try:
                if str(link.readlink()) in sockets:
                    return pid
            except FileNotFoundError:
                continue  # closed since the folder was listed
    raise AssertionError(f"no process listens at {url}")


def _tree(root: int) -> list[int]:
    found = [root]
    for pid in found:
        with suppress(FileNotFoundError, ProcessLookupError):  # it ended since it was listed
            found += [
                int(id) for children in Path(f"/proc/{pid}/task").glob("*/children") for id in children.read_text().split()
            ]
    return found


def processor_seconds(root: int) -> float:
    """Of `root`, its descendants, and those of them that have ended."""
    ticks = 0
    for pid in _tree(root):
        with suppress(FileNotFoundError, ProcessLookupError):
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
            ticks += sum(map(int, fields[11:15]))  # proc_pid_stat(5): utime, stime, cutime, cstime
    return ticks / os.sysconf("SC_CLK_TCK")


def reset_peak(pid: int) -> float:
    """Resets the peak of resident memory and returns the current resident memory in MiB."""
    Path(f"/proc/{pid}/clear_refs").write_text("5")
    return _status(pid, "VmRSS")


def peak(pid: int) -> float:
    """Returns the peak of resident memory in MiB since `reset_peak`."""
    return _status(pid, "VmHWM")


def _status(pid: int, name: str) -> float:
    found = re.search(rf"{name}:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text())
    assert found
    return int(found[1]) / 1024
