"""From a tool's run configuration to the library and the caller."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import replace
from typing import Any
from zoneinfo import ZoneInfo

from langchain_core.runnables import RunnableConfig
from langgraph.config import get_stream_writer

from orderly.agent.caller import current_caller
from orderly.models import Caller
from orderly.services.library import Library
from orderly.wiring.services import Services, current_services

chosen_results: ContextVar[int | None] = ContextVar("chosen_results", default=None)
"""Search results that the run asked for. A tool node strips injected arguments, so the choice travels beside the call."""

chosen_matters: ContextVar[tuple[str, ...] | None] = ContextVar("chosen_matters", default=None)
"""Ids of the matters that the run is kept to."""


async def services_and_caller(config: RunnableConfig | None) -> tuple[Services, Caller]:
    """Raises Denied when nobody is signed in."""
    services = await current_services()
    caller = current_caller(services, config or {})
    return services, replace(caller, kept_to=chosen_matters.get())


async def library_and_caller(config: RunnableConfig | None) -> tuple[Library, Caller]:
    """Raises Denied when nobody is signed in."""
    services, caller = await services_and_caller(config)
    return services.library, caller


async def firm_zone() -> ZoneInfo:
    """The time zone in which dates are written."""
    return ZoneInfo((await current_services()).settings.timezone)


def stream_writer(config: RunnableConfig | None) -> Callable[[Any], None]:
    """Where a run's watchers hear of progress; for a tool called outside any run, nowhere."""
    in_a_graph = CONF_RUNTIME in ((config or {}).get("configurable") or {})
    return get_stream_writer() if in_a_graph else _nowhere


CONF_RUNTIME = "__pregel_runtime"
"""Set by LangGraph in the configuration of everything that runs inside a graph."""


def _nowhere(event: Any) -> None:
    """Nobody is watching."""
