"""Spans of middleware without a thread for each, where nothing is traced.

LangChain wraps every hook of every middleware for LangSmith, which opens and closes its spans in threads even when tracing is
off: over a hundred hops in one question. Where tracing is off there is nothing in a span that could block.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextvars import Context
from typing import Any

import langsmith
from langsmith.utils import tracing_is_enabled


async def _here_unless_traced(
    in_thread: Callable[..., Awaitable[Any]], context: Context, function: Callable[..., Any], /, *args: Any, **kwargs: Any
) -> Any:
    if context.run(tracing_is_enabled):
        return await in_thread(context, function, *args, **kwargs)
    return context.run(function, *args, **kwargs)


def run_spans_in_event_loop() -> None:
    langsmith.set_runtime_overrides(aio_to_thread=_here_unless_traced)
