"""Custom stream events at the start and end of each tool call, with a metric and a trace span."""

from __future__ import annotations

import functools
import time
from collections.abc import Awaitable, Callable
from typing import Any, ParamSpec

from orderly.agent.tools.context import stream_writer
from orderly.telemetry.metrics import TOOL_SECONDS
from orderly.telemetry.spans import span

P = ParamSpec("P")
ToolOutput = tuple[Any, list[dict[str, Any]]]

STARTED, FINISHED, FAILED = (f"orderly.tool.{stage}" for stage in ("started", "finished", "failed"))
"""Types of the events {type, tool}; the last two also have seconds and passages. No event has arguments or document text."""


def with_progress_events(tool: Callable[P, Awaitable[ToolOutput]]) -> Callable[P, Awaitable[ToolOutput]]:
    """Wraps `tool` so that it emits progress events."""

    @functools.wraps(tool)
    async def wrapped(*args: P.args, **kwargs: P.kwargs) -> ToolOutput:
        config: Any = kwargs.get("config")
        write = stream_writer(config)
        write({"type": STARTED, "tool": tool.__name__})
        began, outcome, passages = time.monotonic(), FAILED, 0
        try:
            with span(f"tool {tool.__name__}"):
                output = await tool(*args, **kwargs)
            outcome, passages = FINISHED, len(output[1])
            return output
        finally:
            seconds = round(time.monotonic() - began, 3)
            TOOL_SECONDS.labels(tool.__name__, outcome.rpartition(".")[2]).observe(seconds)
            write({"type": outcome, "tool": tool.__name__, "seconds": seconds, "passages": passages})

    return wrapped
