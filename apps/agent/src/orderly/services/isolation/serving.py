"""The loop of a child process: `python -m MODULE PARENT_PID MEMORY_MB TEMPORARY_FOLDER`.

Requests come in on standard input, replies go out on standard output, one for one. The child ends when its input does.
"""

from __future__ import annotations

import gc
import os
import sys
import traceback
from collections.abc import Callable
from itertools import count
from typing import IO, Any

from orderly.errors import OrderlyError
from orderly.services.isolation.confinement import Unconfined, confine_access
from orderly.services.isolation.messages import Broken, pack, receive, send, unpack
from orderly.services.isolation.process_limits import allow_seconds, confine, die_with_parent, memory_mb

Answer = Callable[[str, Any], object]
"""Runs an operation on plain values. The result is what `pack` takes."""

_MOST_REQUESTS = 500
_MOST_IDLE_MB = 300
"""A child that has answered so many requests, or holds so much memory between two of them, is replaced by a fresh one."""

_COLLECT_AFTER = 50_000
"""Allocations between two searches for reference cycles. Readers make few; the default of 700 costs 5 % of a PDF's time."""


def serve(answer: Answer) -> None:
    """Answers requests until the input ends, a limit is reached, or the parent is gone."""
    replies = os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # what a library prints must not reach the parent as a reply
    parent, limit, temporary = sys.argv[1:]
    die_with_parent(int(parent))
    confine(int(limit))
    collect_garbage_rarely()
    try:
        send(replies, _confined(temporary))
        _answer_requests(answer, sys.stdin.buffer, replies)
    except Broken:
        pass  # the parent has gone


def _confined(temporary: str) -> bytes:
    """Confines the process. Returns why it could not be confined, in UTF-8, or nothing."""
    try:
        confine_access(temporary)
    except (Unconfined, OSError) as missing:
        return str(missing).encode()
    return b""


def collect_garbage_rarely() -> None:
    gc.freeze()
    gc.set_threshold(_COLLECT_AFTER)


def _answer_requests(answer: Answer, requests: IO[bytes], replies: IO[bytes]) -> None:
    for served in count(1):
        operation, argument, seconds = unpack(receive(requests)[0])
        allow_seconds(seconds)
        reply = _reply(answer, operation, argument)
        last = reply is None or served >= _MOST_REQUESTS or memory_mb() > _MOST_IDLE_MB
        send(replies, reply or pack(["memory", None]), last=last)
        if last:
            return


def _reply(answer: Answer, operation: str, argument: bytes) -> bytes | None:
    """Returns the packed result or error; None if there was not enough memory."""
    try:
        return pack(["done", answer(operation, unpack(argument))])
    except OrderlyError as error:
        return pack(["failed", [type(error).__name__, error.message]])
    except MemoryError:
        return None
    except Exception:  # noqa: BLE001  # it is raised again in the parent
        return pack(["bug", traceback.format_exc()])
