"""Program of a reader process: `python -m orderly.services.document_processor.child PARENT_PID MEMORY_MB`.

Reads requests from standard input and writes one reply each to standard output. Ends when its input ends.
"""

from __future__ import annotations

import gc
import os
import sys
import traceback
from itertools import count
from typing import IO

from orderly.errors import Damaged, OrderlyError
from orderly.services.document_processor.operations import OPERATIONS
from orderly.services.isolation import Broken, allow_seconds, confine, die_with_parent, memory_mb, pack, receive, send, unpack

_MAX_REQUESTS = 500
"""Requests after which the process ends and is replaced."""

_MAX_IDLE_MB = 300
"""Memory after a request above which the process ends and is replaced."""

_COLLECTION_THRESHOLD = 50_000
"""Allocations between runs of the cyclic garbage collector. Readers create few cycles; the default 700 costs 5 % for a PDF."""

_TOO_DEEP = "The file is nested too deeply to be read. Save it anew in a simpler form and upload it again."


def main() -> None:
    replies = os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # output printed by a library must not mix with replies
    parent, limit = map(int, sys.argv[1:])
    die_with_parent(parent)
    confine(limit)
    collect_garbage_rarely()
    try:
        send(replies, b"")
        _serve(sys.stdin.buffer, replies)
    except Broken:
        pass  # the parent process has ended


def collect_garbage_rarely() -> None:
    gc.freeze()
    gc.set_threshold(_COLLECTION_THRESHOLD)


def _serve(requests: IO[bytes], replies: IO[bytes]) -> None:
    for served in count(1):
        operation, argument, seconds = unpack(receive(requests)[0])
        allow_seconds(seconds)
        reply = _answer(operation, argument)
        last = reply is None or served >= _MAX_REQUESTS or memory_mb() > _MAX_IDLE_MB
        send(replies, reply or pack(["memory", None]), last=last)
        if last:
            return


def _answer(operation: str, argument: bytes) -> bytes | None:
    """Runs an operation and packs its result or error; None if memory ran out."""
    try:
        return pack(["done", OPERATIONS[operation](unpack(argument))])
    except OrderlyError as error:
        return pack(["failed", [type(error).__name__, error.message]])
    except RecursionError:
        return pack(["failed", [Damaged.__name__, _TOO_DEEP]])
    except MemoryError:
        return None
    except Exception:  # noqa: BLE001  # raised again in the parent
        return pack(["bug", traceback.format_exc()])


if __name__ == "__main__":
    main()
