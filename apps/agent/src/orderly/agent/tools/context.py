"""The services, the caller and the settings of a run, for its tools."""

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
from orderly.services.policy import kept_to
from orderly.wiring.services import Services, current_services

chosen_results: ContextVar[int | None] = ContextVar("chosen_results", default=None)
"""Search results per call, chosen by the run. LangGraph's tool node would strip an injected argument."""

brief_results: ContextVar[bool] = ContextVar("brief_results", default=False)
"""Whether a search shows its last passages cut, for a language model, which reads them by id if it needs them."""

chosen_matters: ContextVar[tuple[str, ...] | None] = ContextVar("chosen_matters", default=None)
"""Ids of the matters that the run is restricted to; None: no restriction."""

chosen_documents: ContextVar[tuple[str, ...] | None] = ContextVar("chosen_documents", default=None)
"""Ids of the documents that the run is restricted to; None: no restriction."""


async def services_and_caller(config: RunnableConfig | None) -> tuple[Services, Caller]:
    """Returns the services and the caller of the run, kept to its matters. Raises Denied without a valid sign-in."""
    services = await current_services()
    caller = kept_to(current_caller(services, config or {}), chosen_matters.get())
    return services, replace(caller, documents=chosen_documents.get())


async def library_and_caller(config: RunnableConfig | None) -> tuple[Library, Caller]:
    """Returns the library and the caller of the run. Raises Denied without a valid sign-in."""
    services, caller = await services_and_caller(config)
    return services.library, caller


async def firm_zone() -> ZoneInfo:
    """Returns the time zone for dates in tool outputs."""
    return ZoneInfo((await current_services()).settings.timezone)


def stream_writer(config: RunnableConfig | None) -> Callable[[Any], None]:
    """Returns LangGraph's writer of custom events; outside a run, a writer that discards them."""
    in_graph = CONF_RUNTIME in ((config or {}).get("configurable") or {})
    return get_stream_writer() if in_graph else _discard


CONF_RUNTIME = "__pregel_runtime"
"""Key that LangGraph sets in the configuration inside a graph."""


def _discard(event: Any) -> None:
    """Ignores `event`."""
