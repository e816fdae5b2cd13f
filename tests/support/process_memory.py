"""Resident memory of a server process, from /proc."""

from __future__ import annotations

import re
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
        found += [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    return found


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
