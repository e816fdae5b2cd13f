"""The program of a process that reads files: `python -m orderly.services.document_processor.child PARENT_PID MEMORY_MB`.

Requests come in on standard input, replies go out on standard output, one for one. It ends when its input does.
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

_REQUESTS = 500
_STOUT_MB = 300
"""A process that has served so many, or holds so much when it has nothing to do, makes room for a fresh one."""

_COLLECT_AFTER = 50_000
"""Objects made before Python looks for cycles. Readers make hardly any; looking after every 700 takes 5 % of a PDF's time."""

_TOO_DEEP = "The file is nested too deeply to be read. Save it anew in a simpler form and upload it again."


def main() -> None:
    replies = os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # a library that prints must not be taken for a reply
    parent, limit = map(int, sys.argv[1:])
    die_with_parent(parent)
    confine(limit)
    collect_seldom()
    try:
        send(replies, b"")
        _serve(sys.stdin.buffer, replies)
    except Broken:
        pass  # the parent has gone


def collect_seldom() -> None:
    gc.freeze()
    gc.set_threshold(_COLLECT_AFTER)


def _serve(requests: IO[bytes], replies: IO[bytes]) -> None:
    for served in count(1):
        operation, argument, seconds = unpack(receive(requests)[0])
        allow_seconds(seconds)
        reply = _answer(operation, argument)
        last = reply is None or served >= _REQUESTS or memory_mb() > _STOUT_MB
        send(replies, reply or pack(["memory", None]), last=last)
        if last:
            return


def _answer(operation: str, argument: bytes) -> bytes | None:
    """None: there was not enough memory."""
    try:
        return pack(["done", OPERATIONS[operation](unpack(argument))])
    except OrderlyError as error:
        return pack(["failed", [type(error).__name__, error.message]])
    except RecursionError:
        return pack(["failed", [Damaged.__name__, _TOO_DEEP]])
    except MemoryError:
        return None
    except Exception:  # noqa: BLE001  # it is raised again in the parent
        return pack(["bug", traceback.format_exc()])


if __name__ == "__main__":
    main()
