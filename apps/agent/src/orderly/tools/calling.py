"""From a tool's run configuration to the library and the caller."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from typing import Any
from zoneinfo import ZoneInfo

from langchain_core.runnables import RunnableConfig
from langgraph.config import get_stream_writer

from orderly.identity import caller_of
from orderly.models import Caller
from orderly.services.library import Library
from orderly.wiring import current_services

chosen_results: ContextVar[int | None] = ContextVar("chosen_results", default=None)
"""Search results that the run asked for. A tool node strips injected arguments, so the choice travels beside the call."""


async def library_and_caller(config: RunnableConfig | None) -> tuple[Library, Caller]:
    """Raises Denied when nobody is signed in."""
    services = await current_services()
    configurable = (config or {}).get("configurable") or {}
    return services.library, caller_of(configurable, services.secret, local_user=services.local_user)


async def firm_zone() -> ZoneInfo:
    """The time zone in which dates are written."""
    return ZoneInfo((await current_services()).settings.timezone)


def stream_writer() -> Callable[[Any], None]:
    """Where a run's watchers hear of progress; for a tool called outside any run, nowhere."""
    try:
        return get_stream_writer()
    except (RuntimeError, KeyError):  # a configuration alone is no run
        return lambda event: None
