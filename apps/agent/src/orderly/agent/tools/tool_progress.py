"""Tells those who watch a run what its tools do, beside what the stream says of the calls themselves."""

from __future__ import annotations

import functools
import time
from collections.abc import Awaitable, Callable
from typing import Any, ParamSpec

from orderly.agent.tools.context import stream_writer
from orderly.telemetry.metrics import TOOL_SECONDS
from orderly.telemetry.spans import span

P = ParamSpec("P")
Answer = tuple[Any, list[dict[str, Any]]]

STARTED, FINISHED, FAILED = (f"orderly.tool.{stage}" for stage in ("started", "finished", "failed"))
"""Types of custom events: {type, tool}, at the end with seconds and passages. They hold no argument and no document's word."""


def watched(tool: Callable[P, Awaitable[Answer]]) -> Callable[P, Awaitable[Answer]]:
    """Let `tool` tell when it starts and how it ends."""

    @functools.wraps(tool)
    async def wrapped(*args: P.args, **kwargs: P.kwargs) -> Answer:
        config: Any = kwargs.get("config")
        write = stream_writer(config)
        write({"type": STARTED, "tool": tool.__name__})
        began, ended, passages = time.monotonic(), FAILED, 0
        try:
            with span(f"tool {tool.__name__}"):
                answer = await tool(*args, **kwargs)
            ended, passages = FINISHED, len(answer[1])
            return answer
        finally:
            seconds = round(time.monotonic() - began, 3)
            TOOL_SECONDS.labels(tool.__name__, ended.rpartition(".")[2]).observe(seconds)
            write({"type": ended, "tool": tool.__name__, "seconds": seconds, "passages": passages})

    return wrapped
