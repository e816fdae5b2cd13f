"""A process that matches one regular expression against texts, and nothing else. Started by file, with the standard library.

It reads frames (four bytes of length, then JSON) and answers each with one: first the expression, then text by text. Whoever
started it ends it when it takes too long: no expression can hold up anything but this process.
"""

from __future__ import annotations

import json
import re
import resource
import struct
import sys
from typing import IO, Any

MOST_MATCHES = 10_000
"""Of one text that are given back; all are counted."""

MEMORY = 1 << 30
"""Bytes of address space."""


def limit_itself(cpu_seconds: int) -> None:
    """Ends by itself when nobody is left to end it."""
    for what, amount in ((resource.RLIMIT_CORE, 0), (resource.RLIMIT_CPU, cpu_seconds), (resource.RLIMIT_AS, MEMORY)):
        hard = resource.getrlimit(what)[1]
        resource.setrlimit(what, (amount if hard == resource.RLIM_INFINITY else min(amount, hard), hard))


def receive(stream: IO[bytes]) -> Any:
    """None at the end of the stream."""
    head = stream.read(4)
    return json.loads(stream.read(struct.unpack(">I", head)[0])) if len(head) == 4 else None


def send(stream: IO[bytes], message: Any) -> None:
    data = json.dumps(message).encode()
    stream.write(struct.pack(">I", len(data)) + data)
    stream.flush()


def matches(pattern: re.Pattern[str], text: str, spans: list[list[int]] | None) -> dict[str, Any]:
    """Matches that are not empty: how many, [start, end] of the first ones, and how many groups closed one."""
    found: list[list[int]] = []
    groups: set[int | None] = set()
    count = 0
    for first, last in spans or [[0, len(text)]]:
        for match in pattern.finditer(text, first, last):
            if match.start() == match.end():
                continue
            count += 1
            if count <= MOST_MATCHES:
                found.append([match.start(), match.end()])
            groups.add(match.lastindex)
    return {"count": count, "matches": found, "groups": len(groups - {None})}


def main() -> None:
    incoming, outgoing = sys.stdin.buffer, sys.stdout.buffer
    asked = receive(incoming)
    if asked is None:
        return
    limit_itself(asked["cpu_seconds"])
    try:
        pattern = re.compile(asked["pattern"], re.MULTILINE | (re.IGNORECASE if asked["ignore_case"] else 0))
    except (re.error, OverflowError, RecursionError, MemoryError) as error:
        send(outgoing, {"error": str(error) or "it is too large"})
        return
    send(outgoing, {"error": None})
    while (frame := receive(incoming)) is not None:
        send(outgoing, matches(pattern, frame["text"], frame["spans"]))


if __name__ == "__main__":
    main()
