"""Runs LangSmith's span code on the event loop while tracing is off.

LangSmith opens and closes a span around every middleware hook in a thread, even with tracing off: over 100 thread switches per
question. With tracing off this code does not block.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextvars import Context
from typing import Any

import langsmith
from langsmith.utils import tracing_is_enabled


async def _run_inline_if_untraced(
    in_thread: Callable[..., Awaitable[Any]], context: Context, function: Callable[..., Any], /, *args: Any, **kwargs: Any
) -> Any:
    if context.run(tracing_is_enabled):
        return await in_thread(context, function, *args, **kwargs)
    return context.run(function, *args, **kwargs)


def avoid_span_threads() -> None:
    """Installs the override for this process."""
    langsmith.set_runtime_overrides(aio_to_thread=_run_inline_if_untraced)
